// partial: Traces.UseMemoryWell
// Style: binary buddies. An arena is cut into trees, the largest powers of two that fit one after
// the other; a block is a power of two of units, aligned to its size within the arena. An arena of
// which nothing is in use is also given as a whole to a request that no tree can hold.
#include "pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace {

constexpr int orders = 48;
constexpr std::size_t largest_request = pool_alignment << (orders - 1);

std::size_t rounded(std::size_t bytes) {
    return (bytes + pool_alignment - 1) / pool_alignment * pool_alignment;
}

std::size_t bytes_of(int order) {
    return pool_alignment << order;
}

int order_for(std::size_t bytes) {
    int order = 0;
    while (bytes_of(order) < bytes) {
        ++order;
    }
    return order;
}

constexpr int whole_arena = -1;

struct Arena {
    std::size_t bytes = 0;
    std::size_t blocks_in_use = 0;
};

struct Block {
    std::uintptr_t arena = 0;
    int order = 0;
    std::size_t asked = 0;
};

}  // namespace

struct Pool {
    explicit Pool(const PoolConfig& pool_config) : config(pool_config) {}
    ~Pool() {
        for (const auto& [base, arena] : arenas) {
            cudaFree(reinterpret_cast<void*>(base));
        }
    }

    using Place = std::pair<std::uintptr_t, std::uintptr_t>;  // address, arena

    PoolConfig config;
    PoolStats stats;
    std::map<std::uintptr_t, Arena> arenas;
    std::array<std::set<Place>, orders> free_places;
    std::unordered_map<std::uintptr_t, Block> in_use;

    /// Calls action(address, order) for each tree of an arena.
    template <class Action>
    void for_each_tree(std::uintptr_t base, std::size_t bytes, Action action) {
        std::size_t offset = 0;
        for (int order = orders - 1; order >= 0; --order) {
            if (bytes - offset >= bytes_of(order)) {
                action(base + offset, order);
                offset += bytes_of(order);
            }
        }
    }

