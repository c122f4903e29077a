// Style: a free list of indices in host memory, each block's entry naming the next free one; an
// entry of a block in use has a value of its own.
#include "block_pool.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>

struct BlockPool {
    char* slab;
    char* first;
    size_t stride;
    size_t* next;  // of a free block: the next free one, or `nobody`; otherwise `taken`
    size_t head;
    BlockPoolStats stats;
};

static const size_t nobody = SIZE_MAX;
static const size_t taken = SIZE_MAX - 1;

static PoolStatus check(const BlockPoolConfig* config) {
    if (!config || !config->block_bytes || !config->block_count)
        return PoolStatus::invalid_argument;
    const size_t a = config->alignment;
    if (a == 0 || a > 65536 || (a & (a - 1)))
        return PoolStatus::invalid_argument;
    return PoolStatus::ok;
}

PoolStatus pool_create(const BlockPoolConfig* config, BlockPool** out) {
    if (!out)
        return PoolStatus::invalid_argument;
    *out = nullptr;
    const PoolStatus checked = check(config);
    if (checked != PoolStatus::ok)
        return checked;
    const size_t a = config->alignment;
    if (config->block_bytes > SIZE_MAX - a)
        return PoolStatus::out_of_memory;
    const size_t stride = (config->block_bytes + a - 1) / a * a;
    size_t bytes;
    if (__builtin_mul_overflow(stride, config->block_count, &bytes) ||
        __builtin_add_overflow(bytes, a, &bytes))
        return PoolStatus::out_of_memory;

    BlockPool* pool = static_cast<BlockPool*>(calloc(1, sizeof *pool));
    if (!pool)
        return PoolStatus::out_of_memory;
    if (cudaMalloc(&pool->slab, bytes) != cudaSuccess)
        goto failed;
    pool->next = static_cast<size_t*>(malloc(config->block_count * sizeof(size_t)));
    if (!pool->next)
        goto failed;
    for (size_t i = 0; i < config->block_count; ++i)
        pool->next[i] = i + 1 < config->block_count ? i + 1 : nobody;
    pool->first =
        reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(pool->slab) + a - 1) / a * a);
    pool->stride = stride;
    pool->stats.blocks_total = config->block_count;
    pool->stats.slab_bytes = bytes;
    *out = pool;
    return PoolStatus::ok;

failed:
    (void)cudaGetLastError();
    cudaFree(pool->slab);
    free(pool);
    return PoolStatus::out_of_memory;
}

PoolStatus pool_acquire(BlockPool* pool, void** out) {
    if (!pool || !out)
        return PoolStatus::invalid_argument;
    *out = nullptr;
    if (pool->head == nobody) {
        pool->stats.refused_acquires++;
        return PoolStatus::exhausted;
    }
    const size_t block = pool->head;
    pool->head = pool->next[block];
    pool->next[block] = taken;
    if (++pool->stats.blocks_in_use > pool->stats.most_in_use)
        pool->stats.most_in_use = pool->stats.blocks_in_use;
    *out = pool->first + block * pool->stride;
    return PoolStatus::ok;
}

PoolStatus pool_release(BlockPool* pool, void* block) {
    if (!pool)
        return PoolStatus::invalid_argument;
    if (!block)
        return PoolStatus::ok;
    const uintptr_t address = reinterpret_cast<uintptr_t>(block);
    const uintptr_t first = reinterpret_cast<uintptr_t>(pool->first);
    if (address < first || (address - first) % pool->stride ||
        (address - first) / pool->stride >= pool->stats.blocks_total)
        return PoolStatus::not_a_block;
    const size_t index = (address - first) / pool->stride;
    if (pool->next[index] != taken)
        return PoolStatus::already_free;
    pool->next[index] = pool->head;
    pool->head = index;
    pool->stats.blocks_in_use--;
    return PoolStatus::ok;
}

PoolStatus pool_stats(const BlockPool* pool, BlockPoolStats* out) {
    if (!pool || !out)
        return PoolStatus::invalid_argument;
    *out = pool->stats;
    return PoolStatus::ok;
}

PoolStatus pool_destroy(BlockPool* pool, size_t* blocks_in_use) {
    if (blocks_in_use)
        *blocks_in_use = pool ? pool->stats.blocks_in_use : 0;
    if (!pool)
        return PoolStatus::ok;
    cudaFree(pool->slab);
    free(pool->next);
    free(pool);
    return PoolStatus::ok;
}
