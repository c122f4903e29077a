// Rounding modes and flushing of subnormals, left to the processor.
#pragma once

#include <cstdint>

#include "grader/virtual_gpu/ptx/instruction.h"

namespace vram::virtual_gpu::ptx {

/// Value of Instruction::control_bits.
std::uint8_t control_bits(Rounding rounding, bool flush);

/// Runs `Instruction::inner` with the processor set as `control_bits` say.
void run_in_rounding_scope(Warp& warp, const Instruction& instruction);

}  // namespace vram::virtual_gpu::ptx
