// fails: Cost.NoCallAndNoSearch
// diagnosis: cost-grows
// may also fail: Release.BlocksComeBack

// Free blocks are kept in order, which takes the longer the more of them there are.
#include "block_pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

constexpr std::size_t largest_alignment = 65536;
/// What cudaMalloc promises about its addresses.
constexpr std::size_t slab_alignment = 256;

bool is_power_of_two(std::size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/// `multiple` is a power of two, and the result has to fit.
std::size_t round_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) & ~(multiple - 1);
}

bool makes_sense(const BlockPoolConfig& config) {
    return config.block_bytes > 0 && config.block_count > 0 && is_power_of_two(config.alignment) &&
           config.alignment <= largest_alignment;
}

}  // namespace

struct BlockPool {
    void* slab = nullptr;
    std::uintptr_t first_block = 0;
    std::size_t stride = 0;                ///< bytes from block to block
    std::vector<std::size_t> free_blocks;  ///< a stack: the block released last is acquired first
    std::vector<bool> in_use;
    BlockPoolStats stats;
};

PoolStatus pool_create(const BlockPoolConfig* config, BlockPool** out) {
    if (out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (config == nullptr || !makes_sense(*config)) {
        return PoolStatus::invalid_argument;
    }
    // The slab's address may be less aligned than a block has to be: room to move the first one.
    const std::size_t slack =
        config->alignment > slab_alignment ? config->alignment - slab_alignment : 0;
    if (config->block_bytes > SIZE_MAX - config->alignment) {
        return PoolStatus::out_of_memory;
    }
    const std::size_t stride = round_up(config->block_bytes, config->alignment);
    if (config->block_count > (SIZE_MAX - slack) / stride) {
        return PoolStatus::out_of_memory;
    }
    const std::size_t slab_bytes = config->block_count * stride + slack;
    void* slab = nullptr;
    if (cudaMalloc(&slab, slab_bytes) != cudaSuccess) {
        cudaGetLastError();  // handled here: nobody else shall find it
        return PoolStatus::out_of_memory;
    }
    auto* pool = new BlockPool;
    pool->slab = slab;
    pool->first_block = round_up(reinterpret_cast<std::uintptr_t>(slab), config->alignment);
    pool->stride = stride;
    pool->in_use.assign(config->block_count, false);
    for (std::size_t block = config->block_count; block > 0; --block) {
        pool->free_blocks.push_back(block - 1);
    }
    pool->stats.blocks_total = config->block_count;
    pool->stats.slab_bytes = slab_bytes;
    *out = pool;
    return PoolStatus::ok;
}

PoolStatus pool_acquire(BlockPool* pool, void** out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (pool->free_blocks.empty()) {
        ++pool->stats.refused_acquires;
        return PoolStatus::exhausted;
    }
    const std::size_t block = pool->free_blocks.back();
    pool->free_blocks.pop_back();
    pool->in_use[block] = true;
    ++pool->stats.blocks_in_use;
    pool->stats.most_in_use = std::max(pool->stats.most_in_use, pool->stats.blocks_in_use);
    *out = reinterpret_cast<void*>(pool->first_block + block * pool->stride);
    return PoolStatus::ok;
}

PoolStatus pool_release(BlockPool* pool, void* block) {
    if (pool == nullptr) {
        return PoolStatus::invalid_argument;
    }
    if (block == nullptr) {
        return PoolStatus::ok;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::size_t offset = address - pool->first_block;
    const std::size_t index = offset / pool->stride;
    if (address < pool->first_block || offset % pool->stride != 0 ||
        index >= pool->stats.blocks_total) {
        return PoolStatus::not_a_block;
    }
    if (!pool->in_use[index]) {
        return PoolStatus::already_free;
    }
    pool->in_use[index] = false;
    pool->free_blocks.insert(
        std::lower_bound(pool->free_blocks.begin(), pool->free_blocks.end(), index), index);
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
        *blocks_in_use = pool != nullptr ? pool->stats.blocks_in_use : 0;
    }
    if (pool != nullptr) {
        cudaFree(pool->slab);
        delete pool;
    }
    return PoolStatus::ok;
}
