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
    bool saturate_finite = false;  ///< no infinity

    std::int64_t packed() const;
    static ConversionPlan unpacked(std::int64_t packed);
};

/// Converts as the plan in Instruction::immediate says, and Instruction::rounding and saturate.
void convert_any(Warp& warp, const Instruction& instruction);
/// Two of f32 into f16x2, bf16x2, e4m3x2 or e5m2x2: `a` becomes the upper half, `b` the lower.
void convert_pair(Warp& warp, const Instruction& instruction);
/// f16x2 into a pair of eight bits each, and back.
void convert_packed(Warp& warp, const Instruction& instruction);
/// cvt.pack: `a` and `b` saturated side by side; with `has_result`, the bits of `c` above them.
void pack_saturated(Warp& warp, const Instruction& instruction);

}  // namespace vram::virtual_gpu::ptx