    bool add_arena(std::size_t bytes) {
        if (config.limit_bytes != 0 &&
            (bytes > config.limit_bytes || stats.reserved_bytes > config.limit_bytes - bytes)) {
            return false;
        }
        void* memory = nullptr;
        if (cudaMalloc(&memory, bytes) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
        const auto base = reinterpret_cast<std::uintptr_t>(memory);
        arenas[base].bytes = bytes;
        plant_trees(base);
        ++stats.arenas;
        stats.reserved_bytes += bytes;
        stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
        return true;
    }

    void plant_trees(std::uintptr_t base) {
        for_each_tree(base, arenas[base].bytes, [&](std::uintptr_t address, int order) {
            free_places[order].insert({address, base});
        });
    }
    void cut_trees(std::uintptr_t base) {
        for_each_tree(base, arenas[base].bytes, [&](std::uintptr_t address, int order) {
            free_places[order].erase({address, base});
        });
    }

    std::size_t trim() {
        std::size_t released = 0;
        for (auto arena = arenas.begin(); arena != arenas.end();) {
            if (arena->second.blocks_in_use != 0) {
                ++arena;
                continue;
            }
            cut_trees(arena->first);
            cudaFree(reinterpret_cast<void*>(arena->first));
            released += arena->second.bytes;
            --stats.arenas;
            arena = arenas.erase(arena);
        }
        stats.reserved_bytes -= released;
        return released;
    }

    bool take(std::size_t bytes, std::uintptr_t* address, Block* block) {
        const int wanted = order_for(bytes);
        int order = wanted;
        while (order < orders && free_places[order].empty()) {
            ++order;
        }
        if (order == orders) {
            return take_whole_arena(bytes, address, block);
        }
        const Place place = *free_places[order].begin();
        free_places[order].erase(place);
        while (order > wanted) {
            --order;
            free_places[order].insert({place.first + bytes_of(order), place.second});
        }
        *address = place.first;
        *block = {place.second, wanted, 0};
        return true;
    }

    bool take_whole_arena(std::size_t bytes, std::uintptr_t* address, Block* block) {
        for (const auto& [base, arena] : arenas) {
            if (arena.blocks_in_use == 0 && arena.bytes >= bytes) {
                cut_trees(base);
                *address = base;
                *block = {base, whole_arena, 0};
                return true;
            }
        }
        return false;
    }

    void* allocate(std::size_t asked) {
        const std::size_t bytes = rounded(asked);
        std::uintptr_t address = 0;
        Block block;
        bool found = take(bytes, &address, &block);
        if (!found && (add_arena(std::max(bytes, config.growth_bytes)) || add_arena(bytes) ||
                       (trim() > 0 && add_arena(bytes)))) {
            found = take(bytes, &address, &block);
        }
        if (!found) {
            return nullptr;
        }
        block.asked = asked;
        in_use[address] = block;
        ++arenas[block.arena].blocks_in_use;
        return reinterpret_cast<void*>(address);
    }

    bool free(std::uintptr_t address) {
        const auto entry = in_use.find(address);
        if (entry == in_use.end()) {
            return false;
        }
        const Block block = entry->second;
        in_use.erase(entry);
        --stats.live_blocks;
        stats.live_bytes -= block.asked;
        --arenas[block.arena].blocks_in_use;
        if (block.order == whole_arena) {
            plant_trees(block.arena);
        } else {
            join_buddies(address, block);
        }
        return true;
    }

    /// The offset of a tree is a multiple of its size, so that buddies differ in one bit of it.
    void join_buddies(std::uintptr_t address, const Block& block) {
        int order = block.order;
        while (true) {
            const std::uintptr_t buddy = block.arena + ((address - block.arena) ^ bytes_of(order));
            if (free_places[order].erase({buddy, block.arena}) == 0) {
                break;
            }
            address = std::min(address, buddy);
            ++order;
        }
        free_places[order].insert({address, block.arena});
    }

    std::size_t largest_free() {
        std::size_t largest = 0;
        for (int order = 0; order < orders; ++order) {
            if (!free_places[order].empty()) {
                largest = bytes_of(order);
            }
        }
        for (const auto& [base, arena] : arenas) {
            if (arena.blocks_in_use == 0) {
                largest = std::max(largest, arena.bytes);
            }
        }
        return largest;
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
    if (std::max({config->initial_bytes, config->growth_bytes, config->limit_bytes}) >
        largest_request) {
        return PoolStatus::out_of_memory;
    }
    auto pool = std::make_unique<Pool>(PoolConfig{rounded(config->initial_bytes),
                                                  rounded(config->growth_bytes),
                                                  rounded(config->limit_bytes)});
    if (config->initial_bytes != 0 && !pool->add_arena(rounded(config->initial_bytes))) {
        return PoolStatus::out_of_memory;
    }
    *out = pool.release();
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
    if (bytes <= largest_request) {
        *out = pool->allocate(bytes);
    }
    if (*out == nullptr) {
        ++pool->stats.failed_requests;
        return PoolStatus::out_of_memory;
    }
    ++pool->stats.live_blocks;
    pool->stats.live_bytes += bytes;
    pool->stats.peak_live_bytes = std::max(pool->stats.peak_live_bytes, pool->stats.live_bytes);
    return PoolStatus::ok;
}

PoolStatus pool_free(Pool* pool, void* block) {
    if (pool == nullptr) {
        return PoolStatus::invalid_argument;
    }
    if (block == nullptr) {
        return PoolStatus::ok;
    }
    return pool->free(reinterpret_cast<std::uintptr_t>(block)) ? PoolStatus::ok
                                                               : PoolStatus::not_a_block;
}

PoolStatus pool_stats(Pool* pool, PoolStats* out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = pool->stats;
    out->largest_free_bytes = pool->largest_free();
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
    const std::unique_ptr<Pool> last(pool);
    if (leaks != nullptr) {
        *leaks = last ? PoolLeaks{last->stats.live_blocks, last->stats.live_bytes} : PoolLeaks{};
    }
    return PoolStatus::ok;
}
