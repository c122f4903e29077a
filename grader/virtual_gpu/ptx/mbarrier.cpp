#include "grader/virtual_gpu/ptx/mbarrier.h"

#include <cstring>
#include <string>

#include "grader/virtual_gpu/ptx/addresses.h"
#include "grader/virtual_gpu/ptx/block_state.h"
#include "grader/virtual_gpu/ptx/fault.h"
#include "grader/virtual_gpu/ptx/kernel_report.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

namespace {

constexpr unsigned count_bits = 20;
constexpr unsigned byte_bits = 21;
constexpr unsigned expected_at = 2;
constexpr unsigned pending_at = expected_at + count_bits;
constexpr unsigned bytes_at = pending_at + count_bits;

[[noreturn]] void fail(const Warp& warp, int lane, const std::string& what) {
    throw Fault{KernelError::launch_failure,
                kernel_report(warp, lane, ReportKind::kernel_trap, what)};
}

void arrive(const Warp& warp, int lane, MemoryBarrier& barrier, std::uint32_t arrivals) {
    if (arrivals > barrier.pending) {
        fail(warp, lane,
             "arrives at an mbarrier that expects no more arrivals in this phase (" +
                 std::to_string(arrivals) + " at once, " + std::to_string(barrier.pending) +
                 " expected)");
    }
    barrier.pending -= arrivals;
}

/// True if a phase was completed.
bool change(const Warp& warp, int lane, MemoryBarrierAction action, std::uint32_t operand,
            MemoryBarrier& barrier) {
    if (action == MemoryBarrierAction::initialise) {
        if (operand == 0 || operand > MemoryBarrier::most_arrivals) {
            fail(warp, lane, "makes an mbarrier for " + std::to_string(operand) + " arrivals");
        }
        barrier = {true, false, operand, operand, 0};
        return false;
    }
    if (!barrier.valid) {
        fail(warp, lane, "uses an mbarrier that was never initialised, or invalidated");
    }
    switch (action) {
        case MemoryBarrierAction::invalidate:
            barrier = {};
            return false;
        case MemoryBarrierAction::arrive_drop:
            arrive(warp, lane, barrier, operand);
            barrier.expected -= operand;
            break;
        case MemoryBarrierAction::arrive:
            arrive(warp, lane, barrier, operand);
            break;
        case MemoryBarrierAction::arrive_expecting:
            barrier.bytes += static_cast<std::int32_t>(operand);
            arrive(warp, lane, barrier, 1);
            break;
        case MemoryBarrierAction::expect_bytes:
            barrier.bytes += static_cast<std::int32_t>(operand);
            return false;
        case MemoryBarrierAction::complete_bytes:
            barrier.bytes -= static_cast<std::int32_t>(operand);
            break;
        default:
            return false;
    }
    return barrier.complete();
}

bool is_over(const MemoryBarrier& barrier, bool odd_phase) {
    return barrier.odd_phase != odd_phase;
}

}  // namespace

std::uint64_t MemoryBarrier::packed() const {
    const auto low_bytes =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(bytes) & ((1u << byte_bits) - 1));
    return std::uint64_t{valid} | std::uint64_t{odd_phase} << 1 |
           std::uint64_t{expected} << expected_at | std::uint64_t{pending} << pending_at |
           low_bytes << bytes_at;
}

MemoryBarrier MemoryBarrier::unpacked(std::uint64_t bits) {
    constexpr unsigned unused = 32 - byte_bits;
    const auto raw_bytes = static_cast<std::uint32_t>(bits >> bytes_at);
    return {(bits & 1) != 0, (bits & 2) != 0,
            static_cast<std::uint32_t>(bits >> expected_at) & most_arrivals,
            static_cast<std::uint32_t>(bits >> pending_at) & most_arrivals,
            static_cast<std::int32_t>(raw_bytes << unused) >> unused};
}

bool MemoryBarrier::complete() {
    if (pending != 0 || bytes != 0) {
        return false;
    }
    odd_phase = !odd_phase;
    pending = expected;
    return true;
}

void use_memory_barrier(Warp& warp, const Instruction& instruction) {
    const auto action = static_cast<MemoryBarrierAction>(instruction.variant);
    std::byte* host[lanes_per_warp];
    resolve(warp, instruction, sizeof(std::uint64_t), Access::atomic, host);
    const auto* operands = warp.source<std::uint32_t>(instruction.b);
    std::uint32_t over = 0;
    for (int lane : ActiveLanes{warp.mask}) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, host[lane], sizeof bits);
        MemoryBarrier barrier = MemoryBarrier::unpacked(bits);
        // Who has waited may see all that was done before the arrivals.
        if (change(warp, lane, action, operands[lane], barrier) && warp.block->races) {
            warp.block->races->block_barrier();
        }
        const std::uint64_t changed = barrier.packed();
        std::memcpy(host[lane], &changed, sizeof changed);
        if (action == MemoryBarrierAction::wait_for_state) {
            const std::uint64_t state = warp.source<std::uint64_t>(instruction.c)[lane];
            over |= is_over(barrier, MemoryBarrier::unpacked(state).odd_phase) ? 1u << lane : 0u;
        } else if (action == MemoryBarrierAction::wait_for_parity) {
            over |= is_over(barrier, (operands[lane] & 1u) != 0) ? 1u << lane : 0u;
        } else if (instruction.has_result) {
            warp.destination<std::uint64_t>(instruction.d)[lane] = bits;
        }
    }
    if (action == MemoryBarrierAction::wait_for_state ||
        action == MemoryBarrierAction::wait_for_parity) {
        warp.may_spin = true;
        warp.waits_in_vain = warp.waits_in_vain || over != warp.mask;
        warp.set_predicate(instruction.d, over);
    }
}

void count_pending(Warp& warp, const Instruction& instruction) {
    auto* d = warp.destination<std::uint32_t>(instruction.d);
    const auto* states = warp.source<std::uint64_t>(instruction.a);
    for (int lane : ActiveLanes{warp.mask}) {
        d[lane] = MemoryBarrier::unpacked(states[lane]).pending;
    }
}

void copy_bulk(Warp& warp, const Instruction& instruction) {
    constexpr unsigned part_bytes = 16;
    const bool to_global = instruction.variant != 0;
    const auto* sizes = warp.source<std::uint32_t>(instruction.b);
    const std::uint32_t all = warp.mask;
    Instruction part = instruction;
    for (int lane : ActiveLanes{all}) {
        if (sizes[lane] % part_bytes != 0) {
            fail(warp, lane,
                 "copies " + std::to_string(sizes[lane]) +
                     " bytes at once, which is no multiple of 16");
        }
        warp.mask = 1u << lane;
        const std::uint64_t base = instruction.width == 8
                                       ? warp.source<std::uint64_t>(instruction.e)[lane]
                                       : warp.source<std::uint32_t>(instruction.e)[lane];
        for (std::uint32_t done = 0; done < sizes[lane]; done += part_bytes) {
            std::uint32_t offsets[lanes_per_warp] = {};
            std::byte* shared[lanes_per_warp];
            std::byte* global[lanes_per_warp];
            offsets[lane] = static_cast<std::uint32_t>(base + instruction.target + done);
            part.immediate = instruction.immediate + done;
            resolve_shared(warp, offsets, part_bytes, to_global ? Access::read : Access::write,
                           shared);
            resolve(warp, part, part_bytes, to_global ? Access::write : Access::read, global);
            std::memcpy(to_global ? global[lane] : shared[lane],
                        to_global ? shared[lane] : global[lane], part_bytes);
        }
    }
    warp.mask = all;
}

}  // namespace vram::virtual_gpu::ptx
