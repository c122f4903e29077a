// Style: managed memory, so that the host may write the row table itself.
#include <cstdint>

#include "device_pointer.h"

template <typename T>
static cudaError_t managed(T** out, std::size_t count) {
    *out = nullptr;
    if (count > SIZE_MAX / sizeof(T))
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    T* block = nullptr;
    const cudaError_t status = cudaMallocManaged(&block, count * sizeof(T));
    if (status == cudaSuccess)
        *out = block;
    return status;
}

template <typename T>
static cudaError_t release(T** block) {
    if (block == nullptr || *block == nullptr)
        return cudaSuccess;
    const cudaError_t status = cudaFree(*block);
    *block = nullptr;
    return status;
}

cudaError_t make_array(float** out, std::size_t count) {
    return out ? managed(out, count) : cudaErrorInvalidValue;
}

cudaError_t free_array(float** array) {
    return release(array);
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    if (!image || !mask || mask_count > SIZE_MAX / sizeof(float)) {
        if (image)
            *image = nullptr;
        if (mask)
            *mask = nullptr;
        return cudaErrorInvalidValue;
    }
    *mask = nullptr;
    cudaError_t status = managed(image, image_count);
    if (status == cudaSuccess)
        status = managed(mask, mask_count);
    if (status != cudaSuccess)
        release(image);
    return status;
}

cudaError_t free_pair(float** image, float** mask) {
    const cudaError_t status = release(image);
    const cudaError_t other = release(mask);
    return status == cudaSuccess ? other : status;
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = Matrix();
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    const cudaError_t status = managed(&out->data, static_cast<std::size_t>(cols) * rows);
    if (status == cudaSuccess) {
        out->rows = rows;
        out->cols = cols;
    }
    return status;
}

cudaError_t free_matrix(Matrix* matrix) {
    if (!matrix)
        return cudaSuccess;
    matrix->rows = matrix->cols = 0;
    return release(&matrix->data);
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = RowTable();
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    float** row_start = nullptr;
    cudaError_t status = managed(&row_start, static_cast<std::size_t>(rows));
    if (status != cudaSuccess)
        return status;
    float* data = nullptr;
    status = managed(&data, static_cast<std::size_t>(rows) * cols);
    if (status != cudaSuccess) {
        release(&row_start);
        return status;
    }
    for (int r = 0; r < rows; ++r)
        row_start[r] = data + static_cast<std::size_t>(r) * cols;
    out->row_start = row_start;
    out->data = data;
    out->rows = rows;
    out->cols = cols;
    return cudaSuccess;
}

cudaError_t free_row_table(RowTable* table) {
    if (!table)
        return cudaSuccess;
    table->rows = table->cols = 0;
    const cudaError_t status = release(&table->row_start);
    const cudaError_t other = release(&table->data);
    return status == cudaSuccess ? other : status;
}
