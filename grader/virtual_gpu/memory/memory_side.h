// One side of a copy: which class of memory it is, and whether the bytes are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grader/virtual_gpu/card.h"
#include "grader/virtual_gpu/streams/operation.h"

namespace vram::virtual_gpu {

/// Equal rows of bytes in equal slices. One row: a plain range.
struct Box {
    std::uint64_t address = 0;  ///< of the first byte
    std::size_t width = 0;      ///< bytes of a row
    std::size_t height = 1;     ///< rows of a slice
    std::size_t depth = 1;      ///< slices
    std::size_t pitch = 0;      ///< bytes from row to row
    std::size_t slice = 0;      ///< bytes from slice to slice

    bool empty() const { return width == 0 || height == 0 || depth == 0; }
    std::size_t bytes() const { return width * height * depth; }
    std::uint64_t row(std::size_t y, std::size_t z) const {
        return address + z * slice + y * pitch;
    }
    /// Address one past the last byte; 0 when it lies beyond all addresses.
    std::uint64_t end() const;
    /// Calls visit(address, bytes) for each contiguous run, in order.
    template <typename Visit>
    void for_each_run(Visit visit) const {
        if (height == 1 && depth == 1) {
            visit(address, width);
            return;
        }
        if (pitch == width && (depth == 1 || slice == pitch * height)) {
            visit(address, width * height * depth);
            return;
        }
        for (std::size_t z = 0; z < depth; ++z)
            for (std::size_t y = 0; y < height; ++y)
                visit(row(y, z), width);
    }
};

enum class MemoryClass : std::uint8_t { pageable, pinned, managed, device };

/// A box in memory that the call may touch.
struct MemorySide {
    MemoryClass memory_class = MemoryClass::pageable;
    const Block* block = nullptr;  ///< nullptr for pageable memory
    AllocationId block_id = 0;
    Box box;

    bool host() const { return memory_class == MemoryClass::pageable || pinned(); }
    bool pageable() const { return memory_class == MemoryClass::pageable; }
    bool pinned() const { return memory_class == MemoryClass::pinned; }
    /// The byte of this process behind an address of the box.
    std::byte* bytes_at(std::uint64_t address) const {
        return block ? block->host(address) : reinterpret_cast<std::byte*>(address);
    }
    bool still_there() const { return !block || (block->live && block->id == block_id); }
    /// One access for each run of bytes; none for pageable memory, which only the host touches.
    void append_accesses(AccessMode mode, std::vector<Access>& accesses) const;
};

/// False when the box is not wholly inside one block of known memory, or lies at device addresses
/// that are not allocated.
bool find_side(Card& card, const Box& box, MemorySide& side);

}  // namespace vram::virtual_gpu
