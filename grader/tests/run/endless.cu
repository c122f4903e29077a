// A kernel that never ends.
#include <cstdio>

__global__ void wait_for(volatile int* flag) {
    while (*flag == 0) {
    }
}

/// Runs within the wait, just before the kernel: whoever reads the word knows that a call is going on.
void say_so(void*) {
    std::puts("waiting");
    std::fflush(stdout);
}

int main() {
    int* flag = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&flag), sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    cudaLaunchHostFunc(nullptr, say_so, nullptr);
    wait_for<<<1, 1>>>(flag);
    cudaDeviceSynchronize();
    return 0;
}
