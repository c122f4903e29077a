#include "grader/proctor/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_lab.h"
#include "grader/proctor/text.h"

namespace vram::proctor {
namespace {

TEST(Report, TellsTheStory) {
    EXPECT_EQ(
        lab_report(example::grade(), {}),
        R"(Lab 06  Double free                                   virtual GPU      4 / 12 points

  FAIL  Release.SecondCallDoesNothing                                   0 / 4
        double-free: release() passed cudaFree an address that it had freed before.

          1  cudaMalloc(1048576 bytes) -> 0x200000000400        frame_store.cu:31  make_store
          2  cudaFree(0x200000000400) -> cudaSuccess            frame_store.cu:58  release
          3  cudaFree(0x200000000400) -> cudaErrorInvalidValue  frame_store.cu:58  release
             58 |     cudaFree(store->pixels);
                |              ^ freed in step 2, still stored here

        expected  the second release() makes no runtime call and returns cudaSuccess
        why       once freed, an address can belong to somebody else: the next free is theirs
        hint      ./vram hint 06 SecondCallDoesNothing

        1 more check fails for the same reason:
          View.IsNeverFreed                                             0 / 4

  ok    Release.FreesEachBufferOnce                                     4 / 4
)");
}

TEST(Report, OfAFileThatDoesNotCompile) {
    Rejection rejection;
    rejection.diagnosis = "does-not-compile";
    rejection.first_line = "identifier \"pixel\" is undefined";
    rejection.file = "frame_store.cu";
    rejection.line = 2;
    rejection.details = {"The compiler reports 2 more errors after this one."};
    const LabGrade grade = rejected(example::lab(), rejection, "int f() {\n    return pixel;\n}\n",
                                    {DeviceKind::virtual_gpu});
    EXPECT_EQ(
        lab_report(grade, {}),
        R"(Lab 06  Double free                                                    0 / 12 points

  FAIL  frame_store.cu
        does-not-compile: identifier "pixel" is undefined

          1  the compiler stops here  frame_store.cu:2
              2 |     return pixel;
        The compiler reports 2 more errors after this one.

        3 checks could not run because of this.
)");
}

TEST(Report, OfFullMarksIsShort) {
    LabGrade grade = example::grade();
    for (CheckGrade& check : grade.checks) {
        check = example::check(check.check, protocol::Verdict::pass, 4, 4);
    }
    grade.checks[2].remark = "The reference does this with one call.";
    grade.program_output = "debugging\n";
    EXPECT_EQ(
        lab_report(grade, {}),
        R"(Lab 06  Double free                                   virtual GPU     12 / 12 points

  ok    Release.SecondCallDoesNothing                                   4 / 4
  ok    View.IsNeverFreed                                               4 / 4
  ok    Release.FreesEachBufferOnce                                     4 / 4
        The reference does this with one call.
)");
}

TEST(Report, SaysWhyACheckWasNotGraded) {
    LabGrade grade = example::grade();
    grade.checks = {combined(Check{"Time.IsShort", 4, {DeviceKind::gpu}, {}}, {})};
    EXPECT_NE(lab_report(grade, {}).find(
                  "  --    Time.IsShort                                          not graded here\n"
                  "        only a real GPU can decide this\n"),
              std::string::npos);
}

TEST(Report, StaysWithinItsWidth) {
    LabGrade grade = example::grade();
    grade.checks[0].findings[0].first_line +=
        std::string(40, ' ') +
        "And so it goes on and on, "
        "sentence after sentence, until the terminal's edge is far behind.";
    for (const std::size_t width : {60u, 80u, 100u}) {
        ReportStyle style;
        style.width = width;
        std::size_t longest = 0;
        for (const std::string& line : lines_of(lab_report(grade, style))) {
            // Calls and their places are not broken.
            if (line.find("frame_store.cu:") == std::string::npos) {
                longest = std::max(longest, columns(line));
            }
        }
        EXPECT_LE(longest, std::max<std::size_t>(width, 84)) << width;
    }
}

TEST(Report, LetsNoTerminalCommandThrough) {
    LabGrade grade = example::grade();
    grade.program_output = "\x1b]0;owned\x07 and \x1b[2J\n";
    grade.checks[0].findings[0].found = "\x1b[31mred";
    const std::string report = lab_report(grade, {});
    EXPECT_EQ(report.find('\x1b'), std::string::npos);
    EXPECT_NE(report.find("?]0;owned? and ?[2J"), std::string::npos);
}

TEST(Report, ColoursOnlyWhenAsked) {
    ReportStyle style;
    style.colour = true;
    EXPECT_NE(lab_report(example::grade(), style).find("\x1b[31;1mFAIL"), std::string::npos);
}

TEST(ScoreLine, AddsUp) {
    EXPECT_EQ(score_line({example::grade(), example::grade()}),
              "Score: 8 / 24 points, 0 of 2 labs complete");
}

}  // namespace
}  // namespace vram::proctor
