// Conversions between any two types, one lane at a time.
#pragma once

#include "grader/virtual_gpu/ptx/instruction.h"

namespace vram::virtual_gpu::ptx {

/// What a conversion of rare types needs to know; fits Instruction::immediate.
struct ConversionPlan {
    Type to = Type::none;
    Type from = Type::none;
    std::uint8_t to_width = 0;    ///< bytes of the destination register
    std::uint8_t from_width = 0;  ///< bytes of the source register
    bool integral = false;        ///< float to float: round to an integral value
    bool flush = false;
    bool relu = false;

    std::int64_t packed() const;
    static ConversionPlan unpacked(std::int64_t packed);
};

/// Converts as the plan in Instruction::immediate says, and Instruction::rounding and saturate.
void convert_any(Warp& warp, const Instruction& instruction);
/// cvt.f16x2.f32 and cvt.bf16x2.f32: `a` becomes the upper half, `b` the lower.
void convert_pair(Warp& warp, const Instruction& instruction);

}  // namespace vram::virtual_gpu::ptx
