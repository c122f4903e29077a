#include "grader/virtual_gpu/variation.h"

#include <limits>

namespace vram::virtual_gpu {

Variation::Variation(std::uint64_t seed) : seed_(seed), state_(seed) {
    if (like_hardware())
        return;
    misalignment_ = 256;
    neighbours_ = static_cast<Neighbours>(pick(3));
    quarantines_addresses_ = pick(2) == 1;
    reuses_handles_ = pick(4) != 0;
    nulls_failed_pointer_ = pick(2) == 1;
    pool_prefers_fresh_ = pick(2) == 1;
    garbage_ = static_cast<std::uint8_t>(0x81 + pick(0x7E));
}

// SplitMix64: every seed gives a full-length sequence of its own.
std::uint64_t Variation::next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

std::uint64_t Variation::pick(std::uint64_t bound) {
    return like_hardware() || bound == 0 ? 0 : next() % bound;
}

std::size_t Variation::pitch_for(std::size_t row_bytes) {
    const std::size_t step = like_hardware() ? 512 : 256;
    const std::size_t extra = like_hardware() ? 0 : step * (1 + pick(5));
    if (row_bytes > std::numeric_limits<std::size_t>::max() - step - extra)
        return 0;
    return (row_bytes + step - 1) / step * step + extra;
}

}  // namespace vram::virtual_gpu
