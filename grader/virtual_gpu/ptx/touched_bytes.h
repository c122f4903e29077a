// The set of bytes that a launch touched: exact, merged, and cheap to add to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/ptx/kernel_execution.h"

namespace vram::virtual_gpu::ptx {

/// One bit for each byte of a megabyte of addresses, and which pages of it are in use at all: only
/// those are ever looked at again.
class TouchedChunk {
  public:
    static constexpr std::uint64_t bytes = 1 << 20;

    /// Both ends lie in the chunk.
    void mark(std::uint64_t begin, std::uint64_t end) {
        begin %= bytes;
        const std::uint64_t last = (end - 1) % bytes;
        used_[begin / page_bytes] = true;
        for (std::uint64_t page = begin / page_bytes + 1; page <= last / page_bytes; ++page) {
            used_[page] = true;
        }
        const std::uint64_t first_mask = ~std::uint64_t{0} << (begin % 64);
        const std::uint64_t last_mask = ~std::uint64_t{0} >> (63 - last % 64);
        std::size_t word = begin / 64;
        if (word == last / 64) {
            bits_[word] |= first_mask & last_mask;
            return;
        }
        bits_[word] |= first_mask;
        for (++word; word < last / 64; ++word) {
            bits_[word] = ~std::uint64_t{0};
        }
        bits_[word] |= last_mask;
    }
    void fetch(std::uint64_t address) const { __builtin_prefetch(&bits_[address % bytes / 64]); }
    void merge(const TouchedChunk& other);
    void clear();
    /// Calls `visit(offset, bits)` for each 64 bytes of which some are touched, in order.
    template <class Visit>
    void for_each_word(Visit visit) const {
        for (std::size_t page = 0; page < used_.size(); ++page) {
            if (!used_[page]) {
                continue;
            }
            for (std::size_t word = page * page_words; word < (page + 1) * page_words; ++word) {
                if (bits_[word] != 0) {
                    visit(word * 64, bits_[word]);
                }
            }
        }
    }

  private:
    static constexpr std::uint64_t page_bytes = 4096;
    static constexpr std::size_t page_words = page_bytes / 64;

    /// Fresh pages, so that a kernel which touches a little in many places needs only the memory of
    /// those places.
    struct Release {
        void operator()(std::uint64_t* bits) const;
    };
    using Bits = std::unique_ptr<std::uint64_t[], Release>;
    static Bits new_bits();

    Bits bits_ = new_bits();
    std::array<bool, bytes / page_bytes> used_{};
};

class TouchedBytes {
  public:
    /// The chunk that holds `address`; valid until `clear`.
    TouchedChunk* chunk(std::uint64_t address);
    void mark(std::uint64_t begin, std::uint64_t end);
    void merge(const TouchedBytes& other);
    std::vector<TouchedRange> ranges() const;
    void clear();

  private:
    std::unordered_map<std::uint64_t, std::unique_ptr<TouchedChunk>> chunks_;
    std::vector<std::unique_ptr<TouchedChunk>> spare_;  ///< nothing is marked in them
    struct Recent {
        std::uint64_t number = ~std::uint64_t{0};
        TouchedChunk* chunk = nullptr;
    };
    static constexpr std::size_t recent_count = 64;
    std::array<Recent, recent_count> recent_;  ///< by chunk number modulo their count
};

}  // namespace vram::virtual_gpu::ptx
