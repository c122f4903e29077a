#include "grader/virtual_gpu/memory/host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "grader/virtual_gpu/control.h"
#include "grader/virtual_gpu/memory/placement.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::size_t host_page_bytes = 4096;
constexpr std::size_t longest_host_quarantine = 256;
constexpr std::size_t filled_host_bytes = std::size_t{1} << 20;

}  // namespace

HostMemory::~HostMemory() {
    while (!quarantined_.empty())
        end_oldest_quarantine();
}

Block* HostMemory::allocate(std::size_t bytes, MemoryKind kind, unsigned flags, CallNumber call) {
    const std::size_t mapped = round_up(bytes, host_page_bytes);
    if (mapped < bytes)
        return nullptr;
    void* where = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (where == MAP_FAILED)
        return nullptr;
    std::memset(where, variation_.garbage(), std::min(bytes, filled_host_bytes));
    Block block;
    block.begin = reinterpret_cast<std::uint64_t>(where);
    block.end = block.begin + bytes;
    block.kind = kind;
    block.made_by = call;
    Block& added = space_.add(block);
    mappings_[added.id] = {mapped, flags};
    return &added;
}

void HostMemory::release(Block& block, CallNumber call) {
    const Mapping mapping = mappings_[block.id];
    mappings_.erase(block.id);
    guarded_targets_.forget(block.begin, block.end);
    void* where = reinterpret_cast<void*>(block.begin);
    madvise(where, mapping.mapped_bytes, MADV_DONTNEED);
    mprotect(where, mapping.mapped_bytes, PROT_NONE);
    quarantined_.push_back({block.begin, mapping.mapped_bytes});
    space_.retire(block, call);
    if (quarantined_.size() > longest_host_quarantine)
        end_oldest_quarantine();
}

void HostMemory::end_oldest_quarantine() {
    const auto [address, bytes] = quarantined_.front();
    quarantined_.pop_front();
    space_.forget_range(address, address + bytes);
    munmap(reinterpret_cast<void*>(address), bytes);
}

Block* HostMemory::enter(std::uint64_t address, std::size_t bytes, unsigned flags,
                         CallNumber call) {
    if (space_.find_live(address) || space_.find_next(address, bytes - 1))
        return nullptr;
    Block block;
    block.begin = address;
    block.end = address + bytes;
    block.kind = MemoryKind::pinned;
    block.made_by = call;
    Block& added = space_.add(block);
    mappings_[added.id] = {0, flags};
    return &added;
}

void HostMemory::leave(Block& block, CallNumber call) {
    mappings_.erase(block.id);
    const std::uint64_t begin = block.begin, end = block.end;
    space_.retire(block, call);
    space_.forget_range(begin, end);
}

void HostMemory::guard_target(const Block& block, std::uint64_t begin, std::uint64_t end,
                              std::shared_ptr<const Origin> copy) {
    if (is_registered(block) || !fault_handler_in_place())
        return;
    const std::uint64_t first_page = round_up(begin, host_page_bytes);
    const std::uint64_t behind_last_page =
        end == block.end ? round_up(end, host_page_bytes) : end / host_page_bytes * host_page_bytes;
    if (first_page < behind_last_page)
        guarded_targets_.guard(first_page, behind_last_page, std::move(copy));
}

bool HostMemory::is_registered(const Block& block) const {
    const auto mapping = mappings_.find(block.id);
    return mapping != mappings_.end() && mapping->second.mapped_bytes == 0;
}

unsigned HostMemory::flags(const Block& block) const {
    const auto mapping = mappings_.find(block.id);
    return mapping == mappings_.end() ? 0 : mapping->second.flags;
}

}  // namespace vram::virtual_gpu
