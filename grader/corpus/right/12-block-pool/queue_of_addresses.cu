// Style: the block released longest ago is acquired first (a ring), the blocks in use are in a hash
// table by address, and what goes wrong inside travels as an exception.
#include "block_pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <unordered_map>

namespace {

struct Refused {
    PoolStatus status;
};

std::size_t times(std::size_t a, std::size_t b) {
    if (a != 0 && b > SIZE_MAX / a) {
        throw Refused{PoolStatus::out_of_memory};
    }
    return a * b;
}

std::size_t plus(std::size_t a, std::size_t b) {
    if (a > SIZE_MAX - b) {
        throw Refused{PoolStatus::out_of_memory};
    }
    return a + b;
}

struct FreeOnDevice {
    void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, FreeOnDevice>;

DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        throw Refused{PoolStatus::out_of_memory};
    }
    return DeviceMemory(memory);
}

template <class Action>
PoolStatus status_of(Action&& action) {
    try {
        action();
        return PoolStatus::ok;
    } catch (const Refused& refused) {
        return refused.status;
    } catch (const std::exception&) {
        return PoolStatus::out_of_memory;
    }
}

}  // namespace

struct BlockPool {
    explicit BlockPool(const BlockPoolConfig& config) {
        const std::size_t a = config.alignment;
        if (config.block_bytes == 0 || config.block_count == 0 || a == 0 || a > 65536 ||
            (a & (a - 1)) != 0) {
            throw Refused{PoolStatus::invalid_argument};
        }
        const std::size_t stride = plus(config.block_bytes, a - 1) / a * a;
        stats.slab_bytes =
            plus(times(stride, config.block_count), std::max<std::size_t>(a, 256) - 256);
        slab = allocate(stats.slab_bytes);
        stats.blocks_total = config.block_count;
        std::uintptr_t address = (reinterpret_cast<std::uintptr_t>(slab.get()) + a - 1) / a * a;
        for (std::size_t block = 0; block < config.block_count; ++block, address += stride) {
            in_use[address] = false;
            free.push_back(address);
        }
    }

    DeviceMemory slab;
    std::unordered_map<std::uintptr_t, bool> in_use;
    std::deque<std::uintptr_t> free;
    BlockPoolStats stats;
};

PoolStatus pool_create(const BlockPoolConfig* config, BlockPool** out) {
    if (out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (config == nullptr) {
        return PoolStatus::invalid_argument;
    }
    return status_of([&] { *out = new BlockPool(*config); });
}

PoolStatus pool_acquire(BlockPool* pool, void** out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (pool->free.empty()) {
        ++pool->stats.refused_acquires;
        return PoolStatus::exhausted;
    }
    const std::uintptr_t address = pool->free.front();
    pool->free.pop_front();
    pool->in_use[address] = true;
    pool->stats.most_in_use = std::max(pool->stats.most_in_use, ++pool->stats.blocks_in_use);
    *out = reinterpret_cast<void*>(address);
    return PoolStatus::ok;
}

PoolStatus pool_release(BlockPool* pool, void* block) {
    if (pool == nullptr) {
        return PoolStatus::invalid_argument;
    }
    if (block == nullptr) {
        return PoolStatus::ok;
    }
    const auto entry = pool->in_use.find(reinterpret_cast<std::uintptr_t>(block));
    if (entry == pool->in_use.end()) {
        return PoolStatus::not_a_block;
    }
    if (!entry->second) {
        return PoolStatus::already_free;
    }
    entry->second = false;
    pool->free.push_back(entry->first);
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
    const std::unique_ptr<BlockPool> last(pool);
    if (blocks_in_use != nullptr) {
        *blocks_in_use = last ? last->stats.blocks_in_use : 0;
    }
    return PoolStatus::ok;
}
