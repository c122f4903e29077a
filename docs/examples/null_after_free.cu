// Null after free protects one variable. It knows nothing of the copies of that variable.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    float* pixels = nullptr;
    cudaMalloc(&pixels, 1000);
    float* copy = pixels;

    cudaFree(pixels);
    pixels = nullptr;

    std::printf("pixels: %s\n", cudaGetErrorName(cudaFree(pixels)));
    std::printf("copy:   %s\n", cudaGetErrorName(cudaFree(copy)));
}
