#include <cooperative_groups.h>

#include <cassert>

#include "grader/tests/conformance/kernels.h"

namespace vram::conformance {
namespace {

__device__ int device_table[16];
__constant__ float device_constant[8];
__managed__ int device_managed;

__global__ void nothing() {}

__global__ void poke(float* p, std::size_t index) {
    p[index] = 1.0f;
}

__global__ void misaligned(char* p) {
    *reinterpret_cast<float*>(p + 1) = 1.0f;
}

__global__ void fill(float* p, std::size_t count, float value) {
    const std::size_t index = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (index < count) {
        p[index] = value;
    }
}

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

__global__ void trap() {
    __trap();
}

__global__ void failing_assert(int value) {
    assert(value == 0);
}

__global__ void shared_out_of_bounds(int index, int* result) {
    __shared__ volatile int cells[32];
    cells[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (cells[index + threadIdx.x] == 12345) {
        *result = 1;
    }
}

__global__ void shared_misaligned(int offset) {
    extern __shared__ char bytes[];
    *reinterpret_cast<volatile float*>(bytes + offset) = 1.0f;
}

__device__ __noinline__ int recurse(int depth, volatile int* keep) {
    volatile int here[64];
    here[depth & 63] = depth;
    if (depth < 0) {
        return *keep;
    }
    return recurse(depth + 1, &here[depth & 63]) + here[(depth + 1) & 63];
}

__global__ void endless_recursion(int start) {
    volatile int first = start;
    first = recurse(start, &first);
}

__global__ void half_barrier() {
    if (threadIdx.x < blockDim.x / 2) {
        __syncthreads();
    }
}

__global__ void device_malloc(int* got, std::size_t bytes) {
    void* memory = malloc(bytes);
    *got = memory != nullptr;
    free(memory);
}

__global__ void static_shared(int* out) {
    __shared__ int cells[1024];
    cells[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x] + device_table[0] + device_managed;
}

__global__ void __launch_bounds__(128) bounded(int* out) {
    out[threadIdx.x] = 1;
}

__global__ void dynamic_shared(int* out) {
    extern __shared__ int dynamic_cells[];
    dynamic_cells[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = dynamic_cells[0];
}

__global__ void cooperative() {
    cooperative_groups::this_grid().sync();
}

template <typename Value, int N>
__global__ void add_constant(Value* p) {
    p[threadIdx.x] += N;
}

}  // namespace

void launch_nothing(cudaStream_t stream) {
    nothing<<<1, 1, 0, stream>>>();
}

void launch_nothing(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, cudaStream_t stream) {
    nothing<<<grid, block, dynamic_shared_bytes, stream>>>();
}

void launch_poke(float* p, std::size_t index, cudaStream_t stream) {
    poke<<<1, 1, 0, stream>>>(p, index);
}

void launch_misaligned(char* p) {
    misaligned<<<1, 1>>>(p);
}

void launch_fill(float* p, std::size_t count, float value, cudaStream_t stream) {
    constexpr unsigned threads = 128;
    fill<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(p, count,
                                                                                         value);
}

void launch_spin(long long cycles, cudaStream_t stream) {
    spin<<<1, 1, 0, stream>>>(cycles);
}

void launch_trap() {
    trap<<<1, 1>>>();
}

void launch_failing_assert() {
    failing_assert<<<1, 1>>>(1);
}

void launch_shared_out_of_bounds(int index) {
    shared_out_of_bounds<<<1, 32>>>(index, nullptr);
}

void launch_shared_misaligned() {
    shared_misaligned<<<1, 1, 64>>>(1);
}

void launch_endless_recursion() {
    endless_recursion<<<1, 1>>>(1);
}

void launch_half_barrier() {
    half_barrier<<<1, 128>>>();
}

void launch_device_malloc(int* got, std::size_t bytes) {
    device_malloc<<<1, 1>>>(got, bytes);
}

const void* kernel_nothing() {
    return reinterpret_cast<const void*>(nothing);
}

const void* kernel_poke() {
    return reinterpret_cast<const void*>(poke);
}

const void* kernel_static_shared() {
    return reinterpret_cast<const void*>(static_shared);
}

const void* kernel_bounded() {
    return reinterpret_cast<const void*>(bounded);
}

const void* kernel_dynamic_shared() {
    return reinterpret_cast<const void*>(dynamic_shared);
}

const void* kernel_cooperative() {
    return reinterpret_cast<const void*>(cooperative);
}

const void* kernel_template() {
    return reinterpret_cast<const void*>(add_constant<float, 3>);
}

const void* const symbol_table = device_table;
const void* const symbol_constant = device_constant;
const void* const symbol_managed = &device_managed;

}  // namespace vram::conformance
