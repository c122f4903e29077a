#include "grader/virtual_gpu/memory/device_heap.h"

#include <algorithm>
#include <iterator>

namespace vram::virtual_gpu {
namespace {

constexpr std::size_t granularity = 16;

}  // namespace

bool DeviceHeapMemory::reserve() {
    if (begin_ != 0)
        return true;
    const std::size_t bytes = round_up(limit_, chunk_bytes);
    const auto address = card().memory().reserve(bytes);
    if (!address)
        return false;
    begin_ = *address;
    holes_[begin_] = bytes;
    return true;
}

std::uint64_t DeviceHeapMemory::allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes == 0 || bytes > limit_ || !reserve())
        return 0;
    const std::size_t room = round_up(bytes, granularity);
    const auto hole = std::find_if(holes_.begin(), holes_.end(),
                                   [&](const auto& entry) { return entry.second >= room; });
    if (hole == holes_.end())
        return 0;
    const auto [address, hole_bytes] = *hole;
    holes_.erase(hole);
    if (hole_bytes > room)
        holes_[address + room] = hole_bytes - room;
    card().memory().add_block(address, bytes, MemoryKind::heap, observer().current_call());
    return address;
}

bool DeviceHeapMemory::release(std::uint64_t address) {
    const std::lock_guard lock(mutex_);
    Block* block = card().space.find_base(address);
    if (!block || block->kind != MemoryKind::heap)
        return false;
    std::size_t room = round_up(block->end - block->begin, granularity);
    card().memory().retire_block(*block, observer().current_call());
    const auto after = holes_.find(address + room);
    if (after != holes_.end()) {
        room += after->second;
        holes_.erase(after);
    }
    const auto next = holes_.lower_bound(address);
    if (next != holes_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == address) {
            before->second += room;
            return true;
        }
    }
    holes_[address] = room;
    return true;
}

bool DeviceHeapMemory::set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (begin_ != 0)
        return false;
    limit_ = bytes;
    return true;
}

void DeviceHeapMemory::forget() {
    const std::lock_guard lock(mutex_);
    if (begin_ != 0 && card_exists() && card().has_memory()) {
        for (Block* block : card().space.live_blocks())
            if (block->kind == MemoryKind::heap)
                card().memory().retire_block(*block, 0);
        card().memory().unreserve(begin_, round_up(limit_, chunk_bytes));
    }
    begin_ = 0;
    holes_.clear();
}

DeviceHeapMemory& device_heap() {
    static auto* instance = new DeviceHeapMemory;
    return *instance;
}

}  // namespace vram::virtual_gpu
