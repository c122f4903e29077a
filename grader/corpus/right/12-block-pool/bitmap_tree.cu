// Style: a bit for each block, and above each 64 of them a bit that says whether any is free: a
// free block is found in one step a level, four levels for a million blocks.
#include "block_pool.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

namespace {

/// A set of numbers below `size` that gives out its least one.
class BitTree {
  public:
    explicit BitTree(std::size_t size) {
        do {
            size = (size + 63) / 64;
            levels_.emplace_back(size, 0);
        } while (size > 1);
    }
    bool empty() const { return levels_.back()[0] == 0; }
    bool contains(std::size_t number) const { return levels_[0][number / 64] >> number % 64 & 1; }
    std::size_t least() const {
        std::size_t number = 0;
        for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
            number = number * 64 + static_cast<std::size_t>(__builtin_ctzll((*level)[number]));
        }
        return number;
    }
    void insert(std::size_t number) {
        for (auto& level : levels_) {
            level[number / 64] |= std::uint64_t{1} << number % 64;
            number /= 64;
        }
    }
    void erase(std::size_t number) {
        for (auto& level : levels_) {
            level[number / 64] &= ~(std::uint64_t{1} << number % 64);
            if (level[number / 64] != 0) {
                return;
            }
            number /= 64;
        }
    }

  private:
    std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace

struct BlockPool {
    BlockPool(std::size_t count, std::size_t block_stride) : stride(block_stride), free(count) {
        for (std::size_t block = 0; block < count; ++block) {
            free.insert(block);
        }
        stats.blocks_total = count;
    }
    ~BlockPool() { cudaFree(slab); }

    void* slab = nullptr;
    std::uintptr_t first = 0;
    std::size_t stride;
    BitTree free;
    BlockPoolStats stats;
};

PoolStatus pool_create(const BlockPoolConfig* config, BlockPool** out) {
    if (out != nullptr) {
        *out = nullptr;
    }
    if (config == nullptr || out == nullptr || config->block_bytes == 0 ||
        config->block_count == 0 || __builtin_popcountll(config->alignment) != 1 ||
        config->alignment > 65536) {
        return PoolStatus::invalid_argument;
    }
    const std::size_t mask = config->alignment - 1;
    if (config->block_bytes > SIZE_MAX - mask) {
        return PoolStatus::out_of_memory;
    }
    const std::size_t stride = (config->block_bytes + mask) & ~mask;
    if (stride == 0 || config->block_count > (SIZE_MAX - mask) / stride) {
        return PoolStatus::out_of_memory;
    }
    void* slab = nullptr;
    if (cudaMalloc(&slab, stride * config->block_count + mask) != cudaSuccess) {
        cudaGetLastError();
        return PoolStatus::out_of_memory;
    }
    auto* pool = new BlockPool(config->block_count, stride);
    pool->slab = slab;
    pool->first = (reinterpret_cast<std::uintptr_t>(slab) + mask) & ~mask;
    pool->stats.slab_bytes = stride * config->block_count + mask;
    *out = pool;
    return PoolStatus::ok;
}

PoolStatus pool_acquire(BlockPool* pool, void** out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    if (pool->free.empty()) {
        *out = nullptr;
        ++pool->stats.refused_acquires;
        return PoolStatus::exhausted;
    }
    const std::size_t block = pool->free.least();
    pool->free.erase(block);
    *out = reinterpret_cast<void*>(pool->first + block * pool->stride);
    if (++pool->stats.blocks_in_use > pool->stats.most_in_use) {
        pool->stats.most_in_use = pool->stats.blocks_in_use;
    }
    return PoolStatus::ok;
}

PoolStatus pool_release(BlockPool* pool, void* block) {
    if (pool == nullptr) {
        return PoolStatus::invalid_argument;
    }
    if (block == nullptr) {
        return PoolStatus::ok;
    }
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(block) - pool->first;
    const std::size_t index = offset / pool->stride;
    if (offset % pool->stride != 0 || index >= pool->stats.blocks_total) {
        return PoolStatus::not_a_block;
    }
    if (pool->free.contains(index)) {
        return PoolStatus::already_free;
    }
    pool->free.insert(index);
    --pool->stats.blocks_in_use;
    return PoolStatus::ok;
}

PoolStatus pool_stats(const BlockPool* pool, BlockPoolStats* out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = pool->stats;
    return PoolStatus::ok;
}

PoolStatus pool_destroy(BlockPool* pool, std::size_t* blocks_in_use) {
    if (blocks_in_use != nullptr) {
        *blocks_in_use = pool == nullptr ? 0 : pool->stats.blocks_in_use;
    }
    delete pool;
    return PoolStatus::ok;
}
