// The memory of the card: a range of device addresses that the host can't touch, and behind it the
// contents in a second mapping of this process alone. Pages exist only where something was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "grader/virtual_gpu/memory/address_space.h"
#include "grader/virtual_gpu/memory/placement.h"

namespace vram::virtual_gpu {

/// Memory of the measured H200, as cudaMemGetInfo reports it in total.
constexpr std::size_t h200_capacity = std::size_t{143155} << 20;
/// What a context takes of it before the first allocation.
constexpr std::size_t h200_context_bytes = std::size_t{526} << 20;

class DeviceMemory {
  public:
    /// Reserves addresses for a card of `capacity` bytes. Ends the process with a message when the
    /// machine can't give any.
    DeviceMemory(std::size_t capacity, AddressSpace& space, Variation& variation);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// A new block of `bytes` > 0 full of garbage, or nullptr when the card is full.
    Block* allocate(std::size_t bytes, MemoryKind kind, CallNumber call, std::size_t pitch = 0,
                    std::size_t row_bytes = 0);
    /// Frees what allocate() gave; the contents are gone.
    void release(Block& block, CallNumber call);

    /// Takes `bytes` (a multiple of a chunk) of the card for a pool: no block, addresses only.
    std::optional<std::uint64_t> reserve(std::size_t bytes);
    void unreserve(std::uint64_t address, std::size_t bytes);
    /// Makes a block of reserved memory, full of garbage.
    Block& add_block(std::uint64_t address, std::size_t bytes, MemoryKind kind, CallNumber call);

    /// Frees a block of reserved memory; the address stays reserved.
    void retire_block(Block& block, CallNumber call);

    bool contains(std::uint64_t address) const { return address - base_ < reserved_; }
    std::size_t total() const { return capacity_; }
    std::size_t available() const;
    bool fits_mapped_chunk(std::size_t bytes) const { return placement_->fits_mapped_chunk(bytes); }

  private:
    void drop_contents(std::uint64_t begin, std::uint64_t end);
    void fill_with_garbage(const Block& block);
    void forget_block(Block& block);
    static std::size_t bytes_to_fill(std::size_t bytes);
    /// Variables of modules lie apart: they share no chunk with what the program allocates.
    Placement& placement_of(MemoryKind kind);

    std::size_t capacity_;
    AddressSpace& space_;
    Variation& variation_;
    std::uint64_t base_ = 0;
    std::size_t reserved_ = 0;
    std::byte* contents_ = nullptr;
    std::size_t filled_ = 0;  ///< bytes of garbage in live blocks, at most
    std::optional<Placement> placement_;
    std::optional<Placement> variables_;
};

}  // namespace vram::virtual_gpu
