#include "grader/proctor/grade.h"

#include <gtest/gtest.h>

#include "example_lab.h"

namespace vram::proctor {
namespace {

using protocol::Verdict;

const Check check = example::lab().checks.front();

CheckGrade on(const std::string& device, Verdict verdict, double earned) {
    CheckGrade grade = example::check(check.name, verdict, check.points, earned);
    grade.device = device;
    if (verdict == Verdict::not_graded_here) {
        grade.points = 0;
    }
    return grade;
}

TEST(TwoDevices, MustBothPass) {
    const auto both =
        combined(check, {on("virtual GPU", Verdict::pass, 4), on("H200", Verdict::pass, 4)});
    EXPECT_EQ(both.verdict, Verdict::pass);
    EXPECT_EQ(both.earned, 4);
    const auto one =
        combined(check, {on("virtual GPU", Verdict::pass, 4), on("H200", Verdict::fail, 0)});
    EXPECT_EQ(one.verdict, Verdict::fail);
    EXPECT_EQ(one.device, "H200");
    EXPECT_EQ(one.earned, 0);
}

TEST(TwoDevices, OneThatCannotDecideIsNotAsked) {
    const auto grade = combined(
        check, {on("virtual GPU", Verdict::not_graded_here, 0), on("H200", Verdict::pass, 4)});
    EXPECT_EQ(grade.verdict, Verdict::pass);
    EXPECT_EQ(grade.earned, 4);
    EXPECT_EQ(grade.points, 4);
}

TEST(TwoDevices, InconclusiveEarnsNothingAndIsNotWrong) {
    const auto grade = combined(
        check, {on("virtual GPU", Verdict::pass, 4), on("H200", Verdict::inconclusive, 0)});
    EXPECT_EQ(grade.verdict, Verdict::inconclusive);
    EXPECT_EQ(grade.earned, 0);
    EXPECT_EQ(grade.points, 4);
}

const std::vector<Variant> two_builds = {{"the release build", {"NDEBUG"}, {}},
                                         {"the debug build", {}, {}}};

CheckGrade failing(const std::string& first_line) {
    CheckGrade grade = on("virtual GPU", Verdict::fail, 0);
    PlacedFinding finding;
    finding.diagnosis = "wrong-status";
    finding.first_line = first_line;
    grade.findings = {finding};
    return grade;
}

TEST(TwoBuilds, MustBothPass) {
    const CheckGrade passing = on("virtual GPU", Verdict::pass, 4);
    EXPECT_EQ(held_in_all(two_builds, {passing, passing}).earned, 4);
    const auto grade = held_in_all(two_builds, {passing, failing("It returned 2.")});
    EXPECT_EQ(grade.verdict, Verdict::fail);
    EXPECT_EQ(grade.earned, 0);
    EXPECT_EQ(grade.findings.front().first_line, "Only in the debug build: It returned 2.");
    EXPECT_EQ(
        held_in_all(two_builds, {failing("It returned 2."), passing}).findings.front().first_line,
        "Only in the release build: It returned 2.");
}

TEST(TwoBuilds, ThatBothFailAreToldOnce) {
    const auto grade = held_in_all(two_builds, {failing("First."), failing("Second.")});
    ASSERT_EQ(grade.findings.size(), 1u);
    EXPECT_EQ(grade.findings.front().first_line, "First.");
}

TEST(TwoBuilds, OneThatCannotBeDecidedLeavesTheCheckOpen) {
    const CheckGrade passing = on("virtual GPU", Verdict::pass, 4);
    const CheckGrade undecided = on("virtual GPU", Verdict::not_graded_here, 0);
    const auto grade = held_in_all(two_builds, {passing, undecided});
    EXPECT_EQ(grade.verdict, Verdict::not_graded_here);
    EXPECT_EQ(grade.points, 0);
    EXPECT_EQ(held_in_all(two_builds, {failing("It returned 2."), undecided}).verdict,
              Verdict::fail);
}

TEST(NoDevice, LeavesTheTotal) {
    Check only_gpu = check;
    only_gpu.devices = {DeviceKind::gpu};
    const auto grade = combined(only_gpu, {});
    EXPECT_EQ(grade.verdict, Verdict::not_graded_here);
    EXPECT_EQ(grade.points, 0);
    EXPECT_EQ(grade.remark, "only a real GPU can decide this");
}

TEST(LabGrade, IsCompleteWithAllPointsOfWhatWasGraded) {
    LabGrade grade = example::grade();
    EXPECT_EQ(grade.earned(), 4);
    EXPECT_EQ(grade.points(), 12);
    EXPECT_FALSE(grade.complete());
    for (CheckGrade& each : grade.checks) {
        each = example::check(each.check, Verdict::pass, 4, 4);
    }
    EXPECT_TRUE(grade.complete());
    for (CheckGrade& each : grade.checks) {
        each.points = each.earned = 0;
    }
    EXPECT_FALSE(grade.complete()) << "nothing was graded";
}

TEST(LabGrade, IsNotCompleteWithACheckThatItsFileLeftOpen) {
    LabGrade grade;
    CheckGrade passed;
    passed.verdict = Verdict::pass;
    passed.points = passed.earned = 2;
    CheckGrade undecided;
    undecided.verdict = Verdict::not_graded_here;
    grade.checks = {passed, undecided};
    EXPECT_TRUE(grade.complete()) << "only another device can decide it";
    grade.checks[1].left_open = true;
    EXPECT_FALSE(grade.complete()) << "nobody gains by making a check undecidable";
}

TEST(Quote, PointsAtTheFirstArgumentOfTheCall) {
    const auto quote =
        quote_of("a\n\tx = cudaFree(store->pixels);\n", 2, "cudaFree(0x200) -> cudaSuccess", "n");
    ASSERT_TRUE(quote);
    EXPECT_EQ(quote->text, "    x = cudaFree(store->pixels);");
    EXPECT_EQ(quote->text.substr(quote->column), "store->pixels);");
}

TEST(Quote, PointsAtTheLineWhenTheStepIsNoCallOfIt) {
    const auto quote = quote_of("  CHECK(x);\n", 1, "a kernel wrote here", "n");
    ASSERT_TRUE(quote);
    EXPECT_EQ(quote->column, 2u);
    EXPECT_FALSE(quote_of("one line\n", 2, "", ""));
}

TEST(Rejected, CostsEveryCheckThatCountsHere) {
    Lab lab = example::lab();
    lab.checks[0].devices = {DeviceKind::gpu};
    Rejection rejection;
    rejection.diagnosis = "empty-file";
    rejection.first_line = "frame_store.cu is empty.";
    const LabGrade grade = rejected(lab, rejection, "", {DeviceKind::virtual_gpu});
    EXPECT_EQ(grade.points(), 8);
    EXPECT_EQ(grade.earned(), 0);
    EXPECT_EQ(grade.checks[0].verdict, Verdict::not_graded_here);
    EXPECT_EQ(grade.checks[1].verdict, Verdict::does_not_compile);
}

}  // namespace
}  // namespace vram::proctor
