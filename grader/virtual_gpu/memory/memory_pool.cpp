#include "grader/virtual_gpu/memory/memory_pool.h"

#include <algorithm>
#include <iterator>

namespace vram::virtual_gpu {
namespace {

std::size_t room_in_pool(std::size_t bytes) {
    return round_up(bytes, block_granularity);
}

}  // namespace

MemoryPool::~MemoryPool() {
    for (Block* block : live_blocks())
        memory_.retire_block(*block, 0);
    for (auto& [address, piece] : pieces_)
        if (piece.block)
            memory_.retire_block(*piece.block, piece.freed_by);
    for (const auto& [address, bytes] : segments_)
        memory_.unreserve(address, bytes);
}

std::vector<Block*> MemoryPool::live_blocks() const {
    std::vector<Block*> blocks;
    for (const auto& entry : live_)
        blocks.push_back(entry.second);
    return blocks;
}

bool MemoryPool::owns(std::uint64_t address) const {
    return live_.count(address) != 0;
}

std::optional<MemoryPool::Placed> MemoryPool::place(std::size_t bytes, const VectorClock& clock) {
    if (bytes > memory_.total())
        return std::nullopt;
    const std::size_t room = room_in_pool(bytes);
    Placed placed;
    auto piece = choose(room, clock);
    if (piece == pieces_.end()) {
        if (!grow(room))
            return std::nullopt;
        placed.reserved_more = round_up(room, pool_step);
        piece = choose(room, clock);
    }
    placed.address = piece->first;
    placed.reused_unsettled = piece->second.block != nullptr;
    return placed;
}

Block& MemoryPool::add_block(std::uint64_t address, std::size_t bytes, CallNumber call) {
    const auto piece = pieces_.find(address);
    const Free taken = piece->second;
    pieces_.erase(piece);
    if (taken.block)
        memory_.retire_block(*taken.block, taken.freed_by);
    const std::size_t room = room_in_pool(bytes);
    if (taken.bytes > room) {
        Free rest = taken;
        rest.bytes = taken.bytes - room;
        rest.block = nullptr;
        pieces_[address + room] = rest;
    }
    Block& block = memory_.add_block(address, bytes, MemoryKind::device_async, call);
    live_[address] = &block;
    used_ += bytes;
    used_high_ = std::max(used_high_, used_);
    return block;
}

MemoryPool::Pieces::iterator MemoryPool::choose(std::size_t bytes, const VectorClock& clock) {
    auto best = pieces_.end();
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
        const Free& candidate = piece->second;
        if (candidate.bytes < bytes || !clock.covers(candidate.freed))
            continue;
        if (best == pieces_.end()) {
            best = piece;
            continue;
        }
        const bool prefers_this = variation_.pool_prefers_fresh()
                                      ? candidate.bytes > best->second.bytes
                                      : candidate.bytes < best->second.bytes;
        if (prefers_this)
            best = piece;
    }
    return best;
}

bool MemoryPool::grow(std::size_t bytes) {
    const std::size_t step = round_up(bytes, pool_step);
    const auto segment = memory_.reserve(step);
    if (!segment)
        return false;
    segments_[*segment] = step;
    pieces_[*segment] = Free{step, {}, nullptr, 0, false};
    reserved_ += step;
    reserved_high_ = std::max(reserved_high_, reserved_);
    return true;
}

void MemoryPool::release(Block& block, Epoch freed, CallNumber call) {
    const std::size_t bytes = block.end - block.begin;
    live_.erase(block.begin);
    used_ -= bytes;
    pieces_[block.begin] = Free{room_in_pool(bytes), freed, &block, call, true};
}

void MemoryPool::release_behind_its_back(Block& block, CallNumber call) {
    const std::size_t bytes = block.end - block.begin;
    release(block, Epoch{}, call);
    used_ += bytes;
    never_returned_ += bytes;
}

bool MemoryPool::can_settle(const VectorClock& host) const {
    for (const auto& [address, piece] : pieces_)
        if (piece.block && host.covers(piece.freed))
            return true;
    return reserved_ > threshold && used_ == never_returned_;
}

bool MemoryPool::waits_for_frees() const {
    return std::any_of(pieces_.begin(), pieces_.end(),
                       [](const auto& entry) { return entry.second.block != nullptr; });
}

std::size_t MemoryPool::settle(const VectorClock& host) {
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
        if (!host.covers(piece->second.freed))
            continue;
        piece->second.freed = {};
        if (piece->second.block)
            memory_.retire_block(*piece->second.block, piece->second.freed_by);
        piece->second.block = nullptr;
    }
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece)
        merge_around(piece);
    return return_unused_segments(threshold);
}

/// Joins a settled piece with the settled ones that follow it in the same segment.
void MemoryPool::merge_around(Pieces::iterator piece) {
    const auto settled = [](const Free& free) { return free.freed.tick == 0 && !free.block; };
    if (!settled(piece->second))
        return;
    for (auto next = std::next(piece); next != pieces_.end(); next = std::next(piece)) {
        const bool adjacent = piece->first + piece->second.bytes == next->first;
        if (!adjacent || !settled(next->second) || segments_.count(next->first))
            return;
        piece->second.bytes += next->second.bytes;
        pieces_.erase(next);
    }
}

std::size_t MemoryPool::trim(std::size_t keep) {
    return return_unused_segments(keep);
}

std::size_t MemoryPool::return_unused_segments(std::size_t keep) {
    std::size_t returned = 0;
    for (auto segment = segments_.begin(); segment != segments_.end() && reserved_ > keep;) {
        const auto [address, bytes] = *segment;
        const auto piece = pieces_.find(address);
        const bool unused = piece != pieces_.end() && piece->second.bytes == bytes &&
                            piece->second.freed.tick == 0 && !piece->second.block;
        if (!unused) {
            ++segment;
            continue;
        }
        pieces_.erase(piece);
        segment = segments_.erase(segment);
        memory_.unreserve(address, bytes);
        reserved_ -= bytes;
        returned += bytes;
    }
    return returned;
}

}  // namespace vram::virtual_gpu
