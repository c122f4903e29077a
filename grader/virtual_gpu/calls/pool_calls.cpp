// Stream-ordered allocation and memory pools.

#include "grader/virtual_gpu/calls/release.h"
#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/clock/cost_table.h"

namespace vram::virtual_gpu {
namespace {

cudaMemPool_t as_pool(std::uint64_t handle) {
    return reinterpret_cast<cudaMemPool_t>(handle);
}

MemoryPool* pool_of(Card& card, cudaMemPool_t handle) {
    return card.find_pool(reinterpret_cast<std::uint64_t>(handle));
}

MemoryPool& current_pool(Card& card) {
    MemoryPool* chosen = card.current_pool ? card.find_pool(card.current_pool) : nullptr;
    return chosen ? *chosen : card.default_pool();
}

Operation mark(const char* name) {
    Operation operation;
    operation.origin = origin_of(name);
    operation.execute = [] { return Execution{}; };
    return operation;
}

/// The clock that work would have if it were enqueued now; the pool hands out by it.
VectorClock clock_of_next_work(Card& card, const std::shared_ptr<Stream>& stream) {
    VectorClock clock = stream->clock;
    clock.join(card.scheduler.host_clock());
    return clock;
}

cudaError_t allocate_from(Card& card, MemoryPool& pool, void** out, std::size_t bytes,
                          cudaStream_t handle, const char* name) {
    const auto stream = stream_of(card, handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (bytes == 0) {
        *out = nullptr;
        return cudaSuccess;
    }
    const auto placed = pool.place(bytes, clock_of_next_work(card, stream));
    if (!placed) {
        fail_pointer(card, out);
        return cudaErrorMemoryAllocation;
    }
    card.scheduler.spend(placed->reserved_more ? cost::reserve(placed->reserved_more)
                                               : cost::pool_hit);
    // Work on the block that stood here is judged before the bytes get a new owner.
    if (placed->reused_unsettled)
        card.scheduler.run_without_waiting();
    if (outcome(card))
        return outcome(card);
    Block& block = pool.add_block(placed->address, bytes, observer().current_call());
    const StreamPoint point = card.scheduler.enqueue(stream, mark(name));
    Operation allocation = mark(name);
    allocation.epoch = {stream->timeline, point.tick};
    allocation.clock = point.clock;
    card.hazards.block_allocated(block, allocation);
    *out = reinterpret_cast<void*>(block.begin);
    return cudaSuccess;
}

cudaError_t free_in_stream(Card& card, Block& block, const std::shared_ptr<Stream>& stream) {
    const StreamPoint point = card.scheduler.enqueue(stream, mark("cudaFreeAsync"));
    Operation release = mark("cudaFreeAsync");
    release.epoch = {stream->timeline, point.tick};
    release.clock = point.clock;
    card.hazards.block_released(block, release);
    card.pool_of(block.begin)->release(block, release.epoch, observer().current_call());
    return cudaSuccess;
}

/// cudaFreeAsync of memory that is not stream-ordered: accepted by the measured runtime, and done
/// when the stream comes to it.
cudaError_t free_plain_in_stream(Card& card, Block& block, const std::shared_ptr<Stream>& stream) {
    Operation operation = mark("cudaFreeAsync");
    const AllocationId id = block.id;
    const CallNumber number = observer().current_call();
    operation.known_accesses = false;
    operation.execute = [&card, &block, id, number] {
        if (block.live && block.id == id)
            card.memory().release(block, number);
        return Execution{};
    };
    const auto origin = operation.origin;
    const StreamPoint point = card.scheduler.enqueue(stream, std::move(operation));
    Operation release = mark("cudaFreeAsync");
    release.epoch = {stream->timeline, point.tick};
    release.clock = point.clock;
    card.hazards.block_released(block, release);
    return cudaSuccess;
}

}  // namespace

VIRTUAL_STREAM_CALL(cudaMallocAsync, _ptsz, (void** out, size_t bytes, cudaStream_t stream),
                    (out, bytes, stream)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!out)
        return cudaErrorInvalidValue;
    return allocate_from(call.card(), current_pool(call.card()), out, bytes, stream,
                         "cudaMallocAsync");
}

VIRTUAL_STREAM_CALL(cudaMallocFromPoolAsync, _ptsz,
                    (void** out, size_t bytes, cudaMemPool_t handle, cudaStream_t stream),
                    (out, bytes, handle, stream)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    MemoryPool* pool = pool_of(call.card(), handle);
    if (!out || !pool)
        return cudaErrorInvalidValue;
    return allocate_from(call.card(), *pool, out, bytes, stream, "cudaMallocFromPoolAsync");
}

VIRTUAL_STREAM_CALL(cudaFreeAsync, _ptsz, (void* pointer, cudaStream_t handle), (pointer, handle)) {
    CallScope call(cost::free_async);
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    const auto stream = stream_of(card, handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!pointer)
        return cudaSuccess;
    Block* block = card.space.find_base(reinterpret_cast<std::uint64_t>(pointer));
    if (!block)
        return cudaErrorInvalidValue;
    if (block->kind == MemoryKind::device)
        return free_plain_in_stream(card, *block, stream);
    if (block->kind == MemoryKind::managed)
        return cudaErrorNotSupported;
    // A block that was freed in stream order still stands until the host has waited for it.
    if (block->kind != MemoryKind::device_async || !card.pool_of(block->begin))
        return cudaErrorInvalidValue;
    return free_in_stream(card, *block, stream);
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetDefaultMemPool, cudaMemPool_t* out, int device) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    if (device != 0)
        return cudaErrorInvalidDevice;
    if (!out)
        return cudaErrorInvalidValue;
    *out = as_pool(call.card().default_pool().handle);
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetMemPool, cudaMemPool_t* out, int device) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    if (device != 0)
        return cudaErrorInvalidDevice;
    if (!out)
        return cudaErrorInvalidValue;
    *out = as_pool(current_pool(call.card()).handle);
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceSetMemPool, int device, cudaMemPool_t handle) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    if (device != 0)
        return cudaErrorInvalidDevice;
    MemoryPool* pool = pool_of(call.card(), handle);
    if (!pool)
        return cudaErrorInvalidValue;
    call.card().current_pool = pool->handle;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaMemPoolCreate, cudaMemPool_t* out,
             const cudaMemPoolProps* properties) {
    CallScope call(cost::create_handle);
    if (call.refused_outright())
        return call.refused_outright();
    if (!out || !properties || properties->allocType != cudaMemAllocationTypePinned ||
        properties->handleTypes != cudaMemHandleTypeNone ||
        properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
        return cudaErrorInvalidValue;
    *out = as_pool(call.card().create_pool().handle);
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaMemPoolDestroy, cudaMemPool_t handle) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    return call.card().destroy_pool(reinterpret_cast<std::uint64_t>(handle))
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

VIRTUAL_CALL(cudaError_t, cudaMemPoolTrimTo, cudaMemPool_t handle, size_t bytes_to_keep) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    MemoryPool* pool = pool_of(call.card(), handle);
    if (!pool)
        return cudaErrorInvalidValue;
    pool->trim(bytes_to_keep);
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaMemPoolGetAttribute, cudaMemPool_t handle, cudaMemPoolAttr attribute,
             void* value) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    const MemoryPool* pool = pool_of(call.card(), handle);
    if (!pool || !value)
        return cudaErrorInvalidValue;
    auto* number = static_cast<std::uint64_t*>(value);
    auto* flag = static_cast<int*>(value);
    switch (attribute) {
        case cudaMemPoolReuseFollowEventDependencies:
            *flag = pool->follows_events;
            return cudaSuccess;
        case cudaMemPoolReuseAllowOpportunistic:
            *flag = pool->opportunistic;
            return cudaSuccess;
        case cudaMemPoolReuseAllowInternalDependencies:
            *flag = pool->internal_dependencies;
            return cudaSuccess;
        case cudaMemPoolAttrReleaseThreshold:
            *number = pool->threshold;
            return cudaSuccess;
        case cudaMemPoolAttrReservedMemCurrent:
            *number = pool->reserved();
            return cudaSuccess;
        case cudaMemPoolAttrReservedMemHigh:
            *number = pool->reserved_high();
            return cudaSuccess;
        case cudaMemPoolAttrUsedMemCurrent:
            *number = pool->used();
            return cudaSuccess;
        case cudaMemPoolAttrUsedMemHigh:
            *number = pool->used_high();
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

VIRTUAL_CALL(cudaError_t, cudaMemPoolSetAttribute, cudaMemPool_t handle, cudaMemPoolAttr attribute,
             void* value) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    MemoryPool* pool = pool_of(call.card(), handle);
    if (!pool || !value)
        return cudaErrorInvalidValue;
    const auto number = [&] { return *static_cast<const std::uint64_t*>(value); };
    const auto flag = [&] { return *static_cast<const int*>(value) != 0; };
    switch (attribute) {
        case cudaMemPoolReuseFollowEventDependencies:
            pool->follows_events = flag();
            return cudaSuccess;
        case cudaMemPoolReuseAllowOpportunistic:
            pool->opportunistic = flag();
            return cudaSuccess;
        case cudaMemPoolReuseAllowInternalDependencies:
            pool->internal_dependencies = flag();
            return cudaSuccess;
        case cudaMemPoolAttrReleaseThreshold:
            pool->threshold = number();
            return cudaSuccess;
        case cudaMemPoolAttrReservedMemHigh:
            if (number() != 0)
                return cudaErrorInvalidValue;
            pool->reset_reserved_high();
            return cudaSuccess;
        case cudaMemPoolAttrUsedMemHigh:
            if (number() != 0)
                return cudaErrorInvalidValue;
            pool->reset_used_high();
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

VIRTUAL_CALL(cudaError_t, cudaMemPoolGetAccess, cudaMemAccessFlags* flags, cudaMemPool_t handle,
             cudaMemLocation* location) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    if (!flags || !location || !pool_of(call.card(), handle) ||
        location->type != cudaMemLocationTypeDevice || location->id != 0)
        return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaMemPoolSetAccess, cudaMemPool_t handle,
             const cudaMemAccessDesc* descriptors, size_t count) {
    CallScope call;
    if (call.refused_outright())
        return call.refused_outright();
    if (!pool_of(call.card(), handle) || (count && !descriptors))
        return cudaErrorInvalidValue;
    // There is no other device to give access to, and the own one can't be taken away.
    for (std::size_t i = 0; i < count; ++i) {
        if (descriptors[i].location.type != cudaMemLocationTypeDevice)
            return cudaErrorInvalidValue;
        if (descriptors[i].location.id != 0 ||
            descriptors[i].flags != cudaMemAccessFlagsProtReadWrite)
            return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
}

}  // namespace vram::virtual_gpu
