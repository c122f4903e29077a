// The kernels of the benchmark, behind functions that launch them.
#pragma once

#include <cstddef>

namespace vram::bench {

/// y = a x + y
void launch_saxpy(float a, const float* x, float* y, int count);
/// The sum of each 512 values of `in`, one to a block; `count` is a multiple of 512.
void launch_reduction(const float* in, float* sums, int count);
/// Through shared memory; both sides are a multiple of 32.
void launch_transpose(const float* in, float* out, int width, int height);
/// Each inner cell becomes the mean of its four neighbours; `pitch` in bytes.
void launch_stencil(const float* in, float* out, std::size_t pitch, int width, int height);
/// c = a b, square, by tiles of 16 x 16 in shared memory; `size` is a multiple of 16.
void launch_matrix_product(const float* a, const float* b, float* c, int size);
void launch_nothing();

}  // namespace vram::bench
