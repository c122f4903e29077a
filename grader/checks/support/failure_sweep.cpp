#include "grader/checks/support/failure_sweep.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "grader/checks/support/channel.h"
#include "grader/checks/support/isolation.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/last_moments.h"
#include "grader/checks/support/running_check.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {

void FailureCase::arm() {
    if (!clean()) {
        session().inject(injection_);
    }
}

bool FailureCase::disarm() {
    if (!clean()) {
        fired_ = session().injections_fired() > 0;
        session().stop_injecting();
    }
    return fired_;
}

runtime::CallRecord FailureCase::failed_call() const {
    return fired_ ? session().call(session().first_injected_call()) : runtime::CallRecord{};
}

std::string FailureCase::condition() const {
    const runtime::CallRecord call = failed_call();
    if (call.number == 0) {
        return "when every call succeeded";
    }
    return std::string("when ") + runtime::entry_name(call.entry) + " at " + site_of(call) +
           " was made to fail with " + error_text(injection_.error);
}

namespace {

constexpr int exit_nothing_fired = 3;

protocol::Record as_record(const protocol::CheckResult& result) {
    protocol::Record record;
    record.kind = protocol::RecordKind::result;
    record.result = result;
    return record;
}

void take_over(const protocol::CheckResult& result) {
    for (const protocol::Finding& finding : result.findings) {
        running_check().findings.push_back(finding);
        ADD_FAILURE() << finding.diagnosis << ": " << finding.first_line;
    }
}

/// GoogleTest's own failures of the running check; those of before the fork are inherited.
int failures_so_far() {
    const testing::TestResult& result =
        *testing::UnitTest::GetInstance()->current_test_info()->result();
    int failures = 0;
    for (int part = 0; part < result.total_part_count(); ++part) {
        failures += result.GetTestPartResult(part).failed() ? 1 : 0;
    }
    return failures;
}

/// How a run in a process of its own came out.
struct Outcome {
    bool clean = false;  ///< it ended by itself and found nothing
    int exit_status = 0;
};

/// Runs `body`, whose result is the exit status, in a fork; findings are taken over into this
/// process.
Outcome run_in_fork(const std::function<int()>& body) {
    const std::vector<std::byte> ledger = session().save_ledger();
    ChannelPair pair = make_channel_pair();
    const int process = fork();
    if (process == 0) {
        pair.examiner.close();
        running_check().findings.clear();
        running_check().misuses_from = session().last_call();
        const int failures_before = failures_so_far();
        const int status = body();
        protocol::CheckResult result =
            conclude("", failures_so_far() > failures_before, "an assertion of the check failed");
        pair.worker.send(as_record(result));
        _exit(status);
    }
    pair.worker.close();
    protocol::FrameReader reader(pair.examiner.nonce());
    char bytes[4096];
    for (;;) {
        const ssize_t count = read(pair.examiner.descriptor(), bytes, sizeof bytes);
        if (count > 0) {
            reader.feed(std::string_view(bytes, static_cast<std::size_t>(count)));
        } else if (count == 0 || errno != EINTR) {
            break;
        }
    }
    pair.examiner.close();
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    const auto record = reader.next();
    Outcome outcome;
    if (!record || !WIFEXITED(status)) {
        protocol::CheckResult crashed;
        crashed.findings.push_back(story_of_crash(status).finding());
        take_over(crashed);
    } else {
        take_over(record->result);
        outcome.clean = record->result.findings.empty();
        outcome.exit_status = WEXITSTATUS(status);
    }
    session().restore_ledger(ledger);
    return outcome;
}

Outcome run_here(const std::function<int()>& body) {
    const std::size_t findings_before = running_check().findings.size();
    session().clear_last_error();  // what an earlier run left there is not this run's
    Outcome outcome;
    outcome.exit_status = body();
    session().stop_injecting();
    session().clear_last_error();
    outcome.clean = running_check().findings.size() == findings_before;
    return outcome;
}

Outcome run_once(const std::function<int()>& body) {
    return forks_keep_apart() ? run_in_fork(body) : run_here(body);
}

runtime::Injection injection_for(std::uint64_t nth, cudaError_t error,
                                 const SweepOptions& options) {
    runtime::Injection injection;
    injection.nth = nth;
    injection.error = error;
    injection.sticky = error == cudaErrorIllegalAddress;
    // Real failures of an allocation leave null behind; nobody promises it. Each call meets both.
    injection.destination = error == cudaErrorMemoryAllocation
                                ? runtime::Injection::Destination::null
                                : runtime::Injection::Destination::untouched;
    injection.eligible = [error, chosen = options.eligible](runtime::Entry entry) {
        return runtime::can_return(entry, error) && (!chosen || chosen(entry));
    };
    return injection;
}

}  // namespace

bool sweep_failures(const std::function<void(FailureCase&)>& scenario,
                    const SweepOptions& options) {
    const auto run = [&](FailureCase failure) {
        return run_once([&]() {
            scenario(failure);
            return failure.clean() || failure.fired() ? 0 : exit_nothing_fired;
        });
    };
    if (!run(FailureCase(0, {})).clean) {
        return false;
    }
    for (cudaError_t error : options.errors) {
        for (int nth = 1; nth <= options.most_calls; ++nth) {
            const Outcome outcome =
                run(FailureCase(static_cast<std::uint64_t>(nth),
                                injection_for(static_cast<std::uint64_t>(nth), error, options)));
            if (!outcome.clean) {
                return false;
            }
            if (outcome.exit_status == exit_nothing_fired) {
                break;
            }
        }
    }
    return true;
}

bool in_fresh_process(const std::function<void()>& body) {
    return run_once([&]() {
               body();
               return 0;
           })
        .clean;
}

}  // namespace vram::checks
