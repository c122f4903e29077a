#include "grader/virtual_gpu/ptx/touched_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace vram::virtual_gpu::ptx {
namespace {

constexpr std::size_t bits_bytes = TouchedChunk::bytes / 8;

}  // namespace

TouchedChunk::Bits TouchedChunk::new_bits() {
    void* bits = mmap(nullptr, bits_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bits == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(bits, bits_bytes, MADV_NOHUGEPAGE);  // a huge page would hold many chunks
    return Bits(static_cast<std::uint64_t*>(bits));
}

void TouchedChunk::Release::operator()(std::uint64_t* bits) const {
    munmap(bits, bits_bytes);
}

void TouchedChunk::merge(const TouchedChunk& other) {
    for (std::size_t page = 0; page < used_.size(); ++page) {
        used_[page] = used_[page] || other.used_[page];
    }
    other.for_each_word(
        [this](std::uint64_t offset, std::uint64_t bits) { bits_[offset / 64] |= bits; });
}

void TouchedChunk::clear() {
    for (std::size_t page = 0; page < used_.size(); ++page) {
        if (used_[page]) {
            std::fill_n(bits_.get() + page * page_words, page_words, 0);
        }
    }
    used_.fill(false);
}

TouchedChunk* TouchedBytes::chunk(std::uint64_t address) {
    const std::uint64_t number = address / TouchedChunk::bytes;
    Recent& recent = recent_[number % recent_count];
    if (number == recent.number) {
        return recent.chunk;
    }
    std::unique_ptr<TouchedChunk>& chunk = chunks_[number];
    if (!chunk) {
        if (spare_.empty()) {
            chunk = std::make_unique<TouchedChunk>();
        } else {
            chunk = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    recent = {number, chunk.get()};
    return recent.chunk;
}

void TouchedBytes::mark(std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
        const std::uint64_t chunk_end = (begin / TouchedChunk::bytes + 1) * TouchedChunk::bytes;
        const std::uint64_t part_end = std::min(end, chunk_end);
        chunk(begin)->mark(begin, part_end);
        begin = part_end;
    }
}

void TouchedBytes::merge(const TouchedBytes& other) {
    for (const auto& [number, theirs] : other.chunks_) {
        chunk(number * TouchedChunk::bytes)->merge(*theirs);
    }
}

namespace {

/// Collects runs of set bits that come in ascending order.
class RangeBuilder {
  public:
    void add(std::uint64_t begin, std::uint64_t end) {
        if (!ranges_.empty() && ranges_.back().end == begin) {
            ranges_.back().end = end;
        } else {
            ranges_.push_back({begin, end});
        }
    }

    void add_word(std::uint64_t base, std::uint64_t bits) {
        if (bits == ~std::uint64_t{0}) {
            add(base, base + 64);
            return;
        }
        while (bits != 0) {
            const int begin = __builtin_ctzll(bits);
            const std::uint64_t rest = ~(bits >> begin);
            const int length = rest == 0 ? 64 : __builtin_ctzll(rest);
            add(base + begin, base + begin + length);
            if (begin + length >= 64) {
                return;
            }
            bits &= ~std::uint64_t{0} << (begin + length);
        }
    }

    std::vector<TouchedRange> take() { return std::move(ranges_); }

  private:
    std::vector<TouchedRange> ranges_;
};

}  // namespace

std::vector<TouchedRange> TouchedBytes::ranges() const {
    std::vector<std::pair<std::uint64_t, const TouchedChunk*>> ordered;
    ordered.reserve(chunks_.size());
    for (const auto& [number, chunk] : chunks_) {
        ordered.emplace_back(number, chunk.get());
    }
    std::sort(ordered.begin(), ordered.end());
    RangeBuilder builder;
    for (const auto& [number, chunk] : ordered) {
        const std::uint64_t base = number * TouchedChunk::bytes;
        chunk->for_each_word([&](std::uint64_t offset, std::uint64_t bits) {
            builder.add_word(base + offset, bits);
        });
    }
    return builder.take();
}

void TouchedBytes::clear() {
    constexpr std::size_t most_spare_chunks = 64;
    for (auto& [number, chunk] : chunks_) {
        if (spare_.size() < most_spare_chunks) {
            chunk->clear();
            spare_.push_back(std::move(chunk));
        }
    }
    chunks_.clear();
    recent_.fill({});
}

}  // namespace vram::virtual_gpu::ptx
