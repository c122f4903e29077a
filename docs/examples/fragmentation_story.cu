// The story that is told of GPU memory: 10 GB, three blocks of 4 GB, the middle one freed.
// memory: 10GiB
#include <cuda_runtime.h>

#include <cstdio>

constexpr size_t mebibyte = size_t{1} << 20;

size_t free_mebibytes() {
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    return free_bytes / mebibyte;
}

char* allocate(const char* name, size_t mebibytes) {
    char* block = nullptr;
    const cudaError_t status = cudaMalloc(&block, mebibytes * mebibyte);
    std::printf("  %-22s %4zu MiB  %-27s  then free %4zu MiB\n", name, mebibytes,
                cudaGetErrorName(status), free_mebibytes());
    return block;
}

void release(const char* name, char* block) {
    cudaFree(block);
    std::printf("  %-22s                                        then free %4zu MiB\n", name,
                free_mebibytes());
}

int main() {
    std::printf("As it is told:\n");
    char* a = allocate("A", 4096);
    char* b = allocate("B", 4096);
    char* c = allocate("C", 4096);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);

    std::printf("With blocks that fit:\n");
    a = allocate("A", 2914);
    b = allocate("B", 2914);
    c = allocate("C", 2914);
    release("B freed", b);
    char* d = allocate("D, larger than B", 3596);
    cudaFree(a);
    cudaFree(c);
    cudaFree(d);
}
