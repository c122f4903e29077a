// fails: RowTable.EveryRowIsReachable
// diagnosis: wrong-row-address
// mistake: the loop over the rows ends one row early
#include "device_pointer.h"

#include <cstdint>
#include <vector>

namespace {

bool bytes_overflow(std::size_t count) {
    return count > SIZE_MAX / sizeof(float);
}

cudaError_t first_failure(cudaError_t first, cudaError_t second) {
    return first != cudaSuccess ? first : second;
}

// Releases `pointer` and forgets it first, so that no path can release it again.
template <typename T>
cudaError_t release(T*& pointer) {
    T* block = pointer;
    pointer = nullptr;
    return cudaFree(block);
}

// Allocates `count` elements; `out` is null after a failure, whatever the runtime left there.
template <typename T>
cudaError_t allocate(T*& out, std::size_t count) {
    out = nullptr;
    T* block = nullptr;
    const cudaError_t status = cudaMalloc(&block, count * sizeof(T));
    if (status == cudaSuccess)
        out = block;
    return status;
}

}  // namespace

cudaError_t make_array(float** out, std::size_t count) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    *out = nullptr;
    if (bytes_overflow(count))
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    return allocate(*out, count);
}

cudaError_t free_array(float** array) {
    if (array == nullptr)
        return cudaSuccess;
    return release(*array);
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    if (image != nullptr)
        *image = nullptr;
    if (mask != nullptr)
        *mask = nullptr;
    if (image == nullptr || mask == nullptr)
        return cudaErrorInvalidValue;
    if (bytes_overflow(image_count) || bytes_overflow(mask_count))
        return cudaErrorInvalidValue;

    cudaError_t status = make_array(image, image_count);
    if (status != cudaSuccess)
        return status;
    status = make_array(mask, mask_count);
    if (status != cudaSuccess)
        free_array(image);
    return status;
}

cudaError_t free_pair(float** image, float** mask) {
    const cudaError_t image_status = free_array(image);
    const cudaError_t mask_status = free_array(mask);
    return first_failure(image_status, mask_status);
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    *out = Matrix{nullptr, 0, 0};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;

    // Two ints can't overflow 64 bits, but they do overflow an int.
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    const cudaError_t status = allocate(out->data, count);
    if (status != cudaSuccess)
        return status;
    out->rows = rows;
    out->cols = cols;
    return cudaSuccess;
}

cudaError_t free_matrix(Matrix* matrix) {
    if (matrix == nullptr)
        return cudaSuccess;
    const cudaError_t status = release(matrix->data);
    *matrix = Matrix{nullptr, 0, 0};
    return status;
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    *out = RowTable{nullptr, nullptr, 0, 0};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;

    RowTable table{nullptr, nullptr, rows, cols};
    const std::size_t row_count = static_cast<std::size_t>(rows);
    const std::size_t col_count = static_cast<std::size_t>(cols);
    cudaError_t status = allocate(table.data, row_count * col_count);
    if (status == cudaSuccess)
        status = allocate(table.row_start, row_count);
    if (status == cudaSuccess) {
        // The host may compute device addresses; it may not write them into device memory.
        std::vector<float*> row_start(row_count);
        for (std::size_t r = 0; r + 1 < row_count; ++r)
            row_start[r] = table.data + r * col_count;
        status = cudaMemcpy(table.row_start, row_start.data(), row_count * sizeof(float*),
                            cudaMemcpyHostToDevice);
    }
    if (status != cudaSuccess) {
        free_row_table(&table);
        return status;
    }
    *out = table;
    return cudaSuccess;
}

cudaError_t free_row_table(RowTable* table) {
    if (table == nullptr)
        return cudaSuccess;
    const cudaError_t row_status = release(table->row_start);
    const cudaError_t data_status = release(table->data);
    *table = RowTable{nullptr, nullptr, 0, 0};
    return first_failure(row_status, data_status);
}
