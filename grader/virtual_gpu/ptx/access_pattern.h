// How the addresses of a warp's access lie to each other, remembered from one execution to the next.
//
// A memory instruction mostly repeats its pattern at another place. What follows from the pattern
// alone (how far it reaches, how many sectors or waves it takes, which bytes it covers) is worked
// out once.
#pragma once

#include <array>
#include <cstdint>

namespace vram::virtual_gpu::ptx {

struct AccessPattern {
    static constexpr int lanes = 32;

    struct Span {
        std::int64_t begin;
        std::int64_t end;
    };

    /// Bytes from the lowest active lane's address; 0 for lanes that are not active.
    alignas(32) std::array<std::uint64_t, lanes> relative;
    /// The same in the 32 bits that offsets in shared memory have; unspecified for global memory.
    alignas(32) std::array<std::uint32_t, lanes> relative_offsets;
    std::uint32_t mask = 0;   ///< 0: nothing is remembered
    std::uint32_t phase = 0;  ///< the lowest active lane's address modulo `period`
    unsigned size = 0;
    bool shared = false;
    std::int64_t lowest = 0;     ///< relative
    std::int64_t end = 0;        ///< relative, one past the last byte
    std::uint64_t low_bits = 0;  ///< set if set in any relative address
    std::uint32_t cost = 0;      ///< sectors, or waves of shared memory
    std::uint64_t bytes = 0;     ///< of all active lanes together
    int span_count = 0;
    std::array<Span, lanes> spans;  ///< bytes covered, ascending and apart

    /// Moving a pattern by this many bytes changes no cost: banks of shared memory only swap places.
    static constexpr std::uint32_t period(bool shared) { return shared ? 4 : 32; }

    bool is_for(std::uint32_t wanted_mask, std::uint32_t wanted_phase, unsigned wanted_size,
                bool wanted_shared) const {
        return mask == wanted_mask && phase == wanted_phase && size == wanted_size &&
               shared == wanted_shared;
    }
    /// Works everything out from `relative` and the four properties above.
    void analyse();

  private:
    std::uint32_t count_sectors() const;
    std::uint32_t count_waves() const;
    void find_spans();
};

}  // namespace vram::virtual_gpu::ptx
