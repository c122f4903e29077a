// Contract of lab 13: blocks of any size, cut from arenas of device memory.
//
// An arena is the memory that one cudaMalloc gave. The pool calls cudaMalloc when it is created and
// when it has to grow, cudaFree when it trims, makes room or is destroyed, and no other call that
// reaches the device. Everything it knows about its blocks lies in host memory.
//
// One thread at a time uses a pool. The caller frees a block when the device is done with it.
#pragma once

#include <cstddef>

/// Your own type: define it in pool.cu.
struct Pool;

enum class PoolStatus {
    ok,
    invalid_argument,  ///< a null pointer where none may be, or a configuration that makes no sense
    out_of_memory,     ///< no room in the arenas, and no further arena to be had
    not_a_block,       ///< the pointer is not the first byte of a block that this pool has out
};

/// Every block's address is a multiple of this, and sizes of arenas are too.
constexpr std::size_t pool_alignment = 256;

/// Sizes in bytes; each is rounded up to a multiple of pool_alignment.
struct PoolConfig {
    std::size_t initial_bytes = 0;  ///< size of the first arena. 0: none until it is needed
    std::size_t growth_bytes = 0;   ///< size that a further arena has at least, if it can be had
    std::size_t limit_bytes = 0;    ///< all arenas together never exceed it. 0: no limit
};

struct PoolStats {
    std::size_t live_blocks = 0;
    std::size_t live_bytes = 0;           ///< sum of the sizes asked for, not rounded
    std::size_t peak_live_bytes = 0;      ///< the largest value that live_bytes ever had
    std::size_t arenas = 0;               ///< how many arenas are held now
    std::size_t reserved_bytes = 0;       ///< the arenas' sizes, as asked of cudaMalloc, added up
    std::size_t peak_reserved_bytes = 0;  ///< the largest value that reserved_bytes ever had
    /// A request of this many bytes succeeds in the arenas as they are, and none that is larger by
    /// pool_alignment or more does. 0 when nothing is free.
    std::size_t largest_free_bytes = 0;
    std::size_t failed_requests = 0;  ///< how many calls of pool_allocate returned out_of_memory
};

/// What was still out when a pool was destroyed.
struct PoolLeaks {
    std::size_t blocks = 0;
    std::size_t bytes = 0;  ///< sum of the sizes asked for
};

/// Makes a pool, with one arena of initial_bytes unless that is 0. A request of initial_bytes
/// succeeds in it.
/// On success *out is the pool, which the caller gives to pool_destroy. On failure *out is null, no
/// memory is held, and cudaGetLastError has nothing new to tell.
/// invalid_argument: null config or out; an initial_bytes above a limit that is not 0.
/// out_of_memory: cudaMalloc refused.
[[nodiscard]] PoolStatus pool_create(const PoolConfig* config, Pool** out);

/// Hands out `bytes` bytes at *out, all within one arena, and nobody else's until they are freed.
/// Zero bytes: ok, and *out is null.
/// A request that the arenas can serve is served without a runtime call. They serve at least this:
/// the place that a freed block left holds a request of that size again, or several smaller ones;
/// an arena without a block in use holds any request up to its size, whatever was cut from it
/// before. Two arenas are never one place, not even if they are neighbours.
/// Otherwise the pool adds an arena. It asks for growth_bytes, or for the request's size if that is
/// more; and if the limit or cudaMalloc stands against that, for the request's size. As long as one of
/// the two can be had, no arena is given back. Only if neither can does the pool give arenas without
/// a block in use back to the device, all of them or as many as it takes, and asks again.
/// out_of_memory: all of this failed, or the size is so large that rounding it up overflows. *out
/// is null, all blocks stay as they are, the pool works on, and cudaGetLastError has nothing new to
/// tell.
/// invalid_argument: null pool or out.
[[nodiscard]] PoolStatus pool_allocate(Pool* pool, std::size_t bytes, void** out);

/// Takes a block back. Null is harmless: ok, nothing happens.
/// not_a_block: any other address that is not the first byte of a block in use, be it inside one,
/// freed before, or nothing of this pool. A refused free changes nothing.
/// Frees no arena: the memory stays with the pool for the next request.
[[nodiscard]] PoolStatus pool_free(Pool* pool, void* block);

/// The pool is not const, since it may first put its books in order.
/// invalid_argument: null pool or out.
[[nodiscard]] PoolStatus pool_stats(Pool* pool, PoolStats* out);

/// Gives every arena without a block in use back to the device, the first one too. *released_bytes
/// is how much that was; it may be null. invalid_argument: null pool.
PoolStatus pool_trim(Pool* pool, std::size_t* released_bytes);

/// Gives every arena back, also when blocks are still in use, and ends the pool. *leaks is what was
/// still out; it may be null. A null pool is harmless: ok, and *leaks is all 0.
PoolStatus pool_destroy(Pool* pool, PoolLeaks* leaks);
