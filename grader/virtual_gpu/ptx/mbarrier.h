// mbarrier: barriers that live in shared memory, which threads and asynchronous copies arrive at.
#pragma once

#include <cstdint>

#include "grader/virtual_gpu/ptx/instruction.h"

namespace vram::virtual_gpu::ptx {

/// The 64 bits of such a barrier. Their layout is nobody's business but ours.
struct MemoryBarrier {
    static constexpr std::uint32_t most_arrivals = (1u << 20) - 1;

    bool valid = false;
    bool odd_phase = false;
    std::uint32_t expected = 0;  ///< arrivals of a phase
    std::uint32_t pending = 0;   ///< arrivals that the current phase still lacks
    std::int32_t bytes = 0;      ///< that asynchronous copies still owe to the current phase

    std::uint64_t packed() const;
    static MemoryBarrier unpacked(std::uint64_t bits);
    /// Goes on to the next phase if all have arrived. True if it did.
    bool complete();
};

enum class MemoryBarrierAction : std::uint8_t {
    initialise,  ///< b: arrivals of a phase
    invalidate,
    arrive,            ///< b: how many arrive; the state before goes to d
    arrive_drop,       ///< the same, and they take no part in later phases
    arrive_expecting,  ///< one arrives, after b more bytes are expected
    expect_bytes,      ///< b
    complete_bytes,    ///< b
    wait_for_state,    ///< c: a state; whether its phase is over goes to predicate d
    wait_for_parity,   ///< b: 0 or 1
};

/// mbarrier.*: Instruction::variant is the action, its address that of the barrier.
void use_memory_barrier(Warp& warp, const Instruction& instruction);
/// mbarrier.pending_count of the state a.
void count_pending(Warp& warp, const Instruction& instruction);
/// cp.async.bulk: b bytes, in parts of 16, between global memory at a and shared memory at e;
/// `variant` 1 goes from shared to global memory.
void copy_bulk(Warp& warp, const Instruction& instruction);

}  // namespace vram::virtual_gpu::ptx
