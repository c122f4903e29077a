// Notices that a launch takes long, and says so now and then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace vram::virtual_gpu::ptx {

/// Shared by the workers of one launch.
class LongRun {
  public:
    using Clock = std::chrono::steady_clock;

    LongRun(const std::string& kernel, std::uint64_t instruction_limit)
        : kernel_(kernel), instruction_limit_(instruction_limit) {}

    /// Warp instructions that a worker runs before it calls advance() again.
    static constexpr std::uint64_t stride = std::uint64_t{1} << 22;
    /// A worker has run `stride` more. Tells the observer after three seconds, and again whenever
    /// the time has doubled.
    void advance(Clock::time_point now = Clock::now());

  private:
    const std::string& kernel_;
    const std::uint64_t instruction_limit_;
    /// Of the first advance(): short launches, which are most, don't look at the clock.
    std::atomic<Clock::rep> start_{0};
    std::atomic<std::uint64_t> instructions_{0};
    std::atomic<std::int64_t> next_word_seconds_{3};
};

}  // namespace vram::virtual_gpu::ptx
