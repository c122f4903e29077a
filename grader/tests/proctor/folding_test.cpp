#include "grader/proctor/folding.h"

#include <gtest/gtest.h>

#include "example_lab.h"

namespace vram::proctor {
namespace {

TEST(Folding, TellsOneCauseOnce) {
    const LabGrade grade = example::grade();
    const auto groups = folded_failures(grade);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].first->check, "Release.SecondCallDoesNothing");
    ASSERT_EQ(groups[0].folded.size(), 1u);
    EXPECT_EQ(groups[0].folded[0]->check, "View.IsNeverFreed");
}

TEST(Folding, KeepsOtherLinesApart) {
    LabGrade grade = example::grade();
    grade.checks[1].findings[0].quote->line = 70;
    EXPECT_EQ(folded_failures(grade).size(), 2u);
}

TEST(Folding, KeepsOtherDiagnosesApart) {
    LabGrade grade = example::grade();
    grade.checks[1].findings[0].diagnosis = "leak";
    EXPECT_EQ(folded_failures(grade).size(), 2u);
}

TEST(Folding, WithoutALineComparesTheSentence) {
    LabGrade grade = example::grade();
    grade.checks[0].findings[0].quote.reset();
    EXPECT_EQ(folded_failures(grade).size(), 2u) << "one has a line, the other does not";
    grade.checks[1].findings[0].quote.reset();
    EXPECT_EQ(folded_failures(grade).size(), 1u);
    grade.checks[1].findings[0].first_line = "Something else.";
    EXPECT_EQ(folded_failures(grade).size(), 2u);
}

TEST(Folding, LeavesPassesAndUndecidedChecksOut) {
    LabGrade grade = example::grade();
    grade.checks[0].verdict = protocol::Verdict::not_graded_here;
    grade.checks[1].verdict = protocol::Verdict::pass;
    EXPECT_TRUE(folded_failures(grade).empty());
}

}  // namespace
}  // namespace vram::proctor
