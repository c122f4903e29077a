// One element too many: hardware does not notice it, the virtual GPU does.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(float* data, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count)
        data[i] = 1;
}

int main() {
    float* data = nullptr;
    cudaMalloc(&data, 1000 * sizeof(float));
    fill<<<4, 256>>>(data, 1000);
    std::printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
}
