// partial: Traces.StayFast
// Style: a bit for each unit of 256 bytes, one bitmap an arena, and the length of each block in use
// in a table. Nothing is ever split or merged; a free place is a run of zeros.
#include "pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace {

constexpr std::size_t largest_request = SIZE_MAX - pool_alignment;

std::size_t rounded(std::size_t bytes) {
    return (bytes + pool_alignment - 1) / pool_alignment * pool_alignment;
}

/// Bits of which a set one means a unit in use.
class Bitmap {
  public:
    explicit Bitmap(std::size_t bits) : bits_(bits), words_((bits + 63) / 64, 0) {}

    std::size_t size() const { return bits_; }

    /// The first bit from `from` on that has the value, or size().
    std::size_t find(bool value, std::size_t from) const {
        while (from < bits_) {
            std::uint64_t word = words_[from / 64];
            word = (value ? word : ~word) >> from % 64;
            if (word != 0) {
                return std::min(bits_, from + static_cast<std::size_t>(__builtin_ctzll(word)));
            }
            from = (from / 64 + 1) * 64;
        }
        return bits_;
    }

    void set(std::size_t begin, std::size_t count, bool value) {
        for (std::size_t bit = begin; bit < begin + count;) {
            const std::size_t here = std::min(64 - bit % 64, begin + count - bit);
            const std::uint64_t ones =
                here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
            const std::uint64_t mask = ones << bit % 64;
            words_[bit / 64] = value ? words_[bit / 64] | mask : words_[bit / 64] & ~mask;
            bit += here;
        }
    }

    /// The beginning of the first run of `count` zeros, or size(); the longest run seen on the way.
    std::size_t find_run(std::size_t count, std::size_t* longest) const {
        for (std::size_t begin = find(false, 0); begin < bits_;) {
            const std::size_t end = find(true, begin);
            *longest = std::max(*longest, end - begin);
            if (end - begin >= count) {
                return begin;
            }
            begin = find(false, end);
        }
        return bits_;
    }

  private:
    std::size_t bits_;
    std::vector<std::uint64_t> words_;
};

struct Arena {
    std::uintptr_t base;
    Bitmap units;
    std::size_t blocks_in_use = 0;
};

struct Block {
    Arena* arena;
    std::size_t asked;
};

}  // namespace

struct Pool {
    explicit Pool(const PoolConfig& pool_config) : config(pool_config) {}
    ~Pool() {
        for (const auto& arena : arenas) {
            cudaFree(reinterpret_cast<void*>(arena->base));
        }
    }

    PoolConfig config;
    PoolStats stats;
    std::vector<std::unique_ptr<Arena>> arenas;
    std::unordered_map<std::uintptr_t, Block> in_use;

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
        arenas.push_back(std::make_unique<Arena>(
            Arena{reinterpret_cast<std::uintptr_t>(memory), Bitmap(bytes / pool_alignment)}));
        stats.arenas = arenas.size();
        stats.reserved_bytes += bytes;
        stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
        return true;
    }

    std::size_t trim() {
        std::size_t released = 0;
        const auto idle =
            std::stable_partition(arenas.begin(), arenas.end(),
                                  [](const auto& arena) { return arena->blocks_in_use > 0; });
        for (auto arena = idle; arena != arenas.end(); ++arena) {
            cudaFree(reinterpret_cast<void*>((*arena)->base));
            released += (*arena)->units.size() * pool_alignment;
        }
        arenas.erase(idle, arenas.end());
        stats.arenas = arenas.size();
        stats.reserved_bytes -= released;
        return released;
    }

    void* take(std::size_t units, std::size_t asked) {
        for (const auto& arena : arenas) {
            std::size_t longest = 0;
            const std::size_t begin = arena->units.find_run(units, &longest);
            if (begin == arena->units.size()) {
                continue;
            }
            arena->units.set(begin, units, true);
            ++arena->blocks_in_use;
            const std::uintptr_t address = arena->base + begin * pool_alignment;
            in_use[address] = {arena.get(), asked};
            return reinterpret_cast<void*>(address);
        }
        return nullptr;
    }

    void* allocate(std::size_t asked) {
        const std::size_t bytes = rounded(asked);
        void* block = take(bytes / pool_alignment, asked);
        if (block == nullptr && (add_arena(std::max(bytes, config.growth_bytes)) ||
                                 add_arena(bytes) || (trim() > 0 && add_arena(bytes)))) {
            block = take(bytes / pool_alignment, asked);
        }
        return block;
    }

    bool free(std::uintptr_t address) {
        const auto entry = in_use.find(address);
        if (entry == in_use.end()) {
            return false;
        }
        const auto [arena, asked] = entry->second;
        arena->units.set((address - arena->base) / pool_alignment, rounded(asked) / pool_alignment,
                         false);
        --arena->blocks_in_use;
        --stats.live_blocks;
        stats.live_bytes -= asked;
        in_use.erase(entry);
        return true;
    }

    std::size_t largest_free() {
        std::size_t longest = 0;
        for (const auto& arena : arenas) {
            (void)arena->units.find_run(SIZE_MAX, &longest);
        }
        return longest * pool_alignment;
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
