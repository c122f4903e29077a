// A kernel that never ends.
#include <cstdio>

__global__ void wait_for(volatile int* flag) {
    while (*flag == 0) {
    }
}

int main() {
    int* flag = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&flag), sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    std::puts("waiting");
    std::fflush(stdout);
    wait_for<<<1, 1>>>(flag);
    cudaDeviceSynchronize();
    return 0;
}
