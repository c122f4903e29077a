// One block of memory of the virtual GPU, as kernels, copies and reports see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grader/virtual_gpu/observer.h"

namespace vram::virtual_gpu {

enum class MemoryKind : std::uint8_t {
    device,        ///< cudaMalloc, cudaMallocPitch, cudaMalloc3D
    device_async,  ///< cudaMallocAsync, cudaMallocFromPoolAsync
    pinned,    ///< cudaMallocHost, cudaHostAlloc, cudaHostRegister: readable by host and kernels
    managed,   ///< cudaMallocManaged, __managed__
    global,    ///< __device__ variable of a module
    constant,  ///< __constant__ variable of a module: kernels must not write it
    heap,      ///< device-side malloc
    mapped,    ///< a mapped range of the virtual memory management calls
};

/// Addresses [begin, end) are the bytes that were *asked for*; nothing is ever rounded here.
/// For a pitched block that is pitch x height, and reading its padding is legal.
struct Block {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    /// Add to an address in [begin, end) to get the byte in this process. 0 for pinned and managed
    /// memory, whose addresses are host addresses already.
    std::int64_t to_host = 0;
    MemoryKind kind = MemoryKind::device;
    bool live = false;
    AllocationId id = 0;
    CallNumber made_by = 0;
    CallNumber freed_by = 0;
    std::size_t pitch = 0;      ///< bytes from row to row for a pitched block, otherwise 0
    std::size_t row_bytes = 0;  ///< bytes of a row that carry data for a pitched block, otherwise 0
    /// One bit a byte, set once the byte was written; nullptr unless VRAM_CHECK_INIT=1.
    std::uint8_t* initialised = nullptr;

    bool contains(std::uint64_t address) const { return address - begin < end - begin; }
    std::byte* host(std::uint64_t address) const {
        return reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(to_host));
    }
};

/// Looks addresses up. Implemented by memory/address_space.cpp; the kernel interpreter depends on
/// this class alone, so it can be tested with a simple stand-in.
class BlockFinder {
  public:
    virtual ~BlockFinder() = default;
    /// The live block that contains `address`; when there is none, the block freed last that did,
    /// or the live block whose end is nearest below it (within 1 MiB); otherwise nullptr. The
    /// result stays valid until the process ends, but `live` may change.
    virtual const Block* find(std::uint64_t address) const = 0;
};

}  // namespace vram::virtual_gpu
