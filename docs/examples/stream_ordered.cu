// Stream-ordered allocation with the pool that every device has.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr size_t mebibyte = size_t{1} << 20;

void print_reserved(const char* when) {
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    std::uint64_t reserved = 0;
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    std::printf("%-34s reserved %zu MiB\n", when, size_t(reserved) / mebibyte);
}

__global__ void fill(float* values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] = 1;
}

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float* first = nullptr;
    float* second = nullptr;

    cudaMallocAsync(&first, 4096, stream);
    fill<<<4, 256, 0, stream>>>(first, 1024);
    cudaFreeAsync(first, stream);  // after the kernel, in the order of the stream
    cudaMallocAsync(&second, 4096, stream);
    std::printf("the next block of this stream has %s address\n",
                first == second ? "the same" : "another");
    print_reserved("one block live:");
    cudaFreeAsync(second, stream);
    print_reserved("freed, nobody waited yet:");
    cudaStreamSynchronize(stream);
    print_reserved("after a wait, threshold 0:");

    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    std::uint64_t keep_everything = UINT64_MAX;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_everything);
    cudaMallocAsync(&first, 4096, stream);
    cudaFreeAsync(first, stream);
    cudaStreamSynchronize(stream);
    print_reserved("the same with the highest threshold:");
    cudaStreamDestroy(stream);
}
