// Exchanges between the lanes of a warp.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" {

__global__ void shuffles(int* out) {
    const int t = threadIdx.x;
    int* r = out + t * 8;
    r[0] = __shfl_xor_sync(~0u, t, 3);
    r[1] = __shfl_up_sync(~0u, t, 1);
    r[2] = __shfl_down_sync(~0u, t, 2);
    r[3] = __shfl_sync(~0u, t, 5);
    r[4] = __shfl_sync(~0u, t, 5, 8);
    r[5] = __shfl_down_sync(~0u, t, 3, 16);
    r[6] = __shfl_up_sync(~0u, t, 3, 4);
    r[7] = __shfl_xor_sync(~0u, t, 16, 16);
}

__global__ void votes(unsigned* out) {
    const int t = threadIdx.x;
    unsigned* r = out + t * 6;
    r[0] = __ballot_sync(~0u, t & 1);
    r[1] = __any_sync(~0u, t == 40);
    r[2] = __all_sync(~0u, t < 64);
    r[3] = __match_any_sync(~0u, t & 3);
    int same = 0;
    r[4] = __match_all_sync(~0u, t / 32, &same);
    r[5] = same;
}

__global__ void reductions(int* out) {
    const int t = threadIdx.x;
    out[t * 3] = __reduce_add_sync(~0u, t);
    out[t * 3 + 1] = __reduce_min_sync(~0u, 5 - t);
    out[t * 3 + 2] = __reduce_xor_sync(~0u, (unsigned)t);
}

// Both halves of the warp arrive at one shuffle by different ways.
__global__ void meet_at_shuffle(int* out) {
    int x = 0;
    if (threadIdx.x < 16) {
        for (int i = 0; i < 10; ++i) {
            x += i * threadIdx.x;
        }
    } else {
        x = -1;
    }
    __syncwarp();
    out[threadIdx.x] = __shfl_xor_sync(~0u, x, 16);
}

// Each quarter votes by itself.
__global__ void partial_masks(unsigned* out) {
    const unsigned quarter = 0xffu << (threadIdx.x / 8 * 8);
    out[threadIdx.x] = __ballot_sync(quarter, threadIdx.x % 3 == 0);
}

__global__ void sum_leaving_some_out(int* out, int count) {
    if (threadIdx.x >= count) {
        return;
    }
    const unsigned mask = (1u << count) - 1;
    out[threadIdx.x] = __shfl_down_sync(mask, (int)threadIdx.x, 1);
}

__global__ void never_come(int* out) {
    int x = threadIdx.x;
    if (threadIdx.x < 16) {
        x = __shfl_down_sync(0xffffffffu, x, 8);
    }
    __syncthreads();
    out[threadIdx.x] = x;
}

__global__ void sum_with_tiles(const float* in, float* out, int n) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0;
    for (int offset = tile.size() / 2; offset; offset /= 2) {
        v += tile.shfl_down(v, offset);
    }
    block.sync();
    if (tile.thread_rank() == 0) {
        atomicAdd(out, v);
    }
}

__global__ void sync_grid(int* values, int rounds) {
    auto grid = cg::this_grid();
    const int n = gridDim.x * blockDim.x;
    const int i = grid.thread_rank();
    for (int round = 0; round < rounds; ++round) {
        const int next = values[(i + 1) % n];
        grid.sync();
        values[i] = next + 1;
        grid.sync();
    }
}

}  // extern "C"
