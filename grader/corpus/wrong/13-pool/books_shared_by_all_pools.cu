// fails: Misuse.IsRefused
// diagnosis: foreign-accepted
// may also fail: Merge.NeverAcrossArenas, Traces.UseMemoryWell,
//     Statistics.AreTrue, Destroy.ReportsAndGivesBack, Traces.StayFast, Blocks.AreAlignedAndApart,
//     Reuse.FreedMemoryServesAgain, Merge.NeighboursBecomeOne, Growth.BacksOff,
//     Trim.GivesBackIdleArenas
// mistake: G14

// One table of blocks serves all pools, so that each frees what is another's.
#include "pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

struct Block {
    std::size_t size = 0;
    std::size_t asked = 0;  // 0: the block is free
    std::uintptr_t arena = 0;
};

std::size_t rounded(std::size_t bytes) {
    return (bytes + pool_alignment - 1) / pool_alignment * pool_alignment;
}

bool can_be_rounded(std::size_t bytes) {
    return bytes <= SIZE_MAX - pool_alignment;
}

}  // namespace

struct Pool {
    PoolConfig config;
    inline static std::map<std::uintptr_t, Block> blocks;
    std::set<std::pair<std::size_t, std::uintptr_t>> free_by_size;
    std::map<std::uintptr_t, std::size_t> arenas;
    PoolStats stats;

    bool add_arena(std::size_t size) {
        if (config.limit_bytes != 0 &&
            (size > config.limit_bytes || stats.reserved_bytes > config.limit_bytes - size)) {
            return false;
        }
        void* base = nullptr;
        if (cudaMalloc(&base, size) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
        const auto address = reinterpret_cast<std::uintptr_t>(base);
        arenas[address] = size;
        blocks[address] = {size, 0, address};
        free_by_size.insert({size, address});
        ++stats.arenas;
        stats.reserved_bytes += size;
        stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
        return true;
    }

    std::size_t trim() {
        std::size_t released = 0;
        for (auto arena = arenas.begin(); arena != arenas.end();) {
            const auto [address, size] = *arena;
            const Block& first = blocks[address];
            if (first.asked != 0 || first.size != size) {
                ++arena;
                continue;
            }
            free_by_size.erase({size, address});
            blocks.erase(address);
            cudaFree(reinterpret_cast<void*>(address));
            arena = arenas.erase(arena);
            --stats.arenas;
            stats.reserved_bytes -= size;
            released += size;
        }
        return released;
    }

    bool grow(std::size_t size) {
        do {
            if (add_arena(std::max(size, config.growth_bytes)) || add_arena(size)) {
                return true;
            }
        } while (trim() != 0);
        return false;
    }

    void* allocate(std::size_t asked) {
        const std::size_t size = rounded(asked);
        auto best = free_by_size.lower_bound({size, 0});
        if (best == free_by_size.end()) {
            if (!grow(size)) {
                return nullptr;
            }
            best = free_by_size.lower_bound({size, 0});
        }
        const std::uintptr_t address = best->second;
        free_by_size.erase(best);
        Block& block = blocks[address];
        if (block.size > size) {
            blocks[address + size] = {block.size - size, 0, block.arena};
            free_by_size.insert({block.size - size, address + size});
            block.size = size;
        }
        block.asked = asked;
        ++stats.live_blocks;
        stats.live_bytes += asked;
        stats.peak_live_bytes = std::max(stats.peak_live_bytes, stats.live_bytes);
        return reinterpret_cast<void*>(address);
    }

    bool free(std::uintptr_t address) {
        auto block = blocks.find(address);
        if (block == blocks.end() || block->second.asked == 0) {
            return false;
        }
        --stats.live_blocks;
        stats.live_bytes -= std::exchange(block->second.asked, 0);
        const auto after = std::next(block);
        if (after != blocks.end() && is_free_in(after->second, block->second.arena)) {
            block = merge(block, after);
        }
        if (block != blocks.begin() && is_free_in(std::prev(block)->second, block->second.arena)) {
            block = merge(std::prev(block), block);
        }
        free_by_size.insert({block->second.size, block->first});
        return true;
    }

    static bool is_free_in(const Block& block, std::uintptr_t arena) {
        return block.asked == 0 && block.arena == arena;
    }

    using Place = std::map<std::uintptr_t, Block>::iterator;
    Place merge(Place lower, Place upper) {
        free_by_size.erase({lower->second.size, lower->first});
        free_by_size.erase({upper->second.size, upper->first});
        lower->second.size += upper->second.size;
        blocks.erase(upper);
        return lower;
    }

    void release_all() {
        for (const auto& [address, size] : arenas) {
            cudaFree(reinterpret_cast<void*>(address));
        }
    }
};

PoolStatus pool_create(const PoolConfig* config, Pool** out) {
    if (out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (config == nullptr ||
        (config->limit_bytes != 0 && config->initial_bytes > config->limit_bytes)) {
        return PoolStatus::invalid_argument;
    }
    if (!can_be_rounded(config->initial_bytes) || !can_be_rounded(config->growth_bytes) ||
        !can_be_rounded(config->limit_bytes)) {
        return PoolStatus::out_of_memory;
    }
    auto* pool = new Pool;
    pool->config = {rounded(config->initial_bytes), rounded(config->growth_bytes),
                    rounded(config->limit_bytes)};
    if (pool->config.initial_bytes != 0 && !pool->add_arena(pool->config.initial_bytes)) {
        delete pool;
        return PoolStatus::out_of_memory;
    }
    *out = pool;
    return PoolStatus::ok;
}

PoolStatus pool_allocate(Pool* pool, std::size_t bytes, void** out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (bytes == 0) {
        return PoolStatus::ok;
    }
    if (can_be_rounded(bytes)) {
        *out = pool->allocate(bytes);
    }
    if (*out == nullptr) {
        ++pool->stats.failed_requests;
        return PoolStatus::out_of_memory;
    }
    return PoolStatus::ok;
}

PoolStatus pool_free(Pool* pool, void* block) {
    if (pool == nullptr) {
        return PoolStatus::invalid_argument;
    }
    if (block == nullptr || pool->free(reinterpret_cast<std::uintptr_t>(block))) {
        return PoolStatus::ok;
    }
    return PoolStatus::not_a_block;
}

PoolStatus pool_stats(Pool* pool, PoolStats* out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = pool->stats;
    out->largest_free_bytes = pool->free_by_size.empty() ? 0 : pool->free_by_size.rbegin()->first;
    return PoolStatus::ok;
}

PoolStatus pool_trim(Pool* pool, std::size_t* released_bytes) {
    const std::size_t released = pool != nullptr ? pool->trim() : 0;
    if (released_bytes != nullptr) {
        *released_bytes = released;
    }
    return pool != nullptr ? PoolStatus::ok : PoolStatus::invalid_argument;
}

PoolStatus pool_destroy(Pool* pool, PoolLeaks* leaks) {
    if (leaks != nullptr) {
        *leaks = {};
    }
    if (pool == nullptr) {
        return PoolStatus::ok;
    }
    if (leaks != nullptr) {
        *leaks = {pool->stats.live_blocks, pool->stats.live_bytes};
    }
    pool->release_all();
    delete pool;
    return PoolStatus::ok;
}
