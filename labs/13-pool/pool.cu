#include "pool.h"

#include <cuda_runtime.h>

struct Pool {
    // TODO: a bump allocator, as a beginning. What does a pool have to know about each block?
    char* arena = nullptr;
    std::size_t arena_bytes = 0;
    std::size_t used_bytes = 0;
    std::size_t live_blocks = 0;
    // end of TODO
};

PoolStatus pool_create(const PoolConfig* config, Pool** out) {
    // TODO: what if an argument is null, the limit too low, or the device full?
    Pool* pool = new Pool;
    pool->arena_bytes = config->initial_bytes;
    cudaMalloc(&pool->arena, pool->arena_bytes);
    *out = pool;
    return PoolStatus::ok;
    // end of TODO
}

PoolStatus pool_allocate(Pool* pool, std::size_t bytes, void** out) {
    // TODO: align, use freed places again, grow.
    if (pool->used_bytes + bytes > pool->arena_bytes) {
        return PoolStatus::out_of_memory;
    }
    *out = pool->arena + pool->used_bytes;
    pool->used_bytes += bytes;
    ++pool->live_blocks;
    return PoolStatus::ok;
    // end of TODO
}

PoolStatus pool_free(Pool* pool, void* block) {
    // TODO: which block is it, and may it be freed?
    (void)block;
    if (--pool->live_blocks == 0) {
        pool->used_bytes = 0;
    }
    return PoolStatus::ok;
    // end of TODO
}

PoolStatus pool_stats(Pool* pool, PoolStats* out) {
    // TODO: the rest of the figures.
    out->live_blocks = pool->live_blocks;
    out->reserved_bytes = pool->arena_bytes;
    return PoolStatus::ok;
    // end of TODO
}

PoolStatus pool_trim(Pool* pool, std::size_t* released_bytes) {
    // TODO: which arenas can go?
    (void)pool;
    *released_bytes = 0;
    return PoolStatus::ok;
    // end of TODO
}

PoolStatus pool_destroy(Pool* pool, PoolLeaks* leaks) {
    // TODO: what is still out, and who else has to go?
    (void)leaks;
    cudaFree(pool->arena);
    delete pool;
    return PoolStatus::ok;
    // end of TODO
}
