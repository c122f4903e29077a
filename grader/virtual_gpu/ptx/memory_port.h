// Turns the addresses of a warp's access into host addresses, and checks, counts and records it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grader/virtual_gpu/memory/block.h"
#include "grader/virtual_gpu/ptx/access_pattern.h"
#include "grader/virtual_gpu/ptx/instruction.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"
#include "grader/virtual_gpu/ptx/touched_bytes.h"

namespace vram::virtual_gpu::ptx {

struct Warp;

enum class Access : std::uint8_t { read, write, atomic };

class MemoryPort {
  public:
    /// Prepares for a launch. All references must live until the launch has ended.
    void begin_launch(const BlockFinder& finder, const ExecutionOptions& options,
                      std::uint32_t slots);

    /// For active lanes that together touch the `count` x `size` bytes from `address` on, in lane
    /// order and without gaps, in global memory. nullptr when it needs a closer look: use `lanes`.
    [[gnu::always_inline]] std::byte* run(const Instruction& instruction, std::uint64_t address,
                                          unsigned size, unsigned count, Access access) {
        const std::uint64_t bytes = std::uint64_t{size} * count;
        Slot& slot = slots_[instruction.memory_slot];
        const Block* block = slot.block;
        if (block == nullptr || !is_inside(*block, address, bytes)) {
            block = look_up(slot, address);
        }
        if (block == nullptr || !is_inside(*block, address, bytes) || !block->live ||
            (address & (size - 1)) != 0 || !simple_only_ ||
            (access != Access::read && block->kind == MemoryKind::constant)) {
            return nullptr;
        }
        if (count_ && instruction.space != Space::constant) {
            count_run(address, bytes, access);
        }
        fetch_ahead(slot, *block, address, bytes);
        if (track_) {
            track_run(slot, address, bytes, access);
        }
        return block->host(address);
    }

    /// What is remembered of the instruction's last access.
    AccessPattern& pattern(const Instruction& instruction) {
        return patterns_[instruction.memory_slot];
    }

    /// For an access to global memory whose pattern is known: the host address of the lowest active
    /// lane, to which relative addresses are added. nullptr when it needs a closer look.
    std::byte* known(const Instruction& instruction, const AccessPattern& pattern,
                     std::uint64_t address, Access access) {
        Slot& slot = slots_[instruction.memory_slot];
        const Block* block = slot.block;
        const std::uint64_t first = address + static_cast<std::uint64_t>(pattern.lowest);
        const auto bytes = static_cast<std::uint64_t>(pattern.end - pattern.lowest);
        if (block == nullptr || !is_inside(*block, first, bytes)) {
            block = look_up(slot, first);
        }
        if (block == nullptr || !simple_only_ || !block->live || !is_inside(*block, first, bytes) ||
            ((pattern.low_bits | address) & (pattern.size - 1)) != 0 ||
            (access != Access::read && block->kind == MemoryKind::constant)) {
            return nullptr;
        }
        if (count_ && instruction.space != Space::constant) {
            add_request(pattern.cost, pattern.bytes, access);
        }
        if (track_) {
            for (int index = 0; index < pattern.span_count; ++index) {
                const AccessPattern::Span& span = pattern.spans[index];
                track_run(slot, address + static_cast<std::uint64_t>(span.begin),
                          static_cast<std::uint64_t>(span.end - span.begin), access);
            }
        }
        return block->host(address);
    }

    /// Counts a request to shared memory whose pattern is known.
    void count_known_shared(const AccessPattern& pattern) {
        if (count_) {
            counters.shared_requests += 1;
            counters.shared_waves += pattern.cost;
        }
    }

    /// Fills `host` for the active lanes of any global access. Throws Fault.
    void lanes(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
               unsigned size, Access access, std::byte** host);

    /// Counts a request to shared memory at these offsets.
    void count_shared(const Warp& warp, const std::uint32_t* offsets, unsigned size);

    Counters counters;
    TouchedBytes read;
    TouchedBytes written;
    TouchedBytes atomic;  ///< by atomic instructions, which are neither of the two above

    bool counting() const { return count_; }
    bool checking() const { return check_; }

  private:
    struct Slot {
        const Block* block = nullptr;
        std::uint64_t chunk_number = ~std::uint64_t{0};
        TouchedChunk* chunk = nullptr;
        std::uint64_t last_address = 0;
    };

    /// The next warp mostly goes on by the same step. Rows apart, the processor does not see that by
    /// itself.
    static void fetch_ahead(Slot& slot, const Block& block, std::uint64_t address,
                            std::uint64_t bytes) {
        const std::uint64_t next = address + (address - slot.last_address);
        slot.last_address = address;
        __builtin_prefetch(block.host(next));
        __builtin_prefetch(block.host(next + bytes - 1));
        if (slot.chunk != nullptr) {
            slot.chunk->fetch(next);
        }
    }

    /// Remembers the block that `address` lies in, if there is a live one.
    const Block* look_up(Slot& slot, std::uint64_t address) {
        const Block* found = finder_->find(address);
        if (found == nullptr || !found->live || !found->contains(address)) {
            return nullptr;
        }
        slot.block = found;
        return found;
    }

    static bool is_inside(const Block& block, std::uint64_t address, std::uint64_t bytes) {
        return address >= block.begin && address < block.end && block.end - address >= bytes;
    }

    void count_run(std::uint64_t address, std::uint64_t bytes, Access access) {
        add_request((address + bytes - 1) / 32 - address / 32 + 1, bytes, access);
    }

    void add_request(std::uint64_t sectors, std::uint64_t bytes, Access access) {
        switch (access) {
            case Access::read:
                counters.load_requests += 1;
                counters.load_sectors += sectors;
                counters.load_bytes += bytes;
                break;
            case Access::write:
                counters.store_requests += 1;
                counters.store_sectors += sectors;
                counters.store_bytes += bytes;
                break;
            case Access::atomic:
                counters.atomic_requests += 1;
                counters.atomic_sectors += sectors;
                break;
        }
    }

    void track_run(Slot& slot, std::uint64_t address, std::uint64_t bytes, Access access) {
        const std::uint64_t number = address / TouchedChunk::bytes;
        if (number == slot.chunk_number && (address + bytes - 1) / TouchedChunk::bytes == number) {
            slot.chunk->mark(address, address + bytes);
            return;
        }
        track(slot, address, bytes, access);
    }

    /// The slot's block if it allows the access to all of these lanes; nullptr otherwise.
    static const Block* block_of_all(std::uint32_t lanes, const Slot& slot,
                                     const std::uint64_t* addresses, unsigned size, Access access);
    void track_lanes(Slot& slot, std::uint32_t lanes, const std::uint64_t* addresses, unsigned size,
                     Access access);
    TouchedBytes& touched_by(Access access);
    void track(Slot& slot, std::uint64_t address, std::uint64_t bytes, Access access);
    void count_lanes(const Warp& warp, const std::uint64_t* addresses, unsigned size,
                     Access access);
    const Block* resolve(Warp& warp, int lane, const Instruction& instruction,
                         std::uint64_t address, unsigned size, Access access);
    void check_initialised(Warp& warp, int lane, const Block& block, std::uint64_t address,
                           unsigned size, Access access);

    const BlockFinder* finder_ = nullptr;
    std::vector<Slot> slots_;
    std::vector<AccessPattern> patterns_;  ///< true for any launch, so kept
    bool check_ = true;
    bool count_ = true;
    bool track_ = true;
    bool simple_only_ = true;  ///< no opt-in check that wants to see each lane
    bool check_initialised_ = false;
};

}  // namespace vram::virtual_gpu::ptx
