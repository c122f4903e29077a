// Failure injection: which of the program's calls fail on purpose.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "grader/runtime/session.h"

namespace vram::runtime {

class Injector {
  public:
    void start(const Injection& injection);
    void stop();
    /// Counts a call of the program; the error that it shall fail with, if it is to fail.
    /// `bytes`: what an allocating call asks for, 0 for others.
    std::optional<cudaError_t> decide(Entry entry, CallNumber call, std::size_t bytes);
    bool active() const { return active_.load(std::memory_order_relaxed); }
    /// What a failed allocating call leaves behind.
    Injection::Destination destination();

    std::uint64_t fired();
    CallNumber first_fired();
    std::uint64_t eligible_calls();

    std::mutex& mutex() { return mutex_; }

  private:
    bool counts(Entry entry, std::size_t bytes) const;

    std::mutex mutex_;
    std::atomic<bool> active_{false};
    Injection injection_;
    std::uint64_t eligible_calls_ = 0;
    std::uint64_t fired_ = 0;
    CallNumber first_fired_ = 0;
};

}  // namespace vram::runtime
