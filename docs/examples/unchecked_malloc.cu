// Nobody looks at what cudaMalloc returns, and the error comes up somewhere else.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(float* data, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = 1;
}

int main() {
    float* huge = nullptr;
    cudaMalloc(&huge, std::size_t{1} << 50);
    fill<<<4, 256>>>(huge, 1000);
    std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("wait:   %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
