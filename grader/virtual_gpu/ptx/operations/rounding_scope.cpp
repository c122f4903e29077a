#include "grader/virtual_gpu/ptx/operations/rounding_scope.h"

#include <xmmintrin.h>

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::uint8_t flush_bit = 4;
constexpr unsigned processor_rounding_shift = 13;
constexpr unsigned processor_rounding_mask = 3u << processor_rounding_shift;
/// Flush results to zero, and take subnormal operands for zero.
constexpr unsigned processor_flush = 0x8000u | 0x0040u;

}  // namespace

std::uint8_t control_bits(Rounding rounding, bool flush) {
    const std::uint8_t bits = flush ? flush_bit : 0;
    switch (rounding) {
        case Rounding::down:
            return bits | 1;
        case Rounding::up:
            return bits | 2;
        case Rounding::zero:
            return bits | 3;
        default:
            return bits;
    }
}

void run_in_rounding_scope(Warp& warp, const Instruction& instruction) {
    const unsigned before = _mm_getcsr();
    unsigned now = before & ~processor_rounding_mask;
    now |= (instruction.control_bits & 3u) << processor_rounding_shift;
    if ((instruction.control_bits & flush_bit) != 0) {
        now |= processor_flush;
    }
    _mm_setcsr(now);
    instruction.inner(warp, instruction);
    _mm_setcsr(before);
}

}  // namespace vram::virtual_gpu::ptx
