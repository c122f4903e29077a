// The allocators that a pool is compared with on a GPU.
#pragma once

namespace vram::checks {

/// Nanoseconds of one allocation and one free in a warm steady state; the least of some rounds.
struct PeerCosts {
    double cuda_malloc = 0;
    double cuda_malloc_async = 0;  ///< release threshold at its maximum; 0 without memory pools
    double cub = 0;                ///< cub::CachingDeviceAllocator
};

/// Calls the runtime as the harness.
PeerCosts measure_peers();

}  // namespace vram::checks
