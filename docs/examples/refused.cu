// Two things that the virtual GPU lacks: it says so, and does not pretend.
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdio>

using namespace nvcuda::wmma;

__global__ void multiply(const half* a, const half* b, float* c) {
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, row_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 16, mem_row_major);
}

int main() {
    cudaGraph_t graph;
    std::printf("cudaGraphCreate: %s\n", cudaGetErrorName(cudaGraphCreate(&graph, 0)));

    half* input;
    float* output;
    cudaMalloc(&input, 2 * 256 * sizeof(half));
    cudaMalloc(&output, 256 * sizeof(float));
    multiply<<<1, 32>>>(input, input + 256, output);
    std::printf("launch of multiply: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(input);
    cudaFree(output);
}
