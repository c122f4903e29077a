#include "grader/bench/pool/live_map.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace vram::bench {
namespace {

constexpr int neighbours_shown = 3;

std::string line_of(std::uintptr_t arena_begin, const Stretch& stretch) {
    char offset[32];
    std::snprintf(offset, sizeof offset, "+%#-12zx", stretch.begin - arena_begin);
    return std::string(offset) + " " + stretch.name + ", " + bytes_text(stretch.bytes);
}

}  // namespace

std::optional<Stretch> LiveMap::overlapping(const Stretch& stretch) const {
    auto candidate = blocks_.upper_bound(stretch.begin);
    if (candidate != blocks_.begin()) {
        --candidate;
    }
    while (candidate != blocks_.end() && candidate->first < stretch.end()) {
        if (candidate->second.overlaps(stretch)) {
            return candidate->second;
        }
        ++candidate;
    }
    return std::nullopt;
}

std::vector<std::string> LiveMap::picture(const Stretch& arena, const Stretch& stretch) const {
    auto first = blocks_.lower_bound(stretch.begin);
    for (int step = 0; step < neighbours_shown && first != blocks_.begin() &&
                       std::prev(first)->first >= arena.begin;
         ++step) {
        --first;
    }
    auto last = blocks_.lower_bound(stretch.end());
    for (int step = 0;
         step < neighbours_shown && last != blocks_.end() && last->first < arena.end(); ++step) {
        ++last;
    }
    const bool from_the_start = first == blocks_.begin() || std::prev(first)->first < arena.begin;
    const bool to_the_end = last == blocks_.end() || last->first >= arena.end();

    std::vector<std::string> lines;
    if (!from_the_start) {
        lines.push_back("...");
    }
    std::uintptr_t reached = from_the_start ? arena.begin : first->first;
    const auto gap_up_to = [&](std::uintptr_t next) {
        if (next > reached) {
            lines.push_back(line_of(arena.begin, {reached, next - reached, "free"}));
        }
    };
    bool marked = false;
    const auto mark = [&] {
        lines.push_back(line_of(arena.begin, stretch) + "  <--");
        marked = true;
    };
    for (auto block = first; block != last; ++block) {
        if (!marked && block->first >= stretch.begin) {
            gap_up_to(std::min(block->first, stretch.begin));
            mark();
            reached = std::max(reached, stretch.end());
        }
        if (block->first == stretch.begin && block->second.bytes == stretch.bytes &&
            block->second.name == stretch.name) {
            continue;
        }
        gap_up_to(block->first);
        lines.push_back(line_of(arena.begin, block->second));
        reached = std::max(reached, block->second.end());
    }
    if (!marked) {
        gap_up_to(stretch.begin);
        mark();
        reached = std::max(reached, stretch.end());
    }
    if (to_the_end) {
        gap_up_to(arena.end());
    } else {
        lines.push_back("...");
    }
    return lines;
}

std::string bytes_text(std::size_t bytes) {
    constexpr const char* names[] = {"bytes", "KiB", "MiB", "GiB"};
    std::size_t unit = 1;
    int name = 0;
    while (name < 3 && bytes >= unit * 1024) {
        unit *= 1024;
        ++name;
    }
    if (bytes == 1) {
        return "1 byte";
    }
    char text[48];
    if (bytes % unit == 0) {
        std::snprintf(text, sizeof text, "%zu %s", bytes / unit, names[name]);
    } else {
        std::snprintf(text, sizeof text, "%.1f %s",
                      static_cast<double>(bytes) / static_cast<double>(unit), names[name]);
    }
    return text;
}

std::string address_text(std::uintptr_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%zx", address);
    return text;
}

}  // namespace vram::bench
