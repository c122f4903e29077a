// Style: C with one exit for each function, reached by goto; the table is filled row by row.
#include <stdint.h>
#include <string.h>

#include "device_pointer.h"

cudaError_t make_array(float** out, size_t count) {
    void* block = NULL;
    cudaError_t status = cudaErrorInvalidValue;
    if (out == NULL || count > SIZE_MAX / sizeof(float))
        goto done;
    status = cudaSuccess;
    if (count == 0)
        goto done;
    status = cudaMalloc(&block, count * sizeof(float));
    if (status != cudaSuccess)
        block = NULL;
done:
    if (out != NULL)
        *out = (float*)block;
    return status;
}

cudaError_t free_array(float** array) {
    cudaError_t status = cudaSuccess;
    if (array == NULL || *array == NULL)
        goto done;
    status = cudaFree(*array);
    *array = NULL;
done:
    return status;
}

cudaError_t make_pair(float** image, size_t image_count, float** mask, size_t mask_count) {
    cudaError_t status = cudaErrorInvalidValue;
    float* blocks[2] = {NULL, NULL};
    if (image == NULL || mask == NULL)
        goto done;
    if (image_count > SIZE_MAX / sizeof(float) || mask_count > SIZE_MAX / sizeof(float))
        goto done;
    if ((status = make_array(&blocks[0], image_count)) != cudaSuccess)
        goto done;
    if ((status = make_array(&blocks[1], mask_count)) != cudaSuccess)
        goto done;
done:
    if (status != cudaSuccess) {
        free_array(&blocks[0]);
        free_array(&blocks[1]);
    }
    if (image != NULL)
        *image = blocks[0];
    if (mask != NULL)
        *mask = blocks[1];
    return status;
}

cudaError_t free_pair(float** image, float** mask) {
    cudaError_t first = free_array(image);
    cudaError_t second = free_array(mask);
    return first != cudaSuccess ? first : second;
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    cudaError_t status = cudaErrorInvalidValue;
    if (out == NULL)
        goto done;
    memset(out, 0, sizeof *out);
    if (rows < 0 || cols < 0)
        goto done;
    status = make_array(&out->data, (size_t)rows * (size_t)cols);
    if (status != cudaSuccess || out->data == NULL)
        goto done;
    out->rows = rows;
    out->cols = cols;
done:
    return status;
}

cudaError_t free_matrix(Matrix* matrix) {
    cudaError_t status = cudaSuccess;
    if (matrix == NULL)
        goto done;
    status = free_array(&matrix->data);
    memset(matrix, 0, sizeof *matrix);
done:
    return status;
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    cudaError_t status = cudaErrorInvalidValue;
    if (out == NULL)
        goto done;
    memset(out, 0, sizeof *out);
    if (rows < 0 || cols < 0)
        goto done;
    status = cudaSuccess;
    if (rows == 0 || cols == 0)
        goto done;
    out->rows = rows;
    out->cols = cols;
    status = make_array(&out->data, (size_t)rows * (size_t)cols);
    if (status != cudaSuccess)
        goto undo;
    status = cudaMalloc((void**)&out->row_start, (size_t)rows * sizeof(float*));
    if (status != cudaSuccess) {
        out->row_start = NULL;
        goto undo;
    }
    for (int r = 0; r < rows; ++r) {
        float* row = out->data + (size_t)r * (size_t)cols;
        status = cudaMemcpy(&out->row_start[r], &row, sizeof row, cudaMemcpyHostToDevice);
        if (status != cudaSuccess)
            goto undo;
    }
    goto done;
undo:
    free_row_table(out);
done:
    return status;
}

cudaError_t free_row_table(RowTable* table) {
    cudaError_t first = cudaSuccess;
    cudaError_t second = cudaSuccess;
    if (table == NULL)
        goto done;
    first = cudaFree(table->row_start);
    second = free_array(&table->data);
    memset(table, 0, sizeof *table);
done:
    return first != cudaSuccess ? first : second;
}
