// One decoded instruction.
#pragma once

#include <cstdint>

#include "grader/virtual_gpu/ptx/types.h"

namespace vram::virtual_gpu::ptx {

struct Warp;
struct Instruction;

/// Carries an instruction out for the lanes in `Warp::mask`, which is never empty.
using Operation = void (*)(Warp&, const Instruction&);

/// Where a value lives: a byte offset into the registers of a frame or, when negative, the
/// complement of a byte offset into the constants of the function. Each value is 32 lanes wide.
using Operand = std::int32_t;

/// How the warp treats an instruction.
enum class Kind : std::uint8_t {
    plain,             ///< runs `run`
    warp_synchronous,  ///< runs `run` once all members named by operand `e` have arrived
    branch,
    branch_table,  ///< brx.idx
    call,
    return_,
    exit,
    trap,
    barrier,
};

enum class Comparison : std::uint8_t {
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan
};
enum class Combination : std::uint8_t { none, and_, or_, xor_ };
enum class Rounding : std::uint8_t { nearest, zero, down, up, nearest_away };
enum class BarrierAction : std::uint8_t { wait, arrive, reduce_popc, reduce_and, reduce_or };

constexpr std::int32_t no_predicate = -1;

struct Instruction {
    Operation run = nullptr;
    /// What `run` wraps when it only sets a rounding mode or flushes subnormals.
    Operation inner = nullptr;
    Operand d = 0, a = 0, b = 0, c = 0, e = 0;
    Operand elements[4] = {0, 0, 0, 0};    ///< of a vector operand
    std::int32_t guard = no_predicate;     ///< predicate that must hold for a lane to take part
    std::int32_t p = no_predicate;         ///< predicate operand
    std::int32_t d_second = no_predicate;  ///< second destination, a predicate
    std::int32_t target = 0;               ///< branch target, call site, table, barrier
    std::int64_t immediate = 0;            ///< address offset, or whatever the operation needs
    Kind kind = Kind::plain;
    bool guard_negated = false;
    bool p_negated = false;
    bool saturate = false;
    bool writes_carry = false;
    bool reads_carry = false;
    bool volatile_ = false;  ///< volatile, or strong in the memory model: for other threads too
    bool has_result = true;
    Space space = Space::generic;
    std::uint8_t element_count = 1;
    std::uint8_t width = 0;          ///< bytes of a register that may differ from the type
    std::uint8_t address_width = 8;  ///< bytes of the address register
    std::uint8_t variant = 0;        ///< of the operation, where one function serves several
    std::uint8_t control_bits = 0;   ///< rounding mode and flush, see rounding_scope.h
    Comparison comparison = Comparison::eq;
    Combination combination = Combination::none;
    Rounding rounding = Rounding::nearest;
    std::uint32_t memory_slot = 0;  ///< index of the caches of a memory instruction
    std::uint32_t location = 0;     ///< index into Function::locations
};

}  // namespace vram::virtual_gpu::ptx
