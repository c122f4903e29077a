// A kernel goes wrong while it runs. Everything afterwards fails, the innocent calls too.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void store(float* data) {
    data[threadIdx.x] = 1;
}

int main() {
    float* block = nullptr;
    cudaMalloc(&block, 4096);
    store<<<1, 32>>>(nullptr);
    std::printf("launch:     %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("wait:       %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("the slot:   %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("once read:  %s\n", cudaGetErrorName(cudaGetLastError()));
    float* another = nullptr;
    std::printf("cudaMalloc: %s\n", cudaGetErrorName(cudaMalloc(&another, 16)));
    std::printf("cudaFree:   %s\n", cudaGetErrorName(cudaFree(block)));
}
