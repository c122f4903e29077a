#include "block_pool.h"

#include <cuda_runtime.h>

struct BlockPool {
    // TODO: the slab, and what you have to know about its blocks. It all lies in host memory: the
    // host can't read or write the slab itself.
    // end of TODO
};

PoolStatus pool_create(const BlockPoolConfig* config, BlockPool** out) {
    // TODO: check the configuration, ask for the slab, set up the books.
    return PoolStatus::invalid_argument;
    // end of TODO
}

PoolStatus pool_acquire(BlockPool* pool, void** out) {
    // TODO: a free block, found without a search.
    return PoolStatus::invalid_argument;
    // end of TODO
}

PoolStatus pool_release(BlockPool* pool, void* block) {
    // TODO: from the address to the block, and back among the free ones if it was in use.
    return PoolStatus::invalid_argument;
    // end of TODO
}

PoolStatus pool_stats(const BlockPool* pool, BlockPoolStats* out) {
    // TODO: what the books say.
    return PoolStatus::invalid_argument;
    // end of TODO
}

PoolStatus pool_destroy(BlockPool* pool, std::size_t* blocks_in_use) {
    // TODO: count what is still out, give the slab back.
    return PoolStatus::invalid_argument;
    // end of TODO
}
