// The one virtual GPU of this process: its parts, and the lock that every runtime call takes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/memory/address_space.h"
#include "grader/virtual_gpu/memory/device_memory.h"
#include "grader/virtual_gpu/memory/host_memory.h"
#include "grader/virtual_gpu/memory/memory_pool.h"
#include "grader/virtual_gpu/memory/staged_source.h"
#include "grader/virtual_gpu/streams/hazard_detector.h"
#include "grader/virtual_gpu/streams/scheduler.h"
#include "grader/virtual_gpu/variation.h"

namespace vram::virtual_gpu {

class Card {
  public:
    explicit Card(std::uint64_t seed);

    /// Reserves the addresses on first use, so that a program which only asks for the version
    /// costs nothing.
    DeviceMemory& memory();
    bool has_memory() const { return memory_ != nullptr; }
    std::size_t capacity() const { return capacity_; }
    void set_capacity(std::size_t bytes) { capacity_ = bytes; }

    MemoryPool& default_pool();
    MemoryPool* find_pool(std::uint64_t handle);
    MemoryPool& create_pool();
    /// False when the handle is no pool, or the default one. Its live blocks stay usable.
    bool destroy_pool(std::uint64_t handle);
    /// The pool that a live stream-ordered block came from; nullptr for other blocks.
    MemoryPool* pool_of(std::uint64_t address);

    /// True for an address of the card, allocated or not.
    bool is_device_address(std::uint64_t address) const {
        return memory_ && memory_->contains(address);
    }

    /// What cudaDeviceReset does: all memory, streams, events and pools end; time goes on.
    void reset_contents();

    Variation variation;
    AddressSpace space;
    HostMemory host_memory;
    HazardDetector hazards;
    StagedSources sources;
    Scheduler scheduler;
    std::uint64_t current_pool = 0;  ///< handle given to cudaDeviceSetMemPool; 0: the default pool
    /// After a reset in error the device can't be used again.
    bool unavailable = false;
    std::uint64_t activity = 0;  ///< counts runtime calls

  private:
    MemoryPool& add_pool();
    void settle_pools();
    void bury_unused_pools();

    std::size_t capacity_;
    std::unique_ptr<DeviceMemory> memory_;
    std::vector<std::unique_ptr<MemoryPool>> pools_;
    std::uint64_t last_pool_handle_;
};

/// Guards the card. Never destroyed.
std::mutex& card_mutex();
/// Expects the lock to be held.
Card& card();
bool card_exists();
/// Puts a fresh card in place. Expects the lock to be held.
void replace_card(std::uint64_t seed);

}  // namespace vram::virtual_gpu
