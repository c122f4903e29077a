#include "grader/proctor/tap.h"

#include "grader/proctor/report.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

using protocol::Verdict;

/// '#' would begin a directive.
std::string harmless(std::string text) {
    for (char& c : text) {
        if (c == '#' || c == '\n') {
            c = ' ';
        }
    }
    return printable(text);
}

std::string tap_line(std::size_t number_of_line, const LabGrade& grade, const CheckGrade& check,
                     bool several) {
    const std::string name = std::to_string(number_of_line) + " - " +
                             (several ? grade.lab + " " : std::string()) + check.check;
    switch (check.verdict) {
        case Verdict::not_graded_here:
            return "ok " + name + " # SKIP " + harmless(check.remark) + "\n";
        case Verdict::inconclusive:
            // Unearned, but never called wrong.
            return "not ok " + name + " # TODO inconclusive\n";
        default:
            break;
    }
    if (check.earned >= check.points) {
        return "ok " + name + "\n";
    }
    return "not ok " + name + "\n" + tap_comment(check_story(grade, check));
}

}  // namespace

std::string tap_comment(const std::string& text) {
    std::string result;
    for (const std::string& line : lines_of(printable(text))) {
        result += line.empty() ? "#\n" : "# " + line + "\n";
    }
    return result;
}

std::string tap_report(const std::vector<LabGrade>& grades) {
    std::size_t count = 0;
    for (const LabGrade& grade : grades) {
        count += grade.checks.size();
    }
    std::string result = "1.." + std::to_string(count) + "\n";
    std::size_t line = 0;
    for (const LabGrade& grade : grades) {
        if (grade.grader_fault && grade.rejection) {
            return result + "Bail out! " + harmless(grade.rejection->first_line) + "\n" +
                   tap_comment(joined(grade.rejection->details, "\n"));
        }
        for (const CheckGrade& check : grade.checks) {
            result += tap_line(++line, grade, check, grades.size() > 1);
        }
    }
    return result + tap_comment(score_line(grades));
}

}  // namespace vram::proctor
