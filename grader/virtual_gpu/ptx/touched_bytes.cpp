#include "grader/virtual_gpu/ptx/touched_bytes.h"

#include <algorithm>

namespace vram::virtual_gpu::ptx {

void TouchedPage::mark(std::uint64_t begin, std::uint64_t end) {
    begin %= bytes;
    const std::uint64_t last = (end - 1) % bytes;
    const std::uint64_t first_mask = ~std::uint64_t{0} << (begin % 64);
    const std::uint64_t last_mask = ~std::uint64_t{0} >> (63 - last % 64);
    std::size_t word = begin / 64;
    if (word == last / 64) {
        bits[word] |= first_mask & last_mask;
        return;
    }
    bits[word] |= first_mask;
    for (++word; word < last / 64; ++word) {
        bits[word] = ~std::uint64_t{0};
    }
    bits[word] |= last_mask;
}

TouchedPage* TouchedBytes::page(std::uint64_t address) {
    const std::uint64_t number = address / TouchedPage::bytes;
    Recent& recent = recent_[number % recent_count];
    if (number == recent.number) {
        return recent.page;
    }
    std::unique_ptr<TouchedPage>& page = pages_[number];
    if (!page) {
        if (spare_.empty()) {
            page = std::make_unique<TouchedPage>();
        } else {
            page = std::move(spare_.back());
            spare_.pop_back();
        }
        page->bits.fill(0);
    }
    recent = {number, page.get()};
    return recent.page;
}

void TouchedBytes::mark(std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
        const std::uint64_t page_end = (begin / TouchedPage::bytes + 1) * TouchedPage::bytes;
        const std::uint64_t part_end = std::min(end, page_end);
        page(begin)->mark(begin, part_end);
        begin = part_end;
    }
}

void TouchedBytes::merge(const TouchedBytes& other) {
    for (const auto& [number, theirs] : other.pages_) {
        TouchedPage* ours = page(number * TouchedPage::bytes);
        for (std::size_t word = 0; word < ours->bits.size(); ++word) {
            ours->bits[word] |= theirs->bits[word];
        }
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
    std::vector<std::pair<std::uint64_t, const TouchedPage*>> ordered;
    ordered.reserve(pages_.size());
    for (const auto& [number, page] : pages_) {
        ordered.emplace_back(number, page.get());
    }
    std::sort(ordered.begin(), ordered.end());
    RangeBuilder builder;
    for (const auto& [number, page] : ordered) {
        for (std::size_t word = 0; word < page->bits.size(); ++word) {
            if (page->bits[word] != 0) {
                builder.add_word(number * TouchedPage::bytes + word * 64, page->bits[word]);
            }
        }
    }
    return builder.take();
}

void TouchedBytes::clear() {
    constexpr std::size_t most_spare_pages = 4096;
    for (auto& [number, page] : pages_) {
        if (spare_.size() < most_spare_pages) {
            spare_.push_back(std::move(page));
        }
    }
    pages_.clear();
    recent_.fill({});
}

}  // namespace vram::virtual_gpu::ptx
