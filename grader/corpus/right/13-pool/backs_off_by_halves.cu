// partial: Traces.StayFast
// Style: first fit again, with patience: it asks for half of the growth, and half of that, down to the
// request; and it gives idle arenas back one by one, the newest first, asking again after each.
#include "pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>

namespace {

struct Place {
    char* begin;
    std::size_t bytes;
    std::size_t asked;  // 0: free
};

struct Arena {
    char* base;
    std::size_t bytes;
    std::list<Place> places;

    bool idle() const { return places.size() == 1 && places.front().asked == 0; }
};

constexpr std::size_t largest_request = SIZE_MAX - pool_alignment;

std::size_t rounded(std::size_t bytes) {
    return (bytes + pool_alignment - 1) / pool_alignment * pool_alignment;
}

}  // namespace

struct Pool {
    PoolConfig config;
    std::list<Arena> arenas;
    PoolStats stats;

    bool add_arena(std::size_t bytes) {
        if (config.limit_bytes != 0 &&
            (bytes > config.limit_bytes || stats.reserved_bytes > config.limit_bytes - bytes)) {
            return false;
        }
        void* base = nullptr;
        if (cudaMalloc(&base, bytes) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
        char* begin = static_cast<char*>(base);
        arenas.push_back({begin, bytes, {{begin, bytes, 0}}});
        ++stats.arenas;
        stats.reserved_bytes += bytes;
        stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
        return true;
    }

    std::size_t trim() {
        std::size_t released = 0;
        for (auto arena = arenas.begin(); arena != arenas.end();) {
            if (!arena->idle()) {
                ++arena;
                continue;
            }
            cudaFree(arena->base);
            released += arena->bytes;
            --stats.arenas;
            arena = arenas.erase(arena);
        }
        stats.reserved_bytes -= released;
        return released;
    }

    void* take_place(std::size_t bytes, std::size_t asked) {
        for (Arena& arena : arenas) {
            for (auto place = arena.places.begin(); place != arena.places.end(); ++place) {
                if (place->asked != 0 || place->bytes < bytes) {
                    continue;
                }
                if (place->bytes > bytes) {
                    arena.places.insert(std::next(place),
                                        {place->begin + bytes, place->bytes - bytes, 0});
                    place->bytes = bytes;
                }
                place->asked = asked;
                return place->begin;
            }
        }
        return nullptr;
    }

    void* allocate(std::size_t asked) {
        if (asked > largest_request) {
            return nullptr;
        }
        const std::size_t bytes = rounded(asked);
        void* block = take_place(bytes, asked);
        if (block == nullptr && grow(bytes)) {
            block = take_place(bytes, asked);
        }
        return block;
    }

    bool grow(std::size_t bytes) {
        for (std::size_t wanted = std::max(bytes, config.growth_bytes); wanted > bytes;
             wanted = rounded(wanted / 2)) {
            if (add_arena(wanted)) {
                return true;
            }
        }
        do {
            if (add_arena(bytes)) {
                return true;
            }
        } while (release_one_idle());
        return false;
    }

    bool release_one_idle() {
        const auto idle = std::find_if(arenas.rbegin(), arenas.rend(),
                                       [](const Arena& arena) { return arena.idle(); });
        if (idle == arenas.rend()) {
            return false;
        }
        cudaFree(idle->base);
        stats.reserved_bytes -= idle->bytes;
        --stats.arenas;
        arenas.erase(std::next(idle).base());
        return true;
    }

    bool free(void* block) {
        for (Arena& arena : arenas) {
            for (auto place = arena.places.begin(); place != arena.places.end(); ++place) {
                if (place->begin == block && place->asked != 0) {
                    --stats.live_blocks;
                    stats.live_bytes -= place->asked;
                    place->asked = 0;
                    merge_around(arena, place);
                    return true;
                }
            }
        }
        return false;
    }

    void merge_around(Arena& arena, std::list<Place>::iterator place) {
        const auto next = std::next(place);
        if (next != arena.places.end() && next->asked == 0) {
            place->bytes += next->bytes;
            arena.places.erase(next);
        }
        if (place != arena.places.begin() && std::prev(place)->asked == 0) {
            std::prev(place)->bytes += place->bytes;
            arena.places.erase(place);
        }
    }

    std::size_t largest_free() const {
        std::size_t largest = 0;
        for (const Arena& arena : arenas) {
            for (const Place& place : arena.places) {
                if (place.asked == 0) {
                    largest = std::max(largest, place.bytes);
                }
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
    Pool* pool = new Pool;
    pool->config.initial_bytes = rounded(config->initial_bytes);
    pool->config.growth_bytes = rounded(config->growth_bytes);
    pool->config.limit_bytes = rounded(config->limit_bytes);
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
    *out = pool->allocate(bytes);
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
    return pool->free(block) ? PoolStatus::ok : PoolStatus::not_a_block;
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
    PoolLeaks out;
    if (pool != nullptr) {
        out = {pool->stats.live_blocks, pool->stats.live_bytes};
        for (const Arena& arena : pool->arenas) {
            cudaFree(arena.base);
        }
        delete pool;
    }
    if (leaks != nullptr) {
        *leaks = out;
    }
    return PoolStatus::ok;
}
