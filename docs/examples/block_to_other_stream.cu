// The classic bug of home-made pools: a block that one stream still uses goes to another one.
#include <cuda_runtime.h>

#include <cstring>

__global__ void set(int* values, int count, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] = value;
}

int main(int argument_count, char** arguments) {
    const bool with_event = argument_count > 1 && !std::strcmp(arguments[1], "--with-event");
    constexpr int count = 1 << 16;
    int* block = nullptr;
    cudaMalloc(&block, count * sizeof(int));  // the pool's only block
    cudaStream_t one, other;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    cudaEvent_t released;
    cudaEventCreateWithFlags(&released, cudaEventDisableTiming);

    set<<<256, 256, 0, one>>>(block, count, 1);
    cudaEventRecord(released, one);  // "I am done with the block, as of here"
    if (with_event)
        cudaStreamWaitEvent(other, released);
    set<<<256, 256, 0, other>>>(block, count, 2);

    cudaDeviceSynchronize();
    cudaEventDestroy(released);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaFree(block);
}
