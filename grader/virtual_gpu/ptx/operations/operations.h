// Finds the function that carries an instruction out.
//
// Each family of operations is written once, in a .inc file, and compiled twice: for any x86-64
// and, where the compiler can, for processors with 256-bit vectors and fused multiply-add.
#pragma once

#include <string_view>

#include "grader/virtual_gpu/ptx/instruction.h"

namespace vram::virtual_gpu::ptx {

/// What tells operations of a family apart.
struct Selection {
    std::string_view name;     ///< for example "add", "mul.wide", "atom.cas"
    Type type = Type::none;    ///< the first type that the instruction names
    Type second = Type::none;  ///< its second type
    std::size_t width = 0;     ///< bytes of a register that may differ from the type
    Comparison comparison = Comparison::eq;
    bool uniform = false;  ///< reads the parameters of the kernel
    bool flush = false;    ///< .ftz, for operations that do not leave it to the processor
};

/// Each function answers nullptr when there is no such operation.
struct OperationFamilies {
    Operation (*integer)(const Selection&);
    Operation (*floating)(const Selection&);
    Operation (*half)(const Selection&);
    Operation (*conversion)(const Selection&);
    Operation (*move)(const Selection&);
    Operation (*memory)(const Selection&);
    Operation (*atomic)(const Selection&);
    Operation (*warp_wide)(const Selection&);
};

/// The families for this processor.
const OperationFamilies& operation_families();

namespace baseline {
Operation find_integer(const Selection&);
Operation find_floating(const Selection&);
Operation find_half(const Selection&);
Operation find_conversion(const Selection&);
Operation find_move(const Selection&);
Operation find_memory(const Selection&);
Operation find_atomic(const Selection&);
Operation find_warp_wide(const Selection&);
}  // namespace baseline

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define VRAM_WIDE_VECTORS 1
namespace wide {
Operation find_integer(const Selection&);
Operation find_floating(const Selection&);
Operation find_half(const Selection&);
Operation find_conversion(const Selection&);
Operation find_move(const Selection&);
Operation find_memory(const Selection&);
Operation find_atomic(const Selection&);
Operation find_warp_wide(const Selection&);
}  // namespace wide
#endif

}  // namespace vram::virtual_gpu::ptx
