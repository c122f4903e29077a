// The same request, and somebody looks.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    float* huge = nullptr;
    const cudaError_t error = cudaMalloc(&huge, std::size_t{1} << 50);
    if (error != cudaSuccess) {
        std::printf("cudaMalloc: %s (%s), pointer %s\n", cudaGetErrorName(error),
                    cudaGetErrorString(error), huge == nullptr ? "null" : "set");
    }

    float* modest = nullptr;
    std::printf("4 KB:       %s\n", cudaGetErrorName(cudaMalloc(&modest, 4096)));
    std::printf("the slot:   %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("once read:  %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(modest);
}
