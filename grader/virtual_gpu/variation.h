// Choices that the documentation leaves open, made by a seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vram::virtual_gpu {

/// Seed 0 makes every choice as the measured H200 does.
class Variation {
  public:
    explicit Variation(std::uint64_t seed = 0);

    std::uint64_t seed() const { return seed_; }
    bool like_hardware() const { return seed_ == 0; }

    enum class Neighbours : std::uint8_t { ascending, descending, far_apart };

    /// Bytes by which every address misses a multiple of 512: 0 or 256.
    std::size_t misalignment() const { return misalignment_; }
    Neighbours neighbours() const { return neighbours_; }
    /// Freed device addresses stay unused for a while.
    bool quarantines_addresses() const { return quarantines_addresses_; }
    bool reuses_handles() const { return reuses_handles_; }
    bool nulls_failed_pointer() const { return nulls_failed_pointer_; }
    bool free_waits() const { return like_hardware(); }
    /// A pool prefers memory that was never used over memory just freed.
    bool pool_prefers_fresh() const { return pool_prefers_fresh_; }
    /// What fresh memory is filled with.
    std::uint8_t garbage() const { return garbage_; }

    /// Pitch in bytes for a row of `row_bytes` bytes; 0 when it would overflow.
    std::size_t pitch_for(std::size_t row_bytes);
    /// A number in [0, bound); 0 for seed 0.
    std::uint64_t pick(std::uint64_t bound);

  private:
    std::uint64_t next();

    std::uint64_t seed_;
    std::uint64_t state_;
    std::size_t misalignment_ = 0;
    Neighbours neighbours_ = Neighbours::ascending;
    bool quarantines_addresses_ = false;
    bool reuses_handles_ = true;
    bool nulls_failed_pointer_ = true;
    bool pool_prefers_fresh_ = false;
    std::uint8_t garbage_ = 0xCD;
};

}  // namespace vram::virtual_gpu
