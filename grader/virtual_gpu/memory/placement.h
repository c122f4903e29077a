// Where device allocations go, and how much of the card they take.
//
// As on hardware, memory is mapped in chunks of 2 MiB. Blocks of up to 1 MiB share chunks; a larger
// one starts chunks of its own, at fresh addresses if no hole of the address range fits. Free
// memory is counted in whole chunks, and a chunk comes back when nothing in it lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "grader/virtual_gpu/variation.h"

namespace vram::virtual_gpu {

constexpr std::size_t chunk_bytes = std::size_t{2} << 20;
constexpr std::size_t largest_shared_block = std::size_t{1} << 20;
constexpr std::size_t block_granularity = 512;

constexpr std::size_t round_up(std::size_t bytes, std::size_t step) {
    return (bytes + step - 1) / step * step;
}

class Placement {
  public:
    /// Places blocks in [begin, end), at most `capacity` bytes at a time.
    Placement(std::uint64_t begin, std::uint64_t end, std::size_t capacity, Variation& variation);

    /// The address of a new block of `bytes` > 0, or nullopt when the card is full.
    std::optional<std::uint64_t> place(std::size_t bytes);
    /// Gives back what place(bytes) returned.
    void release(std::uint64_t address, std::size_t bytes);

    /// Bytes of the card that are taken, in whole chunks.
    std::size_t taken() const;
    std::size_t available() const { return capacity_ - taken(); }
    /// True when the next place(bytes) maps no new chunk.
    bool fits_mapped_chunk(std::size_t bytes) const;

  private:
    /// Free ranges of one arena, by address and by size.
    class Holes {
      public:
        void add(std::uint64_t address, std::size_t bytes);
        void remove(std::uint64_t address);
        /// Lowest of the smallest holes that hold `bytes`; nullopt when none does.
        std::optional<std::pair<std::uint64_t, std::size_t>> best_fit(std::size_t bytes) const;
        const std::map<std::uint64_t, std::size_t>& by_address() const { return by_address_; }

      private:
        std::map<std::uint64_t, std::size_t> by_address_;
        std::set<std::pair<std::size_t, std::uint64_t>> by_size_;
    };

    std::optional<std::uint64_t> place_shared(std::size_t bytes);
    std::optional<std::uint64_t> place_alone(std::size_t bytes);
    std::uint64_t carve(Holes& holes, std::uint64_t hole, std::size_t hole_bytes,
                        std::size_t bytes);
    std::optional<std::uint64_t> take_addresses(std::size_t bytes);
    void give_back_addresses(std::uint64_t address, std::size_t bytes);
    void retire_addresses(std::uint64_t address, std::size_t bytes);
    void return_to_chunk(std::uint64_t address, std::size_t bytes);
    std::uint64_t chunk_of(std::uint64_t address) const;
    void quarantine(std::uint64_t address, std::size_t bytes);
    void end_quarantine_in(std::uint64_t chunk);
    bool end_oldest_quarantine();

    std::uint64_t begin_;
    std::uint64_t end_;
    std::size_t capacity_;
    Variation& variation_;
    Holes addresses_;  ///< unmapped addresses, multiples of a chunk
    Holes shared_;     ///< free parts of shared chunks
    /// Blocks far apart from all others, with the stretch of addresses that each has for itself.
    std::unordered_map<std::uint64_t, std::pair<std::uint64_t, std::size_t>> spread_;
    std::unordered_map<std::uint64_t, std::size_t> live_in_chunk_;  ///< blocks, shared chunks only
    std::size_t shared_chunks_ = 0;
    std::size_t spread_bytes_ = 0;
    std::size_t alone_bytes_ = 0;
    using Range = std::pair<std::uint64_t, std::size_t>;
    std::deque<Range> quarantined_;        ///< freed blocks of shared chunks, oldest first
    std::deque<Range> retired_addresses_;  ///< unmapped addresses not used again yet, oldest first
};

}  // namespace vram::virtual_gpu
