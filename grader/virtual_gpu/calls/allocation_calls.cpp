// cudaMalloc and its kin: memory that lives until it is freed.

#include <limits>

#include "grader/virtual_gpu/calls/release.h"
#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/clock/cost_table.h"
#include "grader/virtual_gpu/modules/kernel_table.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::size_t no_bytes = 0;

/// `a * b` bytes, or false when that overflows.
bool multiply_sizes(std::size_t a, std::size_t b, std::size_t& product) {
    return !__builtin_mul_overflow(a, b, &product);
}

cudaError_t allocate_device(Card& card, void** out, std::size_t bytes, std::size_t pitch = 0,
                            std::size_t row_bytes = 0) {
    card.scheduler.spend(cost::allocate(bytes, card.memory().fits_mapped_chunk(bytes)));
    Block* block = card.memory().allocate(bytes, MemoryKind::device, observer().current_call(),
                                          pitch, row_bytes);
    if (!block) {
        fail_pointer(card, out);
        return cudaErrorMemoryAllocation;
    }
    *out = reinterpret_cast<void*>(block->begin);
    return cudaSuccess;
}

/// The error of a call that was going to allocate; the pointer is spoilt as by a failed allocation.
cudaError_t refuse_allocation(Card& card, void** out, cudaError_t error) {
    fail_pointer(card, out);
    return error;
}

cudaError_t allocate_host(CallScope& call, void** out, std::size_t bytes, MemoryKind kind,
                          unsigned flags) {
    if (bytes == no_bytes) {
        *out = nullptr;
        return cudaSuccess;
    }
    Card& card = call.card();
    if (call.refused())
        return refuse_allocation(card, out, call.refused());
    Block* block = card.host_memory.allocate(bytes, kind, flags, observer().current_call());
    if (!block) {
        fail_pointer(card, out);
        return cudaErrorMemoryAllocation;
    }
    *out = reinterpret_cast<void*>(block->begin);
    return cudaSuccess;
}

/// As measured, the pitch is stored before it turns out that there is no memory for the rows.
cudaError_t allocate_rows(CallScope& call, void** out, std::size_t* pitch, std::size_t row_bytes,
                          std::size_t rows) {
    if (row_bytes == 0 || rows == 0) {
        *out = nullptr;
        *pitch = 0;
        return cudaSuccess;
    }
    Card& card = call.card();
    if (call.refused())
        return refuse_allocation(card, out, call.refused());
    *pitch = card.variation.pitch_for(row_bytes);
    std::size_t bytes = 0;
    if (*pitch == 0 || !multiply_sizes(*pitch, rows, bytes))
        return refuse_allocation(card, out, cudaErrorInvalidValue);
    return allocate_device(card, out, bytes, *pitch, row_bytes);
}

}  // namespace

VIRTUAL_CALL(cudaError_t, cudaMalloc, void** out, size_t bytes) {
    CallScope call;
    if (!out)
        return cudaErrorInvalidValue;
    if (bytes == no_bytes) {
        *out = nullptr;
        return cudaSuccess;
    }
    if (call.refused())
        return refuse_allocation(call.card(), out, call.refused());
    return allocate_device(call.card(), out, bytes);
}

VIRTUAL_CALL(cudaError_t, cudaMallocPitch, void** out, size_t* pitch, size_t width, size_t height) {
    CallScope call;
    if (!out || !pitch)
        return cudaErrorInvalidValue;
    return allocate_rows(call, out, pitch, width, height);
}

VIRTUAL_CALL(cudaError_t, cudaMalloc3D, cudaPitchedPtr* out, cudaExtent extent) {
    CallScope call;
    std::size_t rows = 0;
    if (!out || !multiply_sizes(extent.height, extent.depth, rows))
        return cudaErrorInvalidValue;
    const cudaError_t result = allocate_rows(call, &out->ptr, &out->pitch, extent.width, rows);
    if (result == cudaSuccess) {
        out->xsize = extent.width;
        out->ysize = extent.height;
    }
    return result;
}

VIRTUAL_CALL(cudaError_t, cudaMallocManaged, void** out, size_t bytes, unsigned int flags) {
    CallScope call;
    if (!out)
        return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return refuse_allocation(call.card(), out, cudaErrorInvalidValue);
    return allocate_host(call, out, bytes, MemoryKind::managed, flags);
}

VIRTUAL_CALL(cudaError_t, cudaMallocHost, void** out, size_t bytes) {
    CallScope call(cost::page_locked_call);
    if (!out)
        return cudaErrorInvalidValue;
    return allocate_host(call, out, bytes, MemoryKind::pinned, cudaHostAllocDefault);
}

