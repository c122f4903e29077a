// Stream-ordered memory: pools that reserve memory of the card in steps and hand out parts of it.
//
// A freed part may be given out again only to work that is ordered after the free: on the same
// stream, or through an event or a wait. Reserved memory goes back to the card when the host has
// waited for the frees in it, down to the pool's threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/memory/device_memory.h"
#include "grader/virtual_gpu/streams/vector_clock.h"

namespace vram::virtual_gpu {

constexpr std::size_t pool_step = std::size_t{32} << 20;

class MemoryPool {
  public:
    MemoryPool(DeviceMemory& memory, AddressSpace& space, Variation& variation)
        : memory_(memory), space_(space), variation_(variation) {}
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    struct Placed {
        std::uint64_t address = 0;
        std::size_t reserved_more = 0;  ///< bytes that the pool grew by
        bool reused_unsettled = false;  ///< it was freed in stream order, and nobody waited yet
    };
    /// Chooses memory for work at `clock`, or nullopt when the card is full.
    std::optional<Placed> place(std::size_t bytes, const VectorClock& clock);
    /// Enters the block at a placed address.
    Block& add_block(std::uint64_t address, std::size_t bytes, CallNumber call);
    /// Gives a block of this pool back as of `freed`; the host may not have waited for it yet.
    void release(Block& block, Epoch freed, CallNumber call);
    /// The same by cudaFree, at once. As measured, the pool goes on counting the block as used.
    void release_behind_its_back(Block& block, CallNumber call);

    /// True when settle() would retire blocks or return memory.
    bool can_settle(const VectorClock& host) const;
    /// The host has come to `host`: frees it covers are over. Returns bytes given back to the card.
    std::size_t settle(const VectorClock& host);
    /// Gives back unused memory until at most `keep` bytes are reserved.
    std::size_t trim(std::size_t keep);

    bool owns(std::uint64_t address) const;
    std::vector<Block*> live_blocks() const;

    std::uint64_t threshold = 0;
    bool follows_events = true;
    bool opportunistic = true;
    bool internal_dependencies = true;

    std::size_t reserved() const { return reserved_; }
    std::size_t reserved_high() const { return reserved_high_; }
    /// Bytes of live blocks, and of those that cudaFree released.
    std::size_t used() const { return used_; }
    std::size_t used_high() const { return used_high_; }
    void reset_reserved_high() { reserved_high_ = reserved_; }
    void reset_used_high() { used_high_ = used_; }

    /// True while freed blocks stand that the host has not waited for.
    bool waits_for_frees() const;

    std::uint64_t handle = 0;
    bool destroyed = false;  ///< its handle is dead; it lasts until its blocks are freed

  private:
    struct Free {
        std::size_t bytes = 0;
        Epoch freed;             ///< tick 0: nothing to wait for
        Block* block = nullptr;  ///< the freed block that still stands there
        CallNumber freed_by = 0;
        bool used_before = false;
    };
    using Pieces = std::map<std::uint64_t, Free>;

    bool grow(std::size_t bytes);
    Pieces::iterator choose(std::size_t bytes, const VectorClock& clock);
    void merge_around(Pieces::iterator piece);
    std::size_t return_unused_segments(std::size_t keep);

    DeviceMemory& memory_;
    AddressSpace& space_;
    Variation& variation_;
    std::map<std::uint64_t, std::size_t> segments_;
    Pieces pieces_;  ///< free parts
    std::unordered_map<std::uint64_t, Block*> live_;
    std::size_t reserved_ = 0, reserved_high_ = 0;
    std::size_t used_ = 0, used_high_ = 0;
    std::size_t never_returned_ = 0;  ///< part of used_ whose blocks are gone
};

}  // namespace vram::virtual_gpu
