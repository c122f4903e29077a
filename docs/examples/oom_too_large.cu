// Runs out of memory because the request is larger than the card, or no number at all.
// memory: 10GiB
#include <cuda_runtime.h>

#include <cstdio>

constexpr double gibibyte = 1 << 30;

void try_to_allocate(const char* what, size_t bytes) {
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    void* block = nullptr;
    const cudaError_t status = cudaMalloc(&block, bytes);
    std::printf("%s:\n    wants %.1f GiB, free are %.1f of %.1f GiB: %s\n", what, bytes / gibibyte,
                free_bytes / gibibyte, total_bytes / gibibyte, cudaGetErrorName(status));
    cudaFree(block);
}

int main(int argument_count, char**) {
    // Weights, gradients and two averages of Adam, 4 bytes each, for every parameter.
    const size_t parameters = 7'000'000'000;
    try_to_allocate("training 7 billion parameters", parameters * 4 * 4);

    const int width = 46340 + argument_count, height = width;  // 46341: one too many for an int
    try_to_allocate("width * height of two ints", width * height);
    try_to_allocate("the same, widened first", size_t(width) * height);
}