VIRTUAL_CALL(cudaError_t, cudaHostAlloc, void** out, size_t bytes, unsigned int flags) {
    CallScope call(cost::page_locked_call);
    constexpr unsigned known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!out)
        return cudaErrorInvalidValue;
    if (flags & ~known)
        return refuse_allocation(call.card(), out,
                                 call.refused() ? call.refused() : cudaErrorInvalidValue);
    return allocate_host(call, out, bytes, MemoryKind::pinned, flags);
}

VIRTUAL_CALL(cudaError_t, cudaFree, void* pointer) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    if (!pointer)
        return cudaSuccess;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    Block* block = card.space.find_base(address);
    if (!block || is_managed_variable(pointer))
        return cudaErrorInvalidValue;
    switch (block->kind) {
        case MemoryKind::device:
        case MemoryKind::managed:
            return free_now(card, *block, "cudaFree");
        case MemoryKind::device_async:
            return free_async_block_now(card, *block, "cudaFree");
        default:
            return cudaErrorInvalidValue;
    }
}

VIRTUAL_CALL(cudaError_t, cudaFreeHost, void* pointer) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    if (!pointer)
        return cudaSuccess;
    Block* block = card.space.find_base(reinterpret_cast<std::uint64_t>(pointer));
    if (!block || block->kind != MemoryKind::pinned || card.host_memory.is_registered(*block))
        return cudaErrorInvalidValue;
    return free_now(card, *block, "cudaFreeHost");
}

VIRTUAL_CALL(cudaError_t, cudaHostRegister, void* pointer, size_t bytes, unsigned int flags) {
    CallScope call(cost::page_locked_call);
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                               cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    const bool wraps = bytes > std::numeric_limits<std::uint64_t>::max() - address;
    const Block* there = card.space.find_live(address);
    const bool made_pinned =
        there && there->kind == MemoryKind::pinned && !card.host_memory.is_registered(*there);
    if (!pointer || bytes == 0 || wraps || (flags & ~known) || made_pinned ||
        card.is_device_address(address))
        return cudaErrorInvalidValue;
    return card.host_memory.enter(address, bytes, flags, observer().current_call())
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
}

VIRTUAL_CALL(cudaError_t, cudaHostUnregister, void* pointer) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    if (!pointer)
        return cudaErrorInvalidValue;
    Block* block = card.space.find_live(reinterpret_cast<std::uint64_t>(pointer));
    if (!block)
        return cudaErrorHostMemoryNotRegistered;
    if (block->begin != reinterpret_cast<std::uint64_t>(pointer) ||
        !card.host_memory.is_registered(*block))
        return cudaErrorInvalidValue;
    return unregister_now(card, *block);
}

VIRTUAL_CALL(cudaError_t, cudaHostGetDevicePointer, void** out, void* pointer, unsigned int flags) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Block* block = call.card().space.find_live(reinterpret_cast<std::uint64_t>(pointer));
    if (!out || !pointer)
        return cudaErrorInvalidValue;
    if (flags != 0 || !block || block->kind != MemoryKind::pinned)
        return refuse_allocation(call.card(), out, cudaErrorInvalidValue);
    *out = pointer;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaHostGetFlags, unsigned int* flags, void* pointer) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    Block* block = card.space.find_live(reinterpret_cast<std::uint64_t>(pointer));
    if (!flags || !block || block->kind != MemoryKind::pinned)
        return cudaErrorInvalidValue;
    // With unified addressing all page-locked memory is mapped for the device.
    *flags = card.host_memory.flags(*block) | cudaHostAllocMapped;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaMemGetInfo, size_t* available, size_t* total) {
    CallScope call(cost::memory_info);
    if (call.refused())
        return call.refused();
    if (available)
        *available = call.card().memory().available();
    if (total)
        *total = call.card().memory().total();
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaPointerGetAttributes, cudaPointerAttributes* attributes,
             const void* pointer) {
    CallScope call;
    if (!attributes)
        return cudaErrorInvalidValue;
    if (call.refused_outright())
        return call.refused_outright();
    *attributes = cudaPointerAttributes{};
    const Block* block = call.card().space.find_live(reinterpret_cast<std::uint64_t>(pointer));
    if (!block) {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = const_cast<void*>(pointer);
        return cudaSuccess;
    }
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(pointer);
    switch (block->kind) {
        case MemoryKind::pinned:
            attributes->type = cudaMemoryTypeHost;
            attributes->hostPointer = const_cast<void*>(pointer);
            break;
        case MemoryKind::managed:
            attributes->type = cudaMemoryTypeManaged;
            attributes->hostPointer = const_cast<void*>(pointer);
            break;
        default:
            attributes->type = cudaMemoryTypeDevice;
            break;
    }
    return cudaSuccess;
}

}  // namespace vram::virtual_gpu
