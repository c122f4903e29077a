// Copies of all shapes: checked when they are called, done when their stream comes to them.
#pragma once

#include <cuda_runtime_api.h>

#include "grader/virtual_gpu/memory/memory_side.h"

namespace vram::virtual_gpu {

enum class Blocking : std::uint8_t {
    no,   ///< cudaMemcpyAsync and the like
    yes,  ///< cudaMemcpy and the like
};

/// One of the five directions.
bool known_kind(cudaMemcpyKind kind);

/// Copies `source` to `destination`, boxes of the same size, in `stream`. `name` is the call's.
cudaError_t copy(Card& card, const Box& destination, const Box& source, cudaMemcpyKind kind,
                 cudaStream_t stream, Blocking blocking, const char* name);

/// Fills the box with `value`, repeated.
cudaError_t fill(Card& card, const Box& destination, int value, cudaStream_t stream,
                 Blocking blocking, const char* name);

}  // namespace vram::virtual_gpu
