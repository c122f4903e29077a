#include "grader/virtual_gpu/control.h"

#include <mutex>

#include "grader/virtual_gpu/card.h"
#include "grader/virtual_gpu/memory/device_heap.h"
#include "grader/virtual_gpu/modules/kernel_table.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::size_t smallest_card = std::size_t{4} << 20;
constexpr std::size_t largest_card = std::size_t{1} << 40;

}  // namespace

void vary(std::uint64_t seed) {
    const std::lock_guard lock(card_mutex());
    Card& device = card();
    if (!device.has_memory() && device.scheduler.idle() && device.space.live_blocks().empty()) {
        const std::size_t capacity = device.capacity();
        replace_card(seed);
        card().set_capacity(capacity);
        return;
    }
    device.variation = Variation(seed);
}

std::uint64_t seed() {
    const std::lock_guard lock(card_mutex());
    return card().variation.seed();
}

bool set_capacity(std::size_t bytes) {
    const std::lock_guard lock(card_mutex());
    if (card().has_memory() || bytes < smallest_card || bytes > largest_card)
        return false;
    card().set_capacity(bytes);
    return true;
}

std::uint64_t virtual_nanoseconds() {
    const std::lock_guard lock(card_mutex());
    return card().scheduler.host_nanoseconds();
}

std::vector<KernelStatistics> kernel_statistics() {
    const std::lock_guard lock(card_mutex());
    return statistics().all();
}

ptx::Counters total_counters() {
    const std::lock_guard lock(card_mutex());
    return statistics().total();
}

void reset_statistics() {
    const std::lock_guard lock(card_mutex());
    statistics().clear();
}

std::size_t live_device_bytes() {
    const std::lock_guard lock(card_mutex());
    std::size_t bytes = 0;
    for (const Block* block : card().space.live_blocks())
        if (block->kind == MemoryKind::device ||
            (block->kind == MemoryKind::device_async && card().pool_of(block->begin)))
            bytes += block->end - block->begin;
    return bytes;
}

void finish_pending_work() {
    const std::lock_guard lock(card_mutex());
    if (card_exists())
        card().scheduler.run_everything();
}

void reset() {
    const std::lock_guard lock(card_mutex());
    const std::uint64_t seed = card().variation.seed();
    const std::size_t capacity = card().capacity();
    device_heap().forget();
    forget_variables();
    replace_card(seed);
    card().set_capacity(capacity);
    statistics().clear();
}

}  // namespace vram::virtual_gpu
