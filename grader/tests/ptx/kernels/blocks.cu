// Kernels as courses teach them.

extern "C" {

__constant__ float weights[16];
__device__ int counter;
__device__ float table[256];
__device__ const int primes[4] = {2, 3, 5, 7};
__managed__ int last;

__global__ void saxpy(int n, float a, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

__global__ void reduce(const float* in, float* out, int n) {
    __shared__ float partial[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x * 2 + t;
    float v = i < n ? in[i] : 0;
    if (i + blockDim.x < n) {
        v += in[i + blockDim.x];
    }
    partial[t] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) {
            partial[t] += partial[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = partial[0];
    }
}

__global__ void scan(int* data, int n) {
    extern __shared__ int shared[];
    const int t = threadIdx.x;
    shared[t] = t < n ? data[t] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        const int v = t >= offset ? shared[t - offset] : 0;
        __syncthreads();
        shared[t] += v;
        __syncthreads();
    }
    if (t < n) {
        data[t] = shared[t];
    }
}

__global__ void transpose(const float* in, float* out, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < width && y + j < height) {
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < height && y + j < width) {
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[data[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void stencil(const float* in, float* out, size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1) {
        return;
    }
    const char* line = (const char*)in + y * pitch;
    const float* row = (const float*)line;
    const float* up = (const float*)(line - pitch);
    const float* down = (const float*)(line + pitch);
    ((float*)((char*)out + y * pitch))[x] = 0.25f * (row[x - 1] + row[x + 1] + up[x] + down[x]);
}

__global__ void multiply_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float left[16][16], right[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int m = 0; m < (n + 15) / 16; ++m) {
        const int x = m * 16 + threadIdx.x, y = m * 16 + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < n && x < n ? a[row * n + x] : 0;
        right[threadIdx.y][threadIdx.x] = column < n && y < n ? b[y * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        c[row * n + column] = sum;
    }
}

__global__ void use_variables(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float sum = 0;
    for (int k = 0; k < 16 && i + k < n; ++k) {
        sum += weights[k] * in[i + k];
    }
    out[i] = sum + table[i & 255] + primes[i & 3];
    atomicAdd(&counter, 1);
    last = 5;
}

struct Settings {
    float step;
    int n;
    double direction[3];
};

__global__ void take_struct(Settings settings, float* out, int k) {
    out[threadIdx.x] = settings.step * settings.n + (float)settings.direction[k];
}

__global__ void choose_space(const float* global, float* out, int which) {
    __shared__ float shared[32];
    shared[threadIdx.x] = which;
    __syncthreads();
    const float* from = which > 3 ? global : shared;
    out[threadIdx.x] = from[threadIdx.x];
}

}  // extern "C"
