#include "grader/proctor/results_json.h"

#include <gtest/gtest.h>

#include "example_lab.h"
#include "grader/json/json_text.h"

namespace vram::proctor {
namespace {

using nlohmann::json;

TEST(ResultsJson, HoldsWhatGradescopeReads) {
    const json results = parse_json(results_json({example::grade()}, 1.5));
    EXPECT_EQ(results.at("score"), 4);
    EXPECT_EQ(results.at("execution_time"), 1.5);
    ASSERT_EQ(results.at("tests").size(), 3u);
    const json& failed = results.at("tests")[0];
    EXPECT_EQ(failed.at("name"), "06-double-free: Release.SecondCallDoesNothing");
    EXPECT_EQ(failed.at("score"), 0);
    EXPECT_EQ(failed.at("max_score"), 4);
    EXPECT_EQ(failed.at("status"), "failed");
    EXPECT_EQ(failed.at("visibility"), "visible");
    const std::string output = failed.at("output");
    EXPECT_TRUE(output.starts_with("fail\ndouble-free: release() passed")) << output;
    EXPECT_NE(output.find("58 |     cudaFree(store->pixels);"), std::string::npos);
    EXPECT_EQ(results.at("tests")[2].at("status"), "passed");
}

TEST(ResultsJson, HoldsEveryCheckOfAFileThatDoesNotCompile) {
    Rejection rejection;
    rejection.diagnosis = "does-not-compile";
    rejection.first_line = "expected a \";\"";
    const json results = parse_json(
        results_json({rejected(example::lab(), rejection, "", {DeviceKind::virtual_gpu})}, 0));
    ASSERT_EQ(results.at("tests").size(), 3u);
    for (const json& test : results.at("tests")) {
        EXPECT_EQ(test.at("status"), "failed");
        EXPECT_EQ(test.at("max_score"), 4);
        EXPECT_NE(test.at("output").get<std::string>().find("expected a \";\""), std::string::npos);
    }
}

TEST(ResultsJson, SurvivesTextThatIsNoUtf8) {
    LabGrade grade = example::grade();
    grade.checks[0].findings[0].found = "\xff\xfe";
    EXPECT_FALSE(parse_json(results_json({grade}, 0)).is_discarded());
}

}  // namespace
}  // namespace vram::proctor
