// Runs out of memory though next to nothing is in use: each survivor holds a page of 2 MiB.
// memory: 1GiB
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr size_t mebibyte = size_t{1} << 20;

void print_state(const char* when, size_t live) {
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    std::printf("%-28s %6.1f MiB in use, free %zu MiB\n", when, live * 4096.0 / mebibyte,
                free_bytes / mebibyte);
}

int main() {
    std::vector<void*> blocks(100000);
    print_state("before:", 0);
    for (void*& block : blocks)
        cudaMalloc(&block, 4096);
    print_state("100000 blocks of 4 KB:", blocks.size());

    size_t live = 0;
    for (size_t i = 0; i < blocks.size(); ++i)
        if (i % 512 == 0)
            ++live;  // one block in each page stays
        else
            cudaFree(blocks[i]);
    print_state("all freed but one in 512:", live);

    void* large = nullptr;
    std::printf("cudaMalloc of 640 MiB: %s\n",
                cudaGetErrorName(cudaMalloc(&large, 640 * mebibyte)));
    for (size_t i = 0; i < blocks.size(); i += 512)
        cudaFree(blocks[i]);
    print_state("the last ones freed too:", 0);
    std::printf("cudaMalloc of 640 MiB: %s\n",
                cudaGetErrorName(cudaMalloc(&large, 640 * mebibyte)));
    cudaFree(large);
}
