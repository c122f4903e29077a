// fails: Trim.GivesBackIdleArenas
// diagnosis: wrong-trim
// mistake: G3

// Neighbours are merged when a request needs it, and not before a trim: an idle arena in two pieces
// stays.
#include "pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t largest_request = SIZE_MAX - pool_alignment;

std::size_t rounded(std::size_t bytes) {
    return (bytes + pool_alignment - 1) / pool_alignment * pool_alignment;
}

struct Place {
    std::uintptr_t begin;
    std::size_t bytes;
    std::uintptr_t arena;
};

struct InUse {
    Place place;
    std::size_t asked;
};

/// Eight classes for each power of two.
unsigned class_of(std::size_t bytes) {
    const unsigned power = 63U - static_cast<unsigned>(__builtin_clzll(bytes));
    return power * 8 + static_cast<unsigned>(bytes >> (power - 3) & 7);
}
constexpr unsigned classes = 64 * 8;

}  // namespace

struct Pool {
    explicit Pool(const PoolConfig& pool_config) : config(pool_config) {}
    ~Pool() {
        for (const auto& [base, bytes] : arenas) {
            cudaFree(reinterpret_cast<void*>(base));
        }
    }

    PoolConfig config;
    PoolStats stats;
    std::map<std::uintptr_t, std::size_t> arenas;
    std::array<std::vector<Place>, classes> lists;
    std::unordered_map<std::uintptr_t, InUse> in_use;

    void keep(const Place& place) { lists[class_of(place.bytes)].push_back(place); }

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
        arenas[base] = bytes;
        keep({base, bytes, base});
        ++stats.arenas;
        stats.reserved_bytes += bytes;
        stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
        return true;
    }

    /// Takes all free places out of the lists, merges neighbours, and returns them by address.
    std::vector<Place> merged_places() {
        std::vector<Place> places;
        for (auto& list : lists) {
            places.insert(places.end(), list.begin(), list.end());
            list.clear();
        }
        std::sort(places.begin(), places.end(),
                  [](const Place& a, const Place& b) { return a.begin < b.begin; });
        std::vector<Place> merged;
        for (const Place& place : places) {
            if (!merged.empty() && merged.back().arena == place.arena &&
                merged.back().begin + merged.back().bytes == place.begin) {
                merged.back().bytes += place.bytes;
            } else {
                merged.push_back(place);
            }
        }
        return merged;
    }

    void coalesce() {
        for (const Place& place : merged_places()) {
            keep(place);
        }
    }

    std::size_t trim() {
        std::size_t released = 0;
        std::vector<Place> all;
        for (auto& list : lists) {
            all.insert(all.end(), list.begin(), list.end());
            list.clear();
        }
        for (const Place& place : all) {
            if (place.begin != place.arena || place.bytes != arenas[place.arena]) {
                keep(place);
                continue;
            }
            cudaFree(reinterpret_cast<void*>(place.arena));
            arenas.erase(place.arena);
            released += place.bytes;
            --stats.arenas;
        }
        stats.reserved_bytes -= released;
        return released;
    }

    bool take(std::size_t bytes, Place* found) {
        for (unsigned c = class_of(bytes); c < classes; ++c) {
            auto& list = lists[c];
            for (std::size_t index = list.size(); index-- > 0;) {
                if (list[index].bytes >= bytes) {
                    *found = list[index];
                    list[index] = list.back();
                    list.pop_back();
                    return true;
                }
            }
        }
        return false;
    }

    bool take_somehow(std::size_t bytes, Place* found) {
        if (take(bytes, found)) {
            return true;
        }
        coalesce();
        if (take(bytes, found)) {
            return true;
        }
        if (add_arena(std::max(bytes, config.growth_bytes)) || add_arena(bytes) ||
            (trim() > 0 && add_arena(bytes))) {
            return take(bytes, found);
        }
        return false;
    }

    void* allocate(std::size_t asked) {
        const std::size_t bytes = rounded(asked);
        Place place{};
        if (!take_somehow(bytes, &place)) {
            return nullptr;
        }
        if (place.bytes > bytes) {
            keep({place.begin + bytes, place.bytes - bytes, place.arena});
            place.bytes = bytes;
        }
        in_use[place.begin] = {place, asked};
        return reinterpret_cast<void*>(place.begin);
    }

    bool free(std::uintptr_t address) {
        const auto entry = in_use.find(address);
        if (entry == in_use.end()) {
            return false;
        }
        --stats.live_blocks;
        stats.live_bytes -= entry->second.asked;
        keep(entry->second.place);
        in_use.erase(entry);
        return true;
    }

    std::size_t largest_free() {
        coalesce();
        for (unsigned c = classes; c-- > 0;) {
            std::size_t largest = 0;
            for (const Place& place : lists[c]) {
                largest = std::max(largest, place.bytes);
            }
            if (largest > 0) {
                return largest;
            }
        }
        return 0;
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
