// The border between the harness and the learner's code, and what the learner's code did.
//
// Everything that a check does itself is harness work: recorded, but never judged. Only what runs
// inside learner() is the learner's.
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "grader/runtime/session.h"

namespace vram::checks {

/// The session with the runtime library. Valid from before main to the end.
runtime::Session& session();
bool on_virtual_gpu();

namespace detail {
class LearnerScope {
  public:
    LearnerScope() { session().enter_learner(); }
    ~LearnerScope() { session().leave_learner(); }
    LearnerScope(const LearnerScope&) = delete;
    LearnerScope& operator=(const LearnerScope&) = delete;
};
void report_exception(const std::string& what);
}  // namespace detail

/// Runs a piece of the learner's code and returns what it returns. An exception that leaves it
/// fails the check ("exception-escaped"); the result is then a value-initialised one.
template <class Function>
auto learner(Function&& function) -> std::invoke_result_t<Function> {
    using Result = std::invoke_result_t<Function>;
    std::string thrown;
    try {
        detail::LearnerScope scope;
        return std::forward<Function>(function)();
    } catch (const std::exception& exception) {
        thrown = exception.what();
    } catch (...) {
        thrown = "an object that is no std::exception";
    }
    detail::report_exception(thrown);
    if constexpr (!std::is_void_v<Result>) {
        return Result{};
    }
}

/// A moment in the ledger, to compare with later.
class Moment {
  public:
    Moment() : call_(session().last_call()) {}
    runtime::CallNumber call() const { return call_; }
    /// The learner's calls since then, oldest first.
    std::vector<runtime::CallRecord> calls() const { return session().calls_after(call_); }
    /// How many of them were `name`, for example count("cudaMalloc").
    int count(const char* name) const;
    int count_allocations() const;
    int count_releases() const;
    /// The learner's allocations made since then that are live now and not excused.
    std::vector<runtime::AllocationRecord> still_live() const;
    /// The learner's streams, events and pools created since then that are live now.
    std::vector<runtime::HandleRecord> handles_still_live() const;

  private:
    runtime::CallNumber call_;
};

/// Every live allocation of the learner.
std::vector<runtime::AllocationRecord> live_allocations();
/// The live learner allocation whose base is `pointer`; id 0 when there is none.
runtime::AllocationRecord allocation_at(const void* pointer);

}  // namespace vram::checks
