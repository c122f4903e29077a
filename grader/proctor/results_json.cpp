#include "grader/proctor/results_json.h"

#include "grader/json/json_text.h"
#include "grader/proctor/report.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

using nlohmann::json;

std::string output_of(const LabGrade& grade, const CheckGrade& check) {
    using protocol::Verdict;
    switch (check.verdict) {
        case Verdict::pass:
            return check.remark;
        case Verdict::not_graded_here:
            return "Not graded here: " + check.remark;
        default:
            return std::string(protocol::verdict_name(check.verdict)) + "\n" +
                   check_story(grade, check);
    }
}

json test_of(const LabGrade& grade, const CheckGrade& check) {
    return {{"name", grade.lab + ": " + check.check},
            {"score", check.earned},
            {"max_score", check.points},
            {"output", printable(output_of(grade, check))},
            {"output_format", "text"},
            {"visibility", "visible"},
            {"status", check.earned >= check.points ? "passed" : "failed"}};
}

}  // namespace

std::string results_json(const std::vector<LabGrade>& grades, double seconds) {
    double score = 0;
    json tests = json::array();
    for (const LabGrade& grade : grades) {
        score += grade.earned();
        for (const CheckGrade& check : grade.checks) {
            tests.push_back(test_of(grade, check));
        }
    }
    const json results = {
        {"score", score},          {"execution_time", seconds},     {"output", score_line(grades)},
        {"visibility", "visible"}, {"stdout_visibility", "hidden"}, {"tests", std::move(tests)}};
    return json_text(results) + "\n";
}

}  // namespace vram::proctor
