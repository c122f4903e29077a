// Instructions of PTX, each in a kernel of its own, so that one which a device lacks spoils no other.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace vram::conformance {

/// The operands of one thread; narrower ones are their low bits.
struct Operands {
    std::uint64_t a, b, c;
};

/// What operands look like.
enum class OperandKind {
    integers,
    small_integers,  ///< up to 40: positions, lengths, counts
    halves,          ///< f16, two in a word
    brains,          ///< bf16, two in a word
    singles,
    doubles,
    special_halves,  ///< zeros, infinities, NaN
    special_brains,
    special_singles,
    special_doubles,
    flushed_singles,  ///< special ones, and subnormal numbers
};

struct InstructionCase {
    OperandKind operands;
    const char* text;
    /// void(const Operands* in, std::uint64_t* out): a thread each, blocks of 128.
    const void* kernel;
};

std::span<const InstructionCase> instruction_cases();

/// Functions that are only approximated, in single precision: out[i] = f(in[i]).
struct Approximation {
    const char* text;
    /// void(const float* in, float* out): a thread each, blocks of 128.
    const void* kernel;
};

std::span<const Approximation> approximations();

}  // namespace vram::conformance
