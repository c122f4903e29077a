// The address looks like any other. Only the device can follow it.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    float* values = nullptr;
    cudaMalloc(&values, 1000 * sizeof(float));
    cudaMemset(values, 0, 1000 * sizeof(float));
    std::printf("about to read values[3]\n");
    std::printf("%f\n", values[3]);
    cudaFree(values);
}
