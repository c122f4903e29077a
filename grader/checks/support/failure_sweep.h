// Makes each runtime call of a scenario fail in turn, and judges each run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/checks/support/learner.h"

namespace vram::checks {

/// One run of a sweep. The scenario arms it just before the learner code whose calls are to fail.
class FailureCase {
  public:
    FailureCase(std::uint64_t nth, runtime::Injection injection)
        : nth_(nth), injection_(std::move(injection)) {}

    /// From here on the chosen call fails. In the clean run of a sweep nothing fails.
    void arm();
    /// Stops failing calls; returns whether one was made to fail. The scenario calls it as soon as
    /// the learner code returned.
    bool disarm();

    bool clean() const { return nth_ == 0; }
    bool fired() const { return fired_; }
    bool sticky() const { return injection_.sticky; }
    cudaError_t error() const { return injection_.error; }
    /// The call that was made to fail; number 0 when none was.
    runtime::CallRecord failed_call() const;
    /// "when cudaMemcpy (call 3) was made to fail with cudaErrorInvalidValue".
    std::string condition() const;

  private:
    std::uint64_t nth_;
    runtime::Injection injection_;
    bool fired_ = false;
};

struct SweepOptions {
    /// The codes to try, each only on calls that can return it; 700 is tried as a sticky error.
    std::vector<cudaError_t> errors = {cudaErrorMemoryAllocation, cudaErrorInvalidValue,
                                       cudaErrorNotSupported, cudaErrorIllegalAddress};
    /// Which calls to make fail; empty: every one that can return an error.
    std::function<bool(runtime::Entry)> eligible;
    /// Ends a sweep over a scenario that makes calls without end.
    int most_calls = 200;
};

/// Runs `scenario` once without a failure, then once for each call and code, until no call is left.
/// Each run happens in a process of its own on the virtual GPU (so that statics are fresh), and in
/// this one on a GPU, where statics of the learner's file live on. The sweep ends with the first run that
/// fails the check; its story says which call had been made to fail. Returns whether all runs
/// passed.
bool sweep_failures(const std::function<void(FailureCase&)>& scenario,
                    const SweepOptions& options = {});

/// Runs `body` in a process of its own on the virtual GPU, in this one on a GPU; findings come
/// back. A crash in it fails the check as "crashed". Returns whether nothing was found.
bool in_fresh_process(const std::function<void()>& body);

}  // namespace vram::checks
