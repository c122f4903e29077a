// The registers that say where a thread is.
#pragma once

#include "grader/virtual_gpu/ptx/worker.h"

namespace vram::virtual_gpu::ptx {

/// Writes all special registers that the function of `frame` uses.
void fill_special_registers(const Warp& warp, Frame& frame);
/// Writes only those that change from block to block.
void fill_block_registers(const Warp& warp, Frame& frame);

}  // namespace vram::virtual_gpu::ptx
