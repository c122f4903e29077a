// Integer instructions that compilers emit seldom, one lane at a time.
#pragma once

#include "grader/virtual_gpu/ptx/instruction.h"
#include "grader/virtual_gpu/ptx/operations/operations.h"

namespace vram::virtual_gpu::ptx {

/// nullptr when there is no such operation. `Selection::name` holds all words but the types.
Operation find_rare_integer(const Selection& selection);

/// What the instructions on four bytes or two halves of a word need to know; fits
/// Instruction::immediate.
struct PackedPlan {
    enum class Action : std::uint8_t {
        add,
        subtract,
        absolute_difference,
        average,
        minimum,
        maximum,
        compare,
    };

    Action action = Action::add;
    std::uint8_t bits = 8;  ///< of a part
    bool a_signed = false;
    bool b_signed = false;
    bool d_signed = false;
    bool saturate = false;
    bool accumulate = false;  ///< c and the sum of all parts
    Comparison comparison = Comparison::eq;

    std::int64_t packed() const;
    static PackedPlan unpacked(std::int64_t packed);
};

void use_packed_parts(Warp& warp, const Instruction& instruction);

}  // namespace vram::virtual_gpu::ptx
