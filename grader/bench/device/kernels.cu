#include "grader/bench/device/kernels.h"

namespace vram::bench {
namespace {

constexpr int threads = 256;
constexpr int tile = 32;
constexpr int tile_rows = 8;
constexpr int product_tile = 16;

__global__ void saxpy(float a, const float* x, float* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = a * x[i] + y[i];
    }
}

__global__ void reduction(const float* in, float* sums) {
    __shared__ float partial[threads];
    const int first = blockIdx.x * threads * 2 + threadIdx.x;
    partial[threadIdx.x] = in[first] + in[first + threads];
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = partial[0];
    }
}

__global__ void transpose(const float* in, float* out, int width, int height) {
    __shared__ float cells[tile][tile + 1];
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    for (int row = 0; row < tile; row += tile_rows) {
        cells[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int row = 0; row < tile; row += tile_rows) {
        out[(y + row) * height + x] = cells[threadIdx.x][threadIdx.y + row];
    }
}

__global__ void stencil(const float* in, float* out, std::size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) {
        return;
    }
    const char* line = reinterpret_cast<const char*>(in) + y * pitch;
    const auto* row = reinterpret_cast<const float*>(line);
    const auto* above = reinterpret_cast<const float*>(line - pitch);
    const auto* below = reinterpret_cast<const float*>(line + pitch);
    auto* to = reinterpret_cast<float*>(reinterpret_cast<char*>(out) + y * pitch);
    to[x] = 0.25f * (row[x - 1] + row[x + 1] + above[x] + below[x]);
}

__global__ void matrix_product(const float* a, const float* b, float* c, int size) {
    __shared__ float left[product_tile][product_tile];
    __shared__ float right[product_tile][product_tile];
    const int row = blockIdx.y * product_tile + threadIdx.y;
    const int column = blockIdx.x * product_tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < size; first += product_tile) {
        left[threadIdx.y][threadIdx.x] = a[row * size + first + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * size + column];
        __syncthreads();
        for (int k = 0; k < product_tile; ++k) {
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}

__global__ void nothing() {}

}  // namespace

void launch_saxpy(float a, const float* x, float* y, int count) {
    saxpy<<<(count + threads - 1) / threads, threads>>>(a, x, y, count);
}

void launch_reduction(const float* in, float* sums, int count) {
    reduction<<<count / (2 * threads), threads>>>(in, sums);
}

void launch_transpose(const float* in, float* out, int width, int height) {
    transpose<<<dim3(width / tile, height / tile), dim3(tile, tile_rows)>>>(in, out, width, height);
}

void launch_stencil(const float* in, float* out, std::size_t pitch, int width, int height) {
    const dim3 block(16, 8);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    stencil<<<grid, block>>>(in, out, pitch, width, height);
}

void launch_matrix_product(const float* a, const float* b, float* c, int size) {
    const int tiles = size / product_tile;
    matrix_product<<<dim3(tiles, tiles), dim3(product_tile, product_tile)>>>(a, b, c, size);
}

void launch_nothing() {
    nothing<<<1, 32>>>();
}

}  // namespace vram::bench
