// How the results of f16 and bf16 arithmetic are changed.
#pragma once

#include <cstdint>

namespace vram::virtual_gpu::ptx {

/// Bits of Instruction::variant.
enum HalfVariant : std::uint8_t { half_saturate = 1, half_relu = 2, half_flush = 4 };

}  // namespace vram::virtual_gpu::ptx
