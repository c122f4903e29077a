// Style: results are not looked at one by one; the last-error slot is read after each group.
#include <cstring>
#include <memory>

#include "device_pointer.h"

static bool too_many(std::size_t count) {
    std::size_t bytes = 0;
    return __builtin_mul_overflow(count, sizeof(float), &bytes);
}

static cudaError_t give_back(void* first, void* second) {
    cudaFree(first);
    const cudaError_t status = cudaGetLastError();
    cudaFree(second);
    const cudaError_t other = cudaGetLastError();
    return status == cudaSuccess ? other : status;
}

cudaError_t make_array(float** out, std::size_t count) {
    if (out == nullptr || too_many(count)) {
        if (out != nullptr)
            *out = nullptr;
        return cudaErrorInvalidValue;
    }
    float* array = nullptr;
    if (count > 0)
        cudaMalloc(&array, sizeof(float[1]) * count);
    const cudaError_t status = cudaGetLastError();
    *out = status == cudaSuccess ? array : nullptr;
    return status;
}

cudaError_t free_array(float** array) {
    if (array == nullptr)
        return cudaSuccess;
    float* old = nullptr;
    std::swap(old, *array);
    return give_back(old, nullptr);
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    float* made[2] = {};
    cudaError_t status = cudaErrorInvalidValue;
    if (image && mask && !too_many(image_count) && !too_many(mask_count)) {
        status = make_array(&made[0], image_count);
        if (status == cudaSuccess)
            status = make_array(&made[1], mask_count);
        if (status != cudaSuccess) {
            give_back(made[0], made[1]);
            made[0] = made[1] = nullptr;
        }
    }
    if (image)
        *image = made[0];
    if (mask)
        *mask = made[1];
    return status;
}

cudaError_t free_pair(float** image, float** mask) {
    float* images = image ? *image : nullptr;
    float* masks = mask ? *mask : nullptr;
    if (image)
        *image = nullptr;
    if (mask)
        *mask = nullptr;
    return give_back(images, masks);
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    std::memset(out, 0, sizeof(Matrix));
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    const long long count = 1LL * rows * cols;
    const cudaError_t status = make_array(&out->data, static_cast<std::size_t>(count));
    if (status == cudaSuccess && count > 0) {
        out->rows = rows;
        out->cols = cols;
    }
    return status;
}

cudaError_t free_matrix(Matrix* matrix) {
    if (!matrix)
        return cudaSuccess;
    const Matrix old = *matrix;
    std::memset(matrix, 0, sizeof(Matrix));
    return give_back(old.data, nullptr);
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    std::memset(out, 0, sizeof(RowTable));
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;

    Matrix matrix;
    cudaError_t status = make_matrix(&matrix, rows, cols);
    if (status != cudaSuccess)
        return status;
    float** row_start = nullptr;
    cudaMalloc(&row_start, rows * sizeof(*row_start));
    status = cudaGetLastError();
    if (status != cudaSuccess) {
        free_matrix(&matrix);
        return status;
    }
    auto starts = std::make_unique<float*[]>(rows);
    for (long long r = 0; r < rows; ++r)
        starts[r] = &matrix.data[r * cols];
    cudaMemcpy(row_start, starts.get(), rows * sizeof(starts[0]), cudaMemcpyHostToDevice);
    status = cudaGetLastError();
    if (status != cudaSuccess) {
        give_back(row_start, matrix.data);
        return status;
    }
    out->row_start = row_start;
    out->data = matrix.data;
    out->rows = rows;
    out->cols = cols;
    return status;
}

cudaError_t free_row_table(RowTable* table) {
    if (!table)
        return cudaSuccess;
    const RowTable old = *table;
    std::memset(table, 0, sizeof(RowTable));
    return give_back(old.data, old.row_start);
}
