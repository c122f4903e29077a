// The block is freed while the kernel that is to fill it still waits in a stream.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(float* data, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = 1;
}

int main() {
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    float* data = nullptr;
    cudaMalloc(&data, 1000 * sizeof(float));
    fill<<<4, 256, 0, stream>>>(data, 1000);
    cudaFree(data);
    std::printf("wait: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    cudaStreamDestroy(stream);
}
