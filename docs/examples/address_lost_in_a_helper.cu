// A helper that gets the pointer by value, and so keeps the address to itself.
#include <cuda_runtime.h>

#include <cstdio>

void give(float* image) {
    cudaMalloc(&image, 4096);
}

int main() {
    float* image = nullptr;
    give(image);
    std::printf("image is %s\n", image == nullptr ? "still null" : "set");
    cudaFree(image);
}
