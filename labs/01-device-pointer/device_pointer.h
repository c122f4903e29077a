// The memory helpers of an imaging library: every one hands a device address out.
//
// Holds for all of them:
// - Out-parameters are only written. What they held before the call is never read.
// - A call that fails leaves every out-parameter empty (a null pointer; a struct of nulls and
//   zeros), keeps no memory, and returns the code of the runtime call that failed.
// - Arguments that make no sense are refused with cudaErrorInvalidValue before any memory is asked
//   for: a null out-parameter, a negative dimension, a count whose bytes do not fit into size_t.
//   The other out-parameters of a refused call are left empty too.
// - Zero elements are no error: cudaSuccess, an empty out-parameter, and no memory.
// - What is handed out is device memory or managed memory, from any allocating call of the runtime.
//   Copies on the default stream can use it when the function returns. All blocks of one call
//   together ask for at most 512 bytes more than their contents need.
// - Every call hands out memory of its own: nothing is shared with an earlier call.
// - free_... gives the memory back to the runtime before it returns and empties what it was given.
//   Null, empty, and freed before: nothing happens, cudaSuccess. When a release fails, the others
//   still happen, everything is emptied all the same, and the first failing code is returned.
// - Nothing here has to be safe against use from two threads at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Hands out the address of device memory for `count` floats.
cudaError_t make_array(float** out, std::size_t count);

/// `*array` is null or comes from make_array.
cudaError_t free_array(float** array);

/// Hands out an image and its mask, of `image_count` and `mask_count` floats: two blocks, or none.
/// If one count is zero, that pointer is null and the other one is still handed out.
cudaError_t make_pair(float** image, std::size_t image_count, float** mask, std::size_t mask_count);

/// `*image` and `*mask` are each null or come from make_pair.
cudaError_t free_pair(float** image, float** mask);

/// A dense matrix. The struct lives on the host; what `data` points to lives on the device.
struct Matrix {
    float* data;  ///< rows x cols floats, row after row, no gaps
    int rows;
    int cols;
};

/// rows x cols can be more than an int holds. A matrix without elements is {nullptr, 0, 0}.
cudaError_t make_matrix(Matrix* out, int rows, int cols);

/// Leaves {nullptr, 0, 0}.
cudaError_t free_matrix(Matrix* matrix);

/// A matrix whose rows can be found without arithmetic. The struct lives on the host; both pointers
/// in it are device addresses, and so is each entry of `row_start`.
struct RowTable {
    float** row_start;  ///< `rows` device pointers: entry r is the address of row r in `data`
    float* data;        ///< rows x cols floats, row after row, no gaps
    int rows;
    int cols;
};

/// When it returns cudaSuccess, every entry of `row_start` is in place. A table without elements is
/// {nullptr, nullptr, 0, 0}.
cudaError_t make_row_table(RowTable* out, int rows, int cols);

/// Leaves {nullptr, nullptr, 0, 0}.
cudaError_t free_row_table(RowTable* table);
