// Contract of lab 12: equal blocks cut from one slab of device memory.
//
// A pool asks the device for memory once, in pool_create, and gives it back once, in pool_destroy.
// In between, pool_acquire and pool_release make no runtime call at all, and take the same time
// whether the pool has ten blocks or a million.
//
// One thread at a time uses a pool. The caller releases a block when the device is done with it.
#pragma once

#include <cstddef>

/// Your own type: define it in block_pool.cu.
struct BlockPool;

enum class PoolStatus {
    ok,
    invalid_argument,  ///< a null pointer where none may be, or a configuration that makes no sense
    out_of_memory,     ///< the device has no room for the slab
    exhausted,         ///< every block is in use
    not_a_block,       ///< the pointer is not the first byte of a block of this pool
    already_free,      ///< the block is not in use
};

struct BlockPoolConfig {
    std::size_t block_bytes = 0;  ///< what the owner of a block may use, in bytes; at least 1
    std::size_t block_count = 0;  ///< at least 1
    /// Each block's address is a multiple of this. A power of two from 1 to 65536.
    std::size_t alignment = 256;
};

struct BlockPoolStats {
    std::size_t blocks_total = 0;
    std::size_t blocks_in_use = 0;
    std::size_t most_in_use = 0;       ///< the largest value that blocks_in_use ever had
    std::size_t refused_acquires = 0;  ///< how many calls of pool_acquire returned `exhausted`
    std::size_t slab_bytes = 0;        ///< what the pool asked of cudaMalloc
};

/// Makes a pool with one cudaMalloc. With A = max(alignment, 256), the slab is at most
/// block_count * (block_bytes rounded up to A) + A bytes.
/// On success *out is the pool, which the caller gives to pool_destroy. On failure *out is null, no
/// memory is held, and cudaGetLastError has nothing new to tell.
/// invalid_argument: null config or out, zero block_bytes or block_count, a wrong alignment.
/// out_of_memory: cudaMalloc refused, or the slab's size does not fit into size_t.
[[nodiscard]] PoolStatus pool_create(const BlockPoolConfig* config, BlockPool** out);

/// Hands out a free block: *out is its address, and nobody else has it until it is released.
/// exhausted: no block is free; *out is null, and the pool works on once a block is released.
/// invalid_argument: null pool or out.
[[nodiscard]] PoolStatus pool_acquire(BlockPool* pool, void** out);

/// Takes a block back. Null is harmless: ok, nothing happens.
/// not_a_block: any other address that is not the first byte of one of this pool's blocks.
/// already_free: the block is not in use, be it released before or never acquired.
/// A refused release changes nothing.
[[nodiscard]] PoolStatus pool_release(BlockPool* pool, void* block);

/// invalid_argument: null pool or out.
[[nodiscard]] PoolStatus pool_stats(const BlockPool* pool, BlockPoolStats* out);

/// Gives the slab back, also when blocks are still in use, and ends the pool. *blocks_in_use is how
/// many were; it may be null. A null pool is harmless: ok, and *blocks_in_use is 0.
PoolStatus pool_destroy(BlockPool* pool, std::size_t* blocks_in_use);
