// A warp: 32 lanes that share an instruction stream, and may diverge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grader/virtual_gpu/ptx/instruction.h"
#include "grader/virtual_gpu/ptx/module.h"

namespace vram::virtual_gpu::ptx {

struct BlockState;
class Worker;
class MemoryPort;

constexpr int lanes_per_warp = 32;
constexpr std::uint32_t all_lanes = 0xffffffffu;

/// One activation of a function by some lanes of a warp. Registers are arrays of 32 values.
struct Frame {
    const Function* function = nullptr;
    Frame* parent = nullptr;
    const CallSite* site = nullptr;  ///< in the parent
    std::uint32_t return_to = 0;     ///< instruction of the parent
    std::uint32_t lanes = 0;         ///< that have not left it yet
    std::uint32_t depth = 0;
    std::uint32_t local_base = 0;  ///< where its bytes begin in the local memory of each lane
    std::byte* registers = nullptr;
    std::uint32_t* predicates = nullptr;

    /// Gets storage for `function`; the contents of registers are unspecified.
    void prepare(const Function& function);

  private:
    std::unique_ptr<std::byte[]> storage_;
    std::size_t capacity_ = 0;
};

/// Lanes that are at the same place.
struct Group {
    enum class State : std::uint8_t { ready, at_barrier, at_warp_barrier };

    Frame* frame = nullptr;
    std::uint32_t pc = 0;
    std::uint32_t lanes = 0;
    State state = State::ready;
    bool passed = false;           ///< may run the warp-synchronous instruction at `pc`
    std::uint8_t barrier = 0;      ///< at_barrier: which
    std::uint32_t members = 0;     ///< at_warp_barrier: whom it waits for
    std::uint32_t barrier_pc = 0;  ///< at_barrier: the barrier instruction
    std::uint64_t last_ran = 0;
};

struct Warp {
    // What operations use.
    std::byte* registers = nullptr;
    const std::byte* constants = nullptr;
    std::uint32_t* predicates = nullptr;
    std::uint32_t mask = 0;  ///< lanes for which the current instruction runs
    std::uint32_t carry = 0;
    Frame* frame = nullptr;
    BlockState* block = nullptr;
    Worker* worker = nullptr;
    MemoryPort* memory = nullptr;
    const std::byte* arguments = nullptr;
    std::byte* local = nullptr;  ///< lane 0; the next lane is local_stride further on
    std::uint32_t local_stride = 0;
    std::uint32_t index = 0;  ///< in its block
    std::uint32_t live = 0;   ///< lanes that have not exited
    std::uint32_t initial = 0;
    const Instruction* current = nullptr;
    bool may_spin = false;       ///< an atomic or volatile access since the last backward branch
    bool waits_in_vain = false;  ///< saw an unfinished phase of an mbarrier, or slept, since then
    bool has_spun = false;       ///< took such a backward branch in its last turn

    // Divergence.
    std::vector<Group> waiting;
    std::vector<std::unique_ptr<Frame>> frames;
    std::vector<Frame*> free_frames;
    std::unique_ptr<Frame> root;  ///< of the kernel itself
    std::unique_ptr<std::byte[]> local_storage;
    std::size_t local_capacity = 0;
    std::uint64_t turn = 0;
    bool turn_over = false;  ///< the next turn goes to the group that has waited longest

    template <class T>
    T* destination(Operand operand) const {
        return reinterpret_cast<T*>(registers + operand);
    }
    template <class T>
    const T* source(Operand operand) const {
        return reinterpret_cast<const T*>(operand >= 0 ? registers + operand
                                                       : constants + ~operand);
    }
    std::uint32_t predicate(std::int32_t number, bool negated) const {
        return negated ? ~predicates[number] : predicates[number];
    }
    void set_predicate(std::int32_t number, std::uint32_t bits) {
        predicates[number] = (predicates[number] & ~mask) | (bits & mask);
    }
    /// The bytes of a lane's local memory, `offset` counted from the frame.
    std::byte* local_bytes(int lane, std::uint32_t offset) const {
        return local + static_cast<std::size_t>(lane) * local_stride + frame->local_base + offset;
    }
    std::uint32_t thread_number(int lane) const { return index * lanes_per_warp + lane; }

    Frame* take_frame(const Function& function);
    void release_frame(Frame* frame);
};

}  // namespace vram::virtual_gpu::ptx
