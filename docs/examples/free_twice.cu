// The same block freed twice: an error, and no crash.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    float* pixels = nullptr;
    cudaMalloc(&pixels, 1000);
    std::printf("first:  %s\n", cudaGetErrorName(cudaFree(pixels)));
    std::printf("second: %s\n", cudaGetErrorName(cudaFree(pixels)));
    std::printf("and the program goes on\n");
}
