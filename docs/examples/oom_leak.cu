// Runs out of memory by a leak: each frame forgets a block.
// memory: 10GiB
#include <cuda_runtime.h>

#include <cstdio>

constexpr size_t mebibyte = size_t{1} << 20;

cudaError_t draw_frame(float** picture) {
    return cudaMalloc(picture, 256 * mebibyte);
}

int main() {
    float* picture = nullptr;
    for (int frame = 0;; ++frame) {
        const cudaError_t status = draw_frame(&picture);  // the last block is lost here
        size_t free_bytes = 0, total_bytes = 0;
        cudaMemGetInfo(&free_bytes, &total_bytes);
        if (frame % 10 == 0 || status != cudaSuccess)
            std::printf("frame %2d: %-27s free %5zu of %zu MiB\n", frame, cudaGetErrorName(status),
                        free_bytes / mebibyte, total_bytes / mebibyte);
        if (status != cudaSuccess)
            break;
    }
    cudaFree(picture);
}
