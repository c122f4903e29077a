#include "grader/virtual_gpu/memory/address_space.h"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace vram::virtual_gpu {
namespace {

/// How far behind a block an address still counts as its overrun.
constexpr std::uint64_t overrun_reach = 1u << 20;

}  // namespace

Block& AddressSpace::add(Block block) {
    const std::unique_lock lock(mutex_);
    clear_freed(block.begin, block.end);
    block.live = true;
    block.id = ++last_id_;
    Block* place = nullptr;
    if (unused_.empty()) {
        place = &blocks_.emplace_back(block);
    } else {
        place = unused_.back();
        unused_.pop_back();
        *place = block;
    }
    live_[block.begin] = place;
    return *place;
}

void AddressSpace::retire(Block& block, CallNumber freed_by) {
    const std::unique_lock lock(mutex_);
    live_.erase(block.begin);
    block.live = false;
    block.freed_by = freed_by;
    clear_freed(block.begin, block.end);
    freed_[block.begin] = {block.end, &block};
    freed_pieces_[&block] = 1;
}

void AddressSpace::forget_range(std::uint64_t begin, std::uint64_t end) {
    const std::unique_lock lock(mutex_);
    clear_freed(begin, end);
}

void AddressSpace::drop_piece(Block* block) {
    const auto pieces = freed_pieces_.find(block);
    if (--pieces->second > 0)
        return;
    freed_pieces_.erase(pieces);
    unused_.push_back(block);
}

void AddressSpace::clear_freed(std::uint64_t begin, std::uint64_t end) {
    auto piece = freed_.upper_bound(begin);
    if (piece != freed_.begin() && std::prev(piece)->second.end > begin)
        --piece;
    while (piece != freed_.end() && piece->first < end) {
        const std::uint64_t piece_begin = piece->first;
        const FreedRange range = piece->second;
        piece = freed_.erase(piece);
        if (piece_begin < begin) {
            freed_[piece_begin] = {begin, range.block};
            ++freed_pieces_[range.block];
        }
        if (range.end > end) {
            freed_[end] = range;
            ++freed_pieces_[range.block];
        }
        drop_piece(range.block);
    }
}

Block* AddressSpace::live_at(std::uint64_t address) const {
    const auto next = live_.upper_bound(address);
    if (next == live_.begin())
        return nullptr;
    Block* block = std::prev(next)->second;
    return block->contains(address) ? block : nullptr;
}

Block* AddressSpace::freed_at(std::uint64_t address) const {
    const auto next = freed_.upper_bound(address);
    if (next == freed_.begin())
        return nullptr;
    const FreedRange& range = std::prev(next)->second;
    return address < range.end ? range.block : nullptr;
}

const Block* AddressSpace::find_unlocked(std::uint64_t address) const {
    const auto next = live_.upper_bound(address);
    Block* before = next == live_.begin() ? nullptr : std::prev(next)->second;
    if (before && before->contains(address))
        return before;
    if (Block* freed = freed_at(address))
        return freed;
    return before && address - before->end < overrun_reach ? before : nullptr;
}

const Block* AddressSpace::find(std::uint64_t address) const {
    // Neighbouring accesses hit the same block; blocks never move.
    thread_local const Block* last = nullptr;
    thread_local const AddressSpace* last_owner = nullptr;
    if (last_owner == this && last && last->live && last->contains(address))
        return last;
    const std::shared_lock lock(mutex_);
    const Block* found = find_unlocked(address);
    last = found;
    last_owner = this;
    return found;
}

const Block* AddressSpace::try_find(std::uint64_t address) const {
    const std::shared_lock lock(mutex_, std::try_to_lock);
    return lock.owns_lock() ? find_unlocked(address) : nullptr;
}

Block* AddressSpace::find_live(std::uint64_t address) const {
    const std::shared_lock lock(mutex_);
    return live_at(address);
}

Block* AddressSpace::find_base(std::uint64_t address) const {
    const std::shared_lock lock(mutex_);
    const auto block = live_.find(address);
    return block == live_.end() ? nullptr : block->second;
}

Block* AddressSpace::next_above(std::uint64_t address, std::uint64_t reach) const {
    const auto next = live_.upper_bound(address);
    return next != live_.end() && next->first - address <= reach ? next->second : nullptr;
}

Block* AddressSpace::find_next(std::uint64_t address, std::uint64_t reach) const {
    const std::shared_lock lock(mutex_);
    return next_above(address, reach);
}

const Block* AddressSpace::try_find_next(std::uint64_t address, std::uint64_t reach) const {
    const std::shared_lock lock(mutex_, std::try_to_lock);
    return lock.owns_lock() ? next_above(address, reach) : nullptr;
}

std::vector<Block*> AddressSpace::live_blocks() const {
    const std::shared_lock lock(mutex_);
    std::vector<Block*> blocks;
    blocks.reserve(live_.size());
    for (const auto& entry : live_)
        blocks.push_back(entry.second);
    return blocks;
}

}  // namespace vram::virtual_gpu
