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
