#include "grader/checks/pool/peers.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cub/util_allocator.cuh>
#include <limits>

namespace vram::checks {
namespace {

constexpr std::size_t block_bytes = 64 * 1024;
constexpr int pairs = 200;
constexpr int rounds = 5;

template <class Pair>
double least_nanoseconds(Pair&& pair) {
    double least = std::numeric_limits<double>::max();
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int turn = 0; turn < pairs; ++turn) {
            pair();
        }
        const std::chrono::duration<double, std::nano> spent =
            std::chrono::steady_clock::now() - start;
        least = std::min(least, spent.count() / pairs);
    }
    return least;
}

double stream_ordered_cost() {
    cudaMemPool_t pool = nullptr;
    std::uint64_t before = 0;
    std::uint64_t keep_everything = UINT64_MAX;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before) != cudaSuccess ||
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_everything) !=
            cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    const double cost = least_nanoseconds([] {
        void* block = nullptr;
        cudaMallocAsync(&block, block_bytes, nullptr);
        cudaFreeAsync(block, nullptr);
    });
    cudaDeviceSynchronize();
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before);
    return cost;
}

}  // namespace

PeerCosts measure_peers() {
    PeerCosts costs;
    costs.cuda_malloc = least_nanoseconds([] {
        void* block = nullptr;
        cudaMalloc(&block, block_bytes);
        cudaFree(block);
    });
    costs.cuda_malloc_async = stream_ordered_cost();
    cub::CachingDeviceAllocator allocator;
    costs.cub = least_nanoseconds([&] {
        void* block = nullptr;
        allocator.DeviceAllocate(&block, block_bytes);
        allocator.DeviceFree(block);
    });
    return costs;
}

}  // namespace vram::checks
