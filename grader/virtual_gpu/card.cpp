#include "grader/virtual_gpu/card.h"

#include "grader/virtual_gpu/clock/cost_table.h"
#include "grader/virtual_gpu/control.h"
#include "grader/virtual_gpu/environment.h"
#include "grader/virtual_gpu/streams/idle_drain.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::uint64_t pool_handles_from = 0x5300'0000'0000;

Card*& the_card() {
    static Card* instance = nullptr;
    return instance;
}

}  // namespace

Card::Card(std::uint64_t seed)
    : variation(seed),
      host_memory(space, variation),
      hazards(space),
      scheduler(card_mutex(), hazards, variation),
      capacity_(environment_memory_size("VRAM_MEMORY", h200_capacity)),
      last_pool_handle_(pool_handles_from) {
    scheduler.after_wait = [this] { settle_pools(); };
    scheduler.after_enqueue = [] { ensure_idle_drain(); };
    scheduler.before_execution = [this] { host_memory.guarded_targets().suspend(); };
    scheduler.after_execution = [this](const Operation& operation,
                                       const std::vector<Access>& accesses) {
        if (operation.calls_host)
            sources.written_by_host_function();
        else
            sources.written_by_device(accesses);
        host_memory.guarded_targets().resume();
    };
}

DeviceMemory& Card::memory() {
    if (!memory_) {
        memory_ = std::make_unique<DeviceMemory>(capacity_, space, variation);
        install_host_fault_handler();
    }
    return *memory_;
}

void Card::reset_contents() {
    pools_.clear();
    current_pool = 0;
    for (Block* block : space.live_blocks()) {
        hazards.forget(*block);
        if (host_memory.is_registered(*block))
            host_memory.leave(*block, 0);
        else if (block->kind == MemoryKind::pinned || block->kind == MemoryKind::managed)
            host_memory.release(*block, 0);
        else if (block->kind != MemoryKind::heap)
            memory().release(*block, 0);
    }
    scheduler.destroy_all();
}

MemoryPool& Card::default_pool() {
    return pools_.empty() ? add_pool() : *pools_.front();
}

MemoryPool& Card::create_pool() {
    default_pool();  // always the first
    return add_pool();
}

MemoryPool& Card::add_pool() {
    auto& pool = *pools_.emplace_back(std::make_unique<MemoryPool>(memory(), space, variation));
    pool.handle = ++last_pool_handle_ * 64;
    return pool;
}

MemoryPool* Card::find_pool(std::uint64_t handle) {
    for (const auto& pool : pools_)
        if (pool->handle == handle && !pool->destroyed)
            return pool.get();
    return nullptr;
}

bool Card::destroy_pool(std::uint64_t handle) {
    MemoryPool* pool = find_pool(handle);
    if (!pool || pool == pools_.front().get())
        return false;
    if (current_pool == handle)
        current_pool = 0;
    pool->destroyed = true;
    pool->threshold = 0;
    bury_unused_pools();
    return true;
}

// A destroyed pool stays until its last block is freed.
void Card::bury_unused_pools() {
    std::erase_if(pools_, [&](const std::unique_ptr<MemoryPool>& pool) {
        return pool->destroyed && pool->used() == 0 && !pool->waits_for_frees();
    });
}

MemoryPool* Card::pool_of(std::uint64_t address) {
    for (const auto& pool : pools_)
        if (pool->owns(address))
            return pool.get();
    return nullptr;
}

void Card::settle_pools() {
    for (const auto& pool : pools_) {
        if (!pool->can_settle(scheduler.host_clock()))
            continue;
        // Work that nothing orders before the free is judged while the block still stands.
        scheduler.run_without_waiting();
        const std::size_t returned = pool->settle(scheduler.host_clock());
        if (returned)
            scheduler.spend(cost::reserve(returned));
    }
    bury_unused_pools();
}

std::mutex& card_mutex() {
    static std::mutex* mutex = new std::mutex;
    return *mutex;
}

Card& card() {
    if (!the_card())
        replace_card(environment_number("VRAM_SEED", 0));
    return *the_card();
}

bool card_exists() {
    return the_card() != nullptr;
}

void replace_card(std::uint64_t seed) {
    delete the_card();
    the_card() = nullptr;
    the_card() = new Card(seed);
}

}  // namespace vram::virtual_gpu
