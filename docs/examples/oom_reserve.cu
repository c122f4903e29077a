// Runs out of memory though everything was freed: a pool keeps it.
// memory: 10GiB
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr size_t gibibyte = size_t{1} << 30;

void print_state(const char* when, cudaMemPool_t pool) {
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    std::uint64_t used = 0, reserved = 0;
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    std::printf("%-20s free %.1f GiB; the pool has %.1f GiB reserved, %.1f in use\n", when,
                double(free_bytes) / gibibyte, double(reserved) / gibibyte,
                double(used) / gibibyte);
}

int main() {
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    std::uint64_t keep_everything = UINT64_MAX;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_everything);

    void* block = nullptr;
    cudaMallocAsync(&block, 8 * gibibyte, 0);
    print_state("8 GiB allocated:", pool);
    cudaFreeAsync(block, 0);
    cudaStreamSynchronize(0);
    print_state("all of it freed:", pool);

    std::printf("cudaMalloc of 4 GiB: %s\n", cudaGetErrorName(cudaMalloc(&block, 4 * gibibyte)));
    cudaMemPoolTrimTo(pool, 0);
    print_state("the pool trimmed:", pool);
    std::printf("cudaMalloc of 4 GiB: %s\n", cudaGetErrorName(cudaMalloc(&block, 4 * gibibyte)));
    cudaFree(block);
}
