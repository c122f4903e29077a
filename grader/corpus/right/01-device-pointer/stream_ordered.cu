// Style: stream-ordered allocation on the default stream, released with cudaFreeAsync.
#include <cstdint>
#include <utility>
#include <vector>

#include "device_pointer.h"

namespace {

cudaError_t reserve(void** out, std::size_t count, std::size_t element_bytes) {
    *out = nullptr;
    if (count > SIZE_MAX / element_bytes)
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    void* block = nullptr;
    const cudaError_t status = cudaMallocAsync(&block, count * element_bytes, cudaStreamLegacy);
    if (status == cudaSuccess)
        *out = block;
    return status;
}

cudaError_t reserve(float** out, std::size_t count) {
    void* block = nullptr;
    const cudaError_t status = reserve(&block, count, sizeof(float));
    *out = static_cast<float*>(block);
    return status;
}

cudaError_t drop(void* block) {
    return block ? cudaFreeAsync(block, cudaStreamLegacy) : cudaSuccess;
}

}  // namespace

cudaError_t make_array(float** out, std::size_t count) {
    return out ? reserve(out, count) : cudaErrorInvalidValue;
}

cudaError_t free_array(float** array) {
    return array ? drop(std::exchange(*array, nullptr)) : cudaSuccess;
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    for (float** out : {image, mask}) {
        if (out)
            *out = nullptr;
    }
    for (std::size_t count : {image_count, mask_count}) {
        if (count > SIZE_MAX / sizeof(float))
            return cudaErrorInvalidValue;
    }
    if (!image || !mask)
        return cudaErrorInvalidValue;
    cudaError_t status = reserve(image, image_count);
    if (status == cudaSuccess)
        status = reserve(mask, mask_count);
    if (status != cudaSuccess)
        drop(std::exchange(*image, nullptr));
    return status;
}

cudaError_t free_pair(float** image, float** mask) {
    cudaError_t worst = cudaSuccess;
    for (float** block : {image, mask}) {
        const cudaError_t status = free_array(block);
        if (worst == cudaSuccess)
            worst = status;
    }
    return worst;
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = Matrix{};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    const std::size_t count = std::size_t(unsigned(rows)) * unsigned(cols);
    if (count == 0)
        return cudaSuccess;
    Matrix matrix{nullptr, rows, cols};
    const cudaError_t status = reserve(&matrix.data, count);
    if (status == cudaSuccess)
        *out = matrix;
    return status;
}

cudaError_t free_matrix(Matrix* matrix) {
    return matrix ? drop(std::exchange(*matrix, Matrix{}).data) : cudaSuccess;
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = RowTable{};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    const auto width = static_cast<std::size_t>(cols);
    const auto height = static_cast<std::size_t>(rows);
    std::vector<float*> starts(height);
    void* row_start = nullptr;
    float* data = nullptr;
    cudaError_t status = reserve(&data, width * height);
    if (status == cudaSuccess)
        status = reserve(&row_start, height, sizeof(float*));
    for (std::size_t r = 0; r < height && data; ++r)
        starts[r] = data + r * width;
    if (status == cudaSuccess) {
        status = cudaMemcpyAsync(row_start, starts.data(), height * sizeof(float*),
                                 cudaMemcpyHostToDevice, cudaStreamLegacy);
    }
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(cudaStreamLegacy);
    if (status != cudaSuccess) {
        drop(row_start);
        drop(data);
        return status;
    }
    *out = RowTable{static_cast<float**>(row_start), data, rows, cols};
    return cudaSuccess;
}

cudaError_t free_row_table(RowTable* table) {
    if (!table)
        return cudaSuccess;
    const RowTable old = std::exchange(*table, RowTable{});
    const cudaError_t first = drop(old.row_start);
    const cudaError_t second = drop(old.data);
    return first != cudaSuccess ? first : second;
}
