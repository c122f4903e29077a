// CUDA arrays: texels in a layout of the card's own, which programs reach through copies, textures
// and surfaces only.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "grader/virtual_gpu/memory/block.h"

namespace vram::virtual_gpu {

struct Array {
    Block* block = nullptr;
    AllocationId block_id = 0;
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  ///< as asked for: texels, and 0 for dimensions it does not have
    unsigned flags = 0;

    std::size_t texel_bytes() const;
    std::size_t row_bytes() const { return extent.width * texel_bytes(); }
    std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
    std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
    std::size_t slice_bytes() const { return row_bytes() * rows(); }
    bool alive() const { return block->live && block->id == block_id; }
};

/// Bytes of one texel; 0 for a format that does not exist.
std::size_t bytes_of_texel(const cudaChannelFormatDesc& format);

/// The arrays of this process. Expect the lock of the card to be held.
cudaArray_t add_array(const Array& array);
/// nullptr for a handle that is none, or whose array was freed.
Array* find_array(cudaArray_const_t handle);
void forget_array(cudaArray_const_t handle);

}  // namespace vram::virtual_gpu
