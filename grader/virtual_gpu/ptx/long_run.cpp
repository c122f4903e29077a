#include "grader/virtual_gpu/ptx/long_run.h"

#include "grader/virtual_gpu/observer.h"

namespace vram::virtual_gpu::ptx {

void LongRun::advance(Clock::time_point now) {
    const std::uint64_t instructions = instructions_ += stride;
    Clock::rep start = 0;
    if (start_.compare_exchange_strong(start, now.time_since_epoch().count())) {
        return;
    }
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch() -
                                                                         Clock::duration(start));
    std::int64_t due = next_word_seconds_;
    if (passed.count() < due ||
        !next_word_seconds_.compare_exchange_strong(due, 2 * passed.count())) {
        return;
    }
    observer().on_long_kernel(
        {kernel_, static_cast<std::uint64_t>(passed.count()), instructions, instruction_limit_});
}

}  // namespace vram::virtual_gpu::ptx
