// cudaMemset sets bytes. 1 as a byte, four times, is no 1 as a float.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    float value = 0;
    float* data = nullptr;
    cudaMalloc(&data, 1000 * sizeof(float));
    cudaMemset(data, 1, 1000 * sizeof(float));
    cudaMemcpy(&value, data, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("set to 1, read back %g\n", value);
    cudaFree(data);
}
