#include "grader/proctor/tap.h"

#include <gtest/gtest.h>

#include "example_lab.h"

namespace vram::proctor {
namespace {

using protocol::Verdict;

LabGrade grade_with_every_kind() {
    LabGrade grade = example::grade();
    grade.checks = {example::check("A.Passes", Verdict::pass, 4, 4),
                    example::check("A.Fails", Verdict::fail, 4, 0),
                    example::check("A.IsNotHere", Verdict::not_graded_here, 0, 0),
                    example::check("A.IsUnclear", Verdict::inconclusive, 4, 0)};
    grade.checks[1].remark = "ok 5 - forged\nok 6 - forged";
    grade.checks[2].remark = "needs # a GPU";
    return grade;
}

TEST(Tap, HasALineForEachCheck) {
    EXPECT_EQ(tap_report({grade_with_every_kind()}),
              "1..4\n"
              "ok 1 - A.Passes\n"
              "not ok 2 - A.Fails\n"
              "# ok 5 - forged\n"
              "# ok 6 - forged\n"
              "ok 3 - A.IsNotHere # SKIP needs   a GPU\n"
              "not ok 4 - A.IsUnclear # TODO inconclusive\n"
              "# Score: 4 / 12 points, 0 of 1 labs complete\n");
}

TEST(Tap, NamesTheLabWhenThereAreSeveral) {
    const std::string report = tap_report({grade_with_every_kind(), grade_with_every_kind()});
    EXPECT_TRUE(report.starts_with("1..8\nok 1 - 06-double-free A.Passes\n"));
}

TEST(Tap, BailsOutOnAFaultOfTheGrader) {
    LabGrade grade = example::grade();
    grade.grader_fault = true;
    grade.rejection = PlacedFinding();
    grade.rejection->first_line = "a part is missing";
    EXPECT_EQ(tap_report({grade}), "1..3\nBail out! a part is missing\n");
}

}  // namespace
}  // namespace vram::proctor
