#include "grader/runtime/address_index.h"

#include <cstddef>
#include <iterator>

namespace vram::runtime {
namespace {

constexpr std::size_t max_freed_blocks = std::size_t{1} << 20;

const IndexedBlock* at_or_below(const AddressIndex::Blocks& blocks, std::uint64_t address) {
    auto above = blocks.upper_bound(address);
    return above == blocks.begin() ? nullptr : &std::prev(above)->second;
}

}  // namespace

void AddressIndex::make_room(std::uint64_t begin, std::uint64_t end) {
    auto at = freed_.lower_bound(begin);
    if (at != freed_.begin()) {
        IndexedBlock& before = std::prev(at)->second;
        if (before.end > end) {
            IndexedBlock rest = before;
            rest.begin = end;
            freed_[end] = rest;
        }
        if (before.end > begin) {
            before.end = begin;
        }
    }
    while (at != freed_.end() && at->first < end) {
        IndexedBlock cut = at->second;
        at = freed_.erase(at);
        if (cut.end > end) {
            cut.begin = end;
            freed_[end] = cut;
            break;
        }
    }
}

void AddressIndex::add_freed(const IndexedBlock& block) {
    if (freed_.size() >= max_freed_blocks) {
        freed_.clear();
        forgot_freed_ = true;
    }
    make_room(block.begin, block.end);
    freed_[block.begin] = block;
}

void AddressIndex::clear() {
    live_.clear();
    freed_.clear();
    forgot_freed_ = false;
}

const IndexedBlock* AddressIndex::live_at_or_below(std::uint64_t address) const {
    return at_or_below(live_, address);
}

const IndexedBlock* AddressIndex::live_from(std::uint64_t base) const {
    auto found = live_.find(base);
    return found == live_.end() ? nullptr : &found->second;
}

const IndexedBlock* AddressIndex::live_overlapping(std::uint64_t begin, std::uint64_t end) const {
    const IndexedBlock* below = at_or_below(live_, end - 1);
    return below != nullptr && below->end > begin ? below : nullptr;
}

const IndexedBlock* AddressIndex::freed_containing(std::uint64_t address) const {
    const IndexedBlock* below = at_or_below(freed_, address);
    return below != nullptr && below->contains(address) ? below : nullptr;
}

}  // namespace vram::runtime
