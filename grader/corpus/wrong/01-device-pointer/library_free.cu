// fails: Array.IsReleasedOnce
// diagnosis: free-by-c-library
// shows: free(*array);
// may also fail: Release.EmptiesWhatItWasGiven
// mistake: D10, the C library is asked to release device memory
#include "device_pointer.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

cudaError_t make_array(float** out, std::size_t count) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    *out = nullptr;
    if (count > SIZE_MAX / sizeof(float))
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    const cudaError_t status = cudaMalloc(out, count * sizeof(float));
    if (status != cudaSuccess)
        *out = nullptr;
    return status;
}

cudaError_t free_array(float** array) {
    if (array == nullptr || *array == nullptr)
        return cudaSuccess;
    free(*array);
    *array = nullptr;
    return cudaSuccess;
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    if (image != nullptr)
        *image = nullptr;
    if (mask != nullptr)
        *mask = nullptr;
    if (image == nullptr || mask == nullptr)
        return cudaErrorInvalidValue;
    const std::size_t most = SIZE_MAX / sizeof(float);
    if (image_count > most || mask_count > most)
        return cudaErrorInvalidValue;
    float* first = nullptr;
    float* second = nullptr;
    if (image_count > 0) {
        const cudaError_t status = cudaMalloc(&first, image_count * sizeof(float));
        if (status != cudaSuccess)
            return status;
    }
    if (mask_count > 0) {
        const cudaError_t status = cudaMalloc(&second, mask_count * sizeof(float));
        if (status != cudaSuccess) {
            cudaFree(first);
            return status;
        }
    }
    *image = first;
    *mask = second;
    return cudaSuccess;
}

cudaError_t free_pair(float** image, float** mask) {
    const cudaError_t first = free_array(image);
    const cudaError_t second = free_array(mask);
    return first != cudaSuccess ? first : second;
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    *out = {nullptr, 0, 0};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(rows) * cols;
    float* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, bytes);
    if (status != cudaSuccess)
        return status;
    *out = {data, rows, cols};
    return cudaSuccess;
}

cudaError_t free_matrix(Matrix* matrix) {
    if (matrix == nullptr)
        return cudaSuccess;
    const cudaError_t status = cudaFree(matrix->data);
    *matrix = {nullptr, 0, 0};
    return status;
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    *out = {nullptr, nullptr, 0, 0};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;

    const std::size_t width = static_cast<std::size_t>(cols);
    float* data = nullptr;
    float** row_start = nullptr;
    cudaError_t status = cudaMalloc(&data, width * rows * sizeof(float));
    if (status != cudaSuccess)
        return status;
    status = cudaMalloc(&row_start, rows * sizeof(float*));
    if (status != cudaSuccess) {
        cudaFree(data);
        return status;
    }
    std::vector<float*> starts(rows);
    for (int r = 0; r < rows; ++r)
        starts[r] = data + r * width;
    status = cudaMemcpy(row_start, starts.data(), rows * sizeof(float*), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) {
        cudaFree(row_start);
        cudaFree(data);
        return status;
    }
    *out = {row_start, data, rows, cols};
    return cudaSuccess;
}

cudaError_t free_row_table(RowTable* table) {
    if (table == nullptr)
        return cudaSuccess;
    const cudaError_t first = cudaFree(table->row_start);
    const cudaError_t second = cudaFree(table->data);
    *table = {nullptr, nullptr, 0, 0};
    return first != cudaSuccess ? first : second;
}
