// A graded program that misbehaves gains nothing, ends in time and leaves nothing behind.
#include "grader/proctor/graded_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "grader/proctor/files.h"
#include "grader/proctor/offspring.h"
#include "grader/proctor/verdicts.h"

namespace vram::proctor {
namespace {

using protocol::CheckResult;
using protocol::Verdict;

class GradedProgram : public testing::Test {
  protected:
    GradedProgram() : folder_(std::filesystem::temp_directory_path()) {
        adopt_orphans();
        // Long enough for a busy machine; a test that waits for a limit sets a short one.
        limits_.start_seconds = 30;
        limits_.check_seconds = 30;
        limits_.answer_seconds = 30;
        limits_.resident_bytes = std::size_t{256} << 20;
        limits_.folder_bytes = std::size_t{32} << 20;
        limits_.processes = 32;
    }

    std::vector<CheckResult> grade(const std::vector<std::string>& checks) {
        RunRequest request;
        request.program = FAKE_GRADED_PROGRAM;
        request.checks = checks;
        request.folder = folder_.path();
        request.limits = limits_;
        outcome_ = run_graded_program(request);
        return verdicts_of(outcome_, checks);
    }

    CheckResult grade_one(const std::string& check) { return grade({check}).front(); }

    Limits limits_;
    ScratchFolder folder_;
    RunOutcome outcome_;
};

std::string diagnosis(const CheckResult& result) {
    return result.findings.empty() ? "none" : result.findings.front().diagnosis;
}

TEST_F(GradedProgram, PassesAndFailsAsItReports) {
    const auto results = grade({"Fake.Passes", "Fake.Fails", "Fake.PassesToo"});
    EXPECT_EQ(results[0].verdict, Verdict::pass);
    EXPECT_EQ(results[0].share, 1);
    EXPECT_EQ(results[1].verdict, Verdict::fail);
    EXPECT_EQ(diagnosis(results[1]), "made-up");
    EXPECT_EQ(results[2].verdict, Verdict::pass);
    EXPECT_EQ(outcome_.device, "fake GPU");
}

TEST_F(GradedProgram, KeepsWhatItPrints) {
    EXPECT_EQ(grade_one("Fake.Prints").verdict, Verdict::pass);
    EXPECT_EQ(outcome_.output, "hello from the program\n");
}

TEST_F(GradedProgram, CrashCostsTheCheckAndAllPassesOfTheRun) {
    const auto results = grade({"Fake.Passes", "Fake.Fails", "Fake.Crashes", "Fake.PassesToo"});
    EXPECT_EQ(results[0].verdict, Verdict::crashed);
    EXPECT_EQ(diagnosis(results[1]), "made-up") << "a reported failure stands";
    EXPECT_EQ(results[2].verdict, Verdict::crashed);
    EXPECT_EQ(diagnosis(results[2]), "crashed");
    EXPECT_EQ(results[3].verdict, Verdict::fail) << "it never ran";
    for (const CheckResult& result : results) {
        EXPECT_EQ(result.share, 0);
    }
}

TEST_F(GradedProgram, ExitingInTheMiddleIsNoPass) {
    EXPECT_EQ(diagnosis(grade_one("Fake.Exits")), "ended-early");
}

TEST_F(GradedProgram, ExitStatusCountsBehindTheEndRecord) {
    const CheckResult result = grade_one("Fake.ExitsWithThree");
    EXPECT_EQ(result.verdict, Verdict::fail);
    EXPECT_EQ(diagnosis(result), "ended-early");
    EXPECT_EQ(result.findings.front().found, "exit status 3");
}

TEST_F(GradedProgram, ExitingBeforeTheStartIsNoPass) {
    EXPECT_EQ(diagnosis(grade_one("Start.Exits")), "ended-early");
    EXPECT_EQ(grade_one("Start.Crashes").verdict, Verdict::crashed);
    limits_.start_seconds = 0.3;
    EXPECT_EQ(grade_one("Start.Hangs").verdict, Verdict::hung);
}

TEST_F(GradedProgram, ProgramThatCannotBeLoadedIsOurFault) {
    const CheckResult result = grade_one("Start.CannotLoad");
    EXPECT_EQ(result.verdict, Verdict::grader_fault);
    EXPECT_NE(result.findings.front().first_line.find("libcudart.so.99"), std::string::npos);
}

TEST_F(GradedProgram, CheckThatIsNotThereIsOurFault) {
    EXPECT_EQ(grade({"Fake.Passes", "Fake.IsNotThere"})[1].verdict, Verdict::grader_fault);
}

TEST_F(GradedProgram, SecondClaimOfTheSessionIsTampering) {
    EXPECT_EQ(diagnosis(grade_one("Fake.ClaimsTwice")), "tampering");
}

TEST_F(GradedProgram, HangIsEnded) {
    limits_.check_seconds = 2;
    limits_.answer_seconds = 0.2;
    const auto results = grade({"Fake.Passes", "Fake.Hangs", "Fake.PassesToo"});
    EXPECT_EQ(results[1].verdict, Verdict::hung);
    EXPECT_EQ(results[2].share, 0);
    EXPECT_EQ(results[0].share, 0) << "no end record came";
}

TEST_F(GradedProgram, PoliteHangCostsOnlyItsCheck) {
    limits_.check_seconds = 2;
    const auto results = grade({"Fake.Passes", "Fake.HangsPolitely", "Fake.PassesToo"});
    EXPECT_EQ(results[0].verdict, Verdict::pass);
    EXPECT_EQ(results[1].verdict, Verdict::hung);
    EXPECT_EQ(results[2].verdict, Verdict::pass);
}

TEST_F(GradedProgram, TamperingWithTheChannelCostsEveryPass) {
    for (const char* check :
         {"Fake.Forges", "Fake.WritesGarbage", "Fake.ReportsTwice", "Fake.ReportsAnother",
          "Fake.CountsWrongly", "Fake.GoesOnBehindTheEnd"}) {
        SCOPED_TRACE(check);
        const auto results = grade({"Fake.Passes", check});
        EXPECT_NE(outcome_.tampering, "");
        EXPECT_EQ(results[0].share, 0);
        EXPECT_EQ(diagnosis(results[0]), "tampering");
        EXPECT_EQ(results[1].share, 0);
        EXPECT_EQ(results[1].verdict, Verdict::fail);
    }
}

TEST_F(GradedProgram, ClosingTheChannelGainsNothing) {
    const auto results = grade({"Fake.Passes", "Fake.ClosesTheChannel"});
    EXPECT_EQ(results[0].share, 0);
    EXPECT_EQ(diagnosis(results[1]), "ended-early");
}

TEST_F(GradedProgram, ForkBombIsEnded) {
    EXPECT_EQ(diagnosis(grade_one("Fake.ForksABomb")), "process-limit");
    EXPECT_EQ(family_use(getpid()).processes, 1u);
}

TEST_F(GradedProgram, MemoryIsLimited) {
    EXPECT_EQ(diagnosis(grade_one("Fake.EatsMemory")), "memory-limit");
}

TEST_F(GradedProgram, MemoryOfAWorkerCostsOnlyItsCheck) {
    const auto results = grade({"Fake.Passes", "Fake.WorkerEatsMemory", "Fake.PassesToo"});
    EXPECT_EQ(results[0].verdict, Verdict::pass);
    EXPECT_EQ(diagnosis(results[1]), "memory-limit");
    EXPECT_EQ(results[2].verdict, Verdict::pass);
}

TEST_F(GradedProgram, FilesAreLimited) {
    EXPECT_EQ(diagnosis(grade_one("Fake.WritesFiles")), "file-limit");
}

TEST_F(GradedProgram, EndlessOutputIsCutAndTheCheckEnded) {
    limits_.output_bytes = 10000;
    limits_.check_seconds = 1;
    limits_.answer_seconds = 0.2;
    EXPECT_EQ(grade_one("Fake.PrintsWithoutEnd").verdict, Verdict::hung);
    EXPECT_EQ(outcome_.output.size(), 10000u);
    EXPECT_TRUE(outcome_.output_cut);
}

TEST_F(GradedProgram, DaemonDoesNotOutliveTheRun) {
    EXPECT_EQ(grade_one("Fake.LeavesADaemon").verdict, Verdict::pass);
    const pid_t daemon = std::stoi(read_file(folder_.path() / "daemon"));
    EXPECT_EQ(kill(daemon, 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

TEST_F(GradedProgram, SeesOnlyTheEnvironmentItNeeds) {
    setenv("LD_PRELOAD", "", 1);
    setenv("A_SECRET", "of the instructor", 1);
    EXPECT_EQ(grade_one("Fake.ShowsItsEnvironment").verdict, Verdict::pass);
    unsetenv("LD_PRELOAD");
    unsetenv("A_SECRET");
    EXPECT_NE(outcome_.output.find("VRAM_DEVICE=virtual\n"), std::string::npos);
    EXPECT_EQ(outcome_.output.find("A_SECRET"), std::string::npos);
    EXPECT_EQ(outcome_.output.find("LD_PRELOAD"), std::string::npos);
    EXPECT_NE(outcome_.output.find("descriptor 3\n"), std::string::npos);
    EXPECT_EQ(outcome_.output.find("descriptor 4\n"), std::string::npos);
}

TEST_F(GradedProgram, MissingProgramIsOurFault) {
    RunRequest request;
    request.program = "/nowhere/program";
    request.checks = {"Fake.Passes"};
    request.folder = folder_.path();
    EXPECT_EQ(verdicts_of(run_graded_program(request), request.checks).front().verdict,
              Verdict::grader_fault);
}

}  // namespace
}  // namespace vram::proctor
