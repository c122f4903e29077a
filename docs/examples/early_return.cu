// Two blocks, a copy that fails, and a way out that forgets them.
#include <cuda_runtime.h>

#include <cstdio>

cudaError_t brighten(const float* pixels, std::size_t count) {
    float* in = nullptr;
    float* out = nullptr;
    cudaError_t error = cudaMalloc(&in, count * sizeof(float));
    if (error != cudaSuccess)
        return error;
    error = cudaMalloc(&out, count * sizeof(float));
    if (error != cudaSuccess)
        return error;  // in is lost
    error = cudaMemcpy(in, pixels, count * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        return error;  // in and out are lost
    cudaFree(in);
    return cudaFree(out);
}

int main() {
    float pixels[100] = {};
    std::printf("%s\n", cudaGetErrorName(brighten(pixels, 100)));
}
