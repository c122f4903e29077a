#include "grader/checks/support/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "grader/checks/support/learner.h"
#include "grader/checks/support/running_check.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::checks {

namespace {

constexpr std::size_t most_findings = 3;

bool is_missing_feature(const runtime::Misuse& misuse) {
    const auto kind = static_cast<virtual_gpu::ReportKind>(misuse.report_kind);
    return misuse.kind == runtime::MisuseKind::device_report &&
           (kind == virtual_gpu::ReportKind::kernel_not_supported ||
            kind == virtual_gpu::ReportKind::call_not_supported);
}

/// Mistakes that are legal by the documentation, or harmless: a lab judges them where its contract
/// speaks of them, and nobody else does.
bool judged_only_by_contract(const runtime::Misuse& misuse) {
    return misuse.kind == runtime::MisuseKind::unrecorded_event ||
           misuse.kind == runtime::MisuseKind::work_after_sticky ||
           (misuse.kind == runtime::MisuseKind::copy_wrong_direction && !misuse.failed_call);
}

bool already_told(const std::vector<protocol::Finding>& findings, const std::string& diagnosis) {
    return std::any_of(findings.begin(), findings.end(), [&](const protocol::Finding& finding) {
        return finding.diagnosis == diagnosis;
    });
}

}  // namespace

RunningCheck& running_check() {
    static RunningCheck check;
    return check;
}

void fail(const Story& story) {
    if (running_check().left_by_exception) {
        return;
    }
    running_check().findings.push_back(story.finding());
    ADD_FAILURE() << story.finding().diagnosis << ": " << story.finding().first_line;
}

bool failed() {
    return testing::Test::HasFailure();
}

void remark(std::string text) {
    running_check().remark = std::move(text);
}

void award(double share) {
    running_check().share = std::clamp(share, 0.0, 1.0);
}

void not_graded_here(std::string reason) {
    running_check().not_graded_reason = std::move(reason);
}

void inconclusive(std::string reason) {
    running_check().inconclusive_reason = std::move(reason);
}

void tolerate(runtime::MisuseKind kind) {
    running_check().tolerated.insert(kind);
}

protocol::CheckResult conclude(const std::string& name, bool googletest_failed,
                               const std::string& googletest_message) {
    RunningCheck& check = running_check();
    protocol::CheckResult result;
    result.check = name;
    std::vector<protocol::Finding> causes;
    std::string missing_feature;
    for (const runtime::Misuse& misuse : session().misuses_after(check.misuses_from)) {
        if (is_missing_feature(misuse)) {
            missing_feature = misuse.first_line;
        } else if (!judged_only_by_contract(misuse) && check.tolerated.count(misuse.kind) == 0 &&
                   !already_told(check.findings, runtime::diagnosis_id(misuse)) &&
                   !already_told(causes, runtime::diagnosis_id(misuse))) {
            causes.push_back(story_of(misuse).finding());
        }
    }
    // A misuse is the cause of what the check itself found later, so it is told first.
    result.findings = std::move(causes);
    result.findings.insert(result.findings.end(), check.findings.begin(), check.findings.end());
    if (result.findings.empty() && googletest_failed) {
        Story story("unexpected-result", googletest_message);
        result.findings.push_back(story.steps_after(0, 6).finding());
    }
    if (result.findings.size() > most_findings) {
        result.findings.resize(most_findings);
    }

    const bool failed = googletest_failed || !result.findings.empty();
    if (failed && !missing_feature.empty()) {
        result.verdict = protocol::Verdict::not_graded_here;
        result.remark = missing_feature;
        result.findings.clear();
    } else if (failed) {
        result.verdict = protocol::Verdict::fail;
        result.share = check.share < 1 ? check.share : 0;
    } else if (!check.not_graded_reason.empty()) {
        result.verdict = protocol::Verdict::not_graded_here;
        result.remark = check.not_graded_reason;
    } else if (!check.inconclusive_reason.empty()) {
        result.verdict = protocol::Verdict::inconclusive;
        result.remark = check.inconclusive_reason;
    } else {
        result.verdict = protocol::Verdict::pass;
        result.share = check.share;
        result.remark = check.remark;
    }
    return result;
}

}  // namespace vram::checks
