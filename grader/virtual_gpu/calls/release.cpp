#include "grader/virtual_gpu/calls/release.h"

#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/clock/cost_table.h"

namespace vram::virtual_gpu {
namespace {

/// What is ordered before a free by the host. Work of the default stream counts too: that a free
/// comes after it is how the default stream is commonly understood, and no accusation is made.
VectorClock before_free(Card& card) {
    VectorClock ordered = card.scheduler.host_clock();
    ordered.join(card.scheduler.legacy()->clock);
    ordered.join(card.scheduler.per_thread()->clock);
    return ordered;
}

/// Judges the work that may still use the block, while the block is still there. As measured, the
/// host waits for all work meanwhile; where the seed says that it doesn't, other work stays pending.
void run_before_free(Card& card, const Block& block) {
    if (!card.variation.free_waits()) {
        card.scheduler.run_work_on(block.begin, block.end);
        return;
    }
    card.scheduler.run_without_waiting();
    card.scheduler.wait_in_time_only();
}

}  // namespace

cudaError_t free_now(Card& card, Block& block, const char* call) {
    const bool pinned = block.kind == MemoryKind::pinned;
    const VectorClock ordered = before_free(card);
    run_before_free(card, block);
    if (outcome(card))
        return outcome(card);
    if (!block.live)  // an earlier cudaFreeAsync was still on its way
        return cudaSuccess;
    card.hazards.host_frees(
        block, ordered, *origin_of(call),
        pinned ? ReportKind::host_buffer_in_flight : ReportKind::free_in_flight);
    const std::size_t bytes = block.end - block.begin;
    const CallNumber number = observer().current_call();
    if (block.kind == MemoryKind::device) {
        const std::size_t before = card.memory().available();
        card.memory().release(block, number);
        card.scheduler.spend(cost::release(bytes, card.memory().available() == before));
    } else {
        card.host_memory.release(block, number);
    }
    return cudaSuccess;
}

cudaError_t free_async_block_now(Card& card, Block& block, const char* call) {
    MemoryPool* pool = card.pool_of(block.begin);
    if (!pool)
        return cudaErrorInvalidValue;
    const VectorClock ordered = before_free(card);
    card.scheduler.run_work_on(block.begin, block.end);
    if (outcome(card))
        return outcome(card);
    card.hazards.host_frees(block, ordered, *origin_of(call), ReportKind::free_in_flight);
    pool->release_behind_its_back(block, observer().current_call());
    pool->settle(card.scheduler.host_clock());
    return cudaSuccess;
}

cudaError_t unregister_now(Card& card, Block& block) {
    const VectorClock ordered = before_free(card);
    run_before_free(card, block);
    if (outcome(card))
        return outcome(card);
    card.hazards.host_frees(block, ordered, *origin_of("cudaHostUnregister"),
                            ReportKind::host_buffer_in_flight);
    card.host_memory.leave(block, observer().current_call());
    return cudaSuccess;
}

}  // namespace vram::virtual_gpu
