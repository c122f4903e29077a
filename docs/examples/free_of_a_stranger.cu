// A second free through a copy of the pointer, after somebody else got the address.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    float* pixels = nullptr;
    cudaMalloc(&pixels, 1000);
    float* copy = pixels;
    cudaFree(pixels);

    float* strangers = nullptr;
    cudaMalloc(&strangers, 1000);

    std::printf("the copy:     %s\n", cudaGetErrorName(cudaFree(copy)));
    std::printf("the stranger: %s\n", cudaGetErrorName(cudaMemset(strangers, 0, 1000)));
}
