// Kernels whose sectors were counted on an H200, and kernels that go wrong.

extern "C" {

__global__ void copy_from_offset(const float* in, float* out, int offset) {
    out[threadIdx.x] = in[threadIdx.x + offset];
}

__global__ void copy_with_stride(const float* in, float* out, int stride) {
    out[threadIdx.x] = in[threadIdx.x * stride];
}

__global__ void count_up(int* counter, int* seen) {
    atomicAdd(counter, 1);
    seen[0] = 1;
}

__global__ void copy_float4(const float4* in, float4* out) {
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void copy_doubles(const double* in, double* out) {
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void copy_bytes(const char* in, char* out) {
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void broadcast_first(const float* in, float* out) {
    out[threadIdx.x] = in[0];
}

__global__ void copy_odd_lanes(const float* in, float* out) {
    if (threadIdx.x & 1) {
        out[threadIdx.x] = in[threadIdx.x];
    }
}

// One warp a row.
__global__ void copy_rows(const char* in, char* out, size_t pitch, int width, int height) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= height) {
        return;
    }
    for (int x = lane; x < width; x += 32) {
        ((float*)(out + row * pitch))[x] = ((const float*)(in + row * pitch))[x];
    }
}

__global__ void add_to_four(int* sums) {
    atomicAdd(&sums[threadIdx.x % 4], 1);
}

__global__ void write_all(float* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}

__global__ void write_misaligned(char* out) {
    *(int*)(out + 1) = 3;
}

__constant__ int limits[4];

__global__ void write_through(int* p) {
    *p = limits[1] + 1;
}

__global__ void write_shared(int index) {
    __shared__ volatile int values[4];
    values[index] = 1;
}

__global__ void read_local(int* out, int index) {
    int values[8];
    for (int i = 0; i < 8; ++i) {
        values[i] = out[i];
    }
    out[0] = values[index];
}

__global__ void read_then_write(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

// Each thread reads what its right neighbour writes, with or without a barrier in between.
__global__ void shift_left(int* out, int wait) {
    __shared__ int values[128];
    values[threadIdx.x] = threadIdx.x;
    if (wait) {
        __syncthreads();
    }
    out[threadIdx.x] = values[(threadIdx.x + 1) % 128];
}

__global__ void conflict(int* out, int stride) {
    __shared__ int values[32 * 32];
    values[threadIdx.x * stride] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x * stride];
}

}  // extern "C"

/// A barrier of all threads made of a counter in shared memory.
static __device__ void meet_at_counter(int* arrived, int threads) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < threads) {
    }
}

/// Each thread hands its number to the next one. `how`: 0 without waiting; 1 waiting at a counter;
/// 2 each at a flag of its neighbour's; 3 at such a flag in global memory; 4 as 1, but with the
/// write behind the counter.
extern "C" __global__ void hand_on(int* out, int* flags, int how) {
    __shared__ int values[64];
    __shared__ int arrived;
    __shared__ volatile int ready[64];
    const int me = static_cast<int>(threadIdx.x), other = (me + 1) % 64;
    if (me == 0) {
        arrived = 0;
    }
    ready[me] = 0;
    __syncthreads();
    if (how != 4) {
        values[me] = me;
    }
    if (how == 1 || how == 4) {
        meet_at_counter(&arrived, 64);
    } else if (how == 2) {
        __threadfence_block();
        ready[me] = 1;
        while (ready[other] == 0) {
        }
        __threadfence_block();
    } else if (how == 3) {
        __threadfence_block();
        atomicExch(flags + me, 1);
        while (*static_cast<volatile int*>(flags + other) == 0) {
        }
        __threadfence_block();
    }
    if (how == 4) {
        values[me] = me;
    }
    out[me] = values[other];
}

/// A lock in shared memory guards a sum; `locked` says whether it is used.
extern "C" __global__ void sum_up(int* out, bool locked) {
    __shared__ int lock;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        lock = 0;
        sum = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (locked && atomicCAS(&lock, 0, 1) != 0) {
        }
        sum += 1;
        if (locked) {
            __threadfence_block();
            atomicExch(&lock, 0);
        }
    }
    __syncthreads();
    *out = sum;
}
