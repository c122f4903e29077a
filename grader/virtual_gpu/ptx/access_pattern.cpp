#include "grader/virtual_gpu/ptx/access_pattern.h"

#include <algorithm>
#include <limits>

#include "grader/virtual_gpu/ptx/operations/active_lanes.h"

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::int64_t sector_bytes = 32;
constexpr std::int64_t word_bytes = 4;
constexpr int banks = 32;

/// The number of distinct values.
template <std::size_t most>
class DistinctValues {
  public:
    void add(std::int64_t value) { values_[count_++] = value; }
    std::uint32_t count() {
        std::sort(values_.begin(), values_.begin() + count_);
        return static_cast<std::uint32_t>(std::unique(values_.begin(), values_.begin() + count_) -
                                          values_.begin());
    }

  private:
    std::array<std::int64_t, most> values_;
    std::size_t count_ = 0;
};

}  // namespace

void AccessPattern::analyse() {
    lowest = std::numeric_limits<std::int64_t>::max();
    end = std::numeric_limits<std::int64_t>::min();
    low_bits = 0;
    for (int lane : ActiveLanes{mask}) {
        const auto at = static_cast<std::int64_t>(relative[lane]);
        lowest = std::min(lowest, at);
        end = std::max(end, at + static_cast<std::int64_t>(size));
        low_bits |= relative[lane];
    }
    bytes = std::uint64_t{size} * count_lanes(mask);
    find_spans();
    cost = shared ? count_waves() : count_sectors();
}

std::uint32_t AccessPattern::count_sectors() const {
    std::int64_t sectors = 0;
    std::int64_t next = std::numeric_limits<std::int64_t>::min();  // those before it are counted
    for (int index = 0; index < span_count; ++index) {
        // Addresses are relative and may be negative; the shift keeps quotients ordered.
        const std::int64_t first = (spans[index].begin + phase) >> 5;
        const std::int64_t last = (spans[index].end - 1 + phase) >> 5;
        sectors += std::max<std::int64_t>(0, last + 1 - std::max(first, next));
        next = last + 1;
    }
    static_assert(sector_bytes == 1 << 5);
    return static_cast<std::uint32_t>(sectors);
}

std::uint32_t AccessPattern::count_waves() const {
    // Wide accesses are served in parts: 16 lanes at a time for 8 bytes, 8 lanes for 16 bytes.
    const int lanes_at_once = size <= 4 ? 32 : size == 8 ? 16 : 8;
    const int words_each = static_cast<int>((size + word_bytes - 1) / word_bytes);
    std::uint32_t waves = 0;
    for (int begin = 0; begin < lanes; begin += lanes_at_once) {
        std::array<DistinctValues<lanes * 4>, banks> words;
        for (int lane = begin; lane < begin + lanes_at_once; ++lane) {
            if (((mask >> lane) & 1u) == 0) {
                continue;
            }
            const std::int64_t first = (static_cast<std::int64_t>(relative[lane]) + phase) >> 2;
            for (std::int64_t word = first; word < first + words_each; ++word) {
                words[static_cast<std::size_t>(word & (banks - 1))].add(word);
            }
        }
        std::uint32_t most = 0;
        for (auto& bank : words) {
            most = std::max(most, bank.count());
        }
        waves += most;
    }
    return waves;
}

void AccessPattern::find_spans() {
    span_count = 0;
    for (int lane : ActiveLanes{mask}) {
        const auto at = static_cast<std::int64_t>(relative[lane]);
        spans[span_count++] = {at, at + static_cast<std::int64_t>(size)};
    }
    const auto is_before = [](const Span& a, const Span& b) { return a.begin < b.begin; };
    if (!std::is_sorted(spans.begin(), spans.begin() + span_count, is_before)) {
        std::sort(spans.begin(), spans.begin() + span_count, is_before);
    }
    int last = 0;
    for (int index = 1; index < span_count; ++index) {
        if (spans[index].begin <= spans[last].end) {
            spans[last].end = std::max(spans[last].end, spans[index].end);
        } else {
            spans[++last] = spans[index];
        }
    }
    span_count = last + 1;
}

}  // namespace vram::virtual_gpu::ptx
