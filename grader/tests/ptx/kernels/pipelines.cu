// Barriers in shared memory, and copies that do not wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Each round, every element becomes its right neighbour plus 1.
extern "C" __global__ void rotate(int* data, int rounds) {
    __shared__ int values[256];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        values[threadIdx.x] = data[threadIdx.x] + 1;
        Barrier::arrival_token token = barrier.arrive();
        barrier.wait(std::move(token));
        data[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
        barrier.arrive_and_wait();
    }
}

extern "C" __global__ void reverse_copied(const int* in, int* out) {
    __shared__ alignas(16) int values[256];
    __shared__ Barrier barrier;
    cg::thread_block block = cg::this_thread_block();
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
    }
    block.sync();
    cuda::memcpy_async(block, values, in, cuda::aligned_size_t<16>(sizeof values), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = values[255 - threadIdx.x];
}

extern "C" __global__ void reverse_in_stages(const int* in, int* out, int batches) {
    constexpr int batch = 128;
    __shared__ int values[2][batch];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const auto fetch = [&](int number) {
        pipeline.producer_acquire();
        cuda::memcpy_async(block, values[number % 2], in + number * batch, sizeof values[0],
                           pipeline);
        pipeline.producer_commit();
    };
    fetch(0);
    for (int number = 0; number < batches; ++number) {
        if (number + 1 < batches) {
            fetch(number + 1);
        }
        pipeline.consumer_wait();
        block.sync();
        out[number * batch + threadIdx.x] = 2 * values[number % 2][batch - 1 - threadIdx.x];
        block.sync();
        pipeline.consumer_release();
    }
}

extern "C" __global__ void reverse_waiting(const int* in, int* out) {
    __shared__ int values[128];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, values, in, sizeof values);
    cg::wait(block);
    out[threadIdx.x] = values[127 - threadIdx.x];
}
