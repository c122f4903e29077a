// 100,000 blocks of 4 KB, and each address is lost when the next turn of the loop begins.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&before, &total);
    for (int i = 0; i < 100000; ++i) {
        float* buffer = nullptr;
        cudaMalloc(&buffer, 4096);
    }
    cudaMemGetInfo(&after, &total);
    std::printf("free memory fell by %zu MiB\n", (before - after) >> 20);
}
