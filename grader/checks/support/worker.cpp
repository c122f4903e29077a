#include "grader/checks/support/worker.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "grader/checks/support/learner.h"
#include "grader/checks/support/running_check.h"
#include "grader/checks/support/story.h"

namespace vram::checks {

std::vector<std::string> all_checks() {
    std::vector<std::string> names;
    const testing::UnitTest& program = *testing::UnitTest::GetInstance();
    for (int suite_index = 0; suite_index < program.total_test_suite_count(); ++suite_index) {
        const testing::TestSuite& suite = *program.GetTestSuite(suite_index);
        for (int index = 0; index < suite.total_test_count(); ++index) {
            names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(index)->name());
        }
    }
    return names;
}

namespace {

/// Remembers the first plain GoogleTest failure, for checks that used an assertion instead of a
/// story.
class FirstFailure : public testing::EmptyTestEventListener {
  public:
    void OnTestPartResult(const testing::TestPartResult& part) override {
        if (part.failed() && message_.empty()) {
            message_ = part.summary();
        }
    }
    const std::string& message() const { return message_; }

  private:
    std::string message_;
};

/// After a sticky error, which only a new process can get rid of.
bool context_is_lost() {
    return cudaDeviceSynchronize() != cudaSuccess;
}

}  // namespace

protocol::CheckResult run_check(const std::string& name) {
    running_check() = RunningCheck{};
    session().clear_last_error();
    running_check().misuses_from = session().last_call();
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    auto* first_failure = new FirstFailure;
    listeners.Append(first_failure);
    GTEST_FLAG_SET(filter, name);
    const bool googletest_failed = RUN_ALL_TESTS() != 0;
    session().stop_injecting();
    protocol::CheckResult result = conclude(name, googletest_failed, first_failure->message());
    if (!session().ledger_intact()) {
        result = {};
        result.check = name;
        result.verdict = protocol::Verdict::fail;
        result.findings.push_back(
            Story("ledger-damaged",
                  "Something wrote into the grader's own memory during this check.")
                .finding());
    }
    delete listeners.Release(first_failure);
    return result;
}

void work(const std::vector<std::string>& checks, const Channel& channel) {
    int results_sent = 0;
    for (const std::string& name : checks) {
        protocol::Record done;
        done.kind = protocol::RecordKind::result;
        done.result = run_check(name);
        channel.send(done);
        ++results_sent;
        // What is left stays: a cache in a static of the learner's file is used by the next check too.
        if (context_is_lost()) {
            break;  // the examiner starts a fresh process for the remaining checks
        }
    }
    protocol::Record end;
    end.kind = protocol::RecordKind::end;
    end.results_sent = results_sent;
    channel.send(end);
    std::fflush(nullptr);
    _exit(0);
}

}  // namespace vram::checks
