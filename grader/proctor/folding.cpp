#include "grader/proctor/folding.h"

#include <algorithm>

namespace vram::proctor {

namespace {

/// The same diagnosis at the same source line. Without a line the sentence must be the same.
bool same_cause(const CheckGrade& one, const CheckGrade& other) {
    if (one.findings.empty() || other.findings.empty()) {
        return false;
    }
    const PlacedFinding& first = one.findings.front();
    const PlacedFinding& second = other.findings.front();
    if (first.diagnosis != second.diagnosis) {
        return false;
    }
    if (first.quote && second.quote) {
        return first.quote->line == second.quote->line;
    }
    return !first.quote && !second.quote && first.first_line == second.first_line;
}

}  // namespace

bool is_failure(const CheckGrade& check) {
    return check.verdict != protocol::Verdict::pass &&
           check.verdict != protocol::Verdict::not_graded_here;
}

std::vector<FailureGroup> folded_failures(const LabGrade& grade) {
    std::vector<FailureGroup> groups;
    for (const CheckGrade& check : grade.checks) {
        if (!is_failure(check)) {
            continue;
        }
        const auto group =
            std::find_if(groups.begin(), groups.end(),
                         [&](const FailureGroup& each) { return same_cause(*each.first, check); });
        if (group == groups.end()) {
            groups.push_back({&check, {}});
        } else {
            group->folded.push_back(&check);
        }
    }
    return groups;
}

}  // namespace vram::proctor
