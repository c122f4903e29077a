// How far does free memory fall for 4 KB, and for 4 KB more?
#include <cuda_runtime.h>

#include <cstdio>

std::size_t free_memory() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    return free_bytes;
}

int main() {
    const std::size_t at_start = free_memory();
    float* first = nullptr;
    cudaMalloc(&first, 4096);
    std::printf("the first 4 KB cost %zu bytes\n", at_start - free_memory());

    const std::size_t with_one = free_memory();
    float* second = nullptr;
    cudaMalloc(&second, 4096);
    std::printf("4 KB more cost %zu bytes\n", with_one - free_memory());

    cudaFree(first);
    cudaFree(second);
}
