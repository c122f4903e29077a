// Two launches: the first is refused, the second is good. Who gets the blame?
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(float* data, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = 1;
}

int main() {
    float* data = nullptr;
    cudaMalloc(&data, 1000 * sizeof(float));

    fill<<<1, 2048>>>(data, 1000);  // a block has 1024 threads at most
    std::printf("wait:               %s\n", cudaGetErrorName(cudaDeviceSynchronize()));

    fill<<<4, 256>>>(data, 1000);  // nothing wrong with this one
    std::printf("after the good one: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(data);
}
