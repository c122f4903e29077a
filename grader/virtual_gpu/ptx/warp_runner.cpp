#include "grader/virtual_gpu/ptx/warp_runner.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "grader/virtual_gpu/ptx/block_state.h"
#include "grader/virtual_gpu/ptx/function_name.h"
#include "grader/virtual_gpu/ptx/kernel_report.h"
#include "grader/virtual_gpu/ptx/memory_port.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/special_registers.h"
#include "grader/virtual_gpu/ptx/worker.h"

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t fuel_of_a_turn = 1 << 18;
/// A backward branch costs more while other lanes wait, and far more in what may be a spin loop.
constexpr std::int64_t cost_diverged = 64;
constexpr std::int64_t cost_spinning = 1024;
constexpr std::int64_t cost_spinning_diverged = 4096;
constexpr std::uint32_t most_call_depth = 4096;

class WarpRunner {
  public:
    explicit WarpRunner(Warp& warp) : warp_(warp), counters_(warp.memory->counters) {}

    WarpState run() {
        if (!(warp_.turn_over ? pick_oldest() : pick())) {
            return idle_state();
        }
        warp_.turn_over = false;
        for (;;) {
            run_plain();
            control(frame_->function->code[pc_]);
            if (out_of_fuel_) {
                end_turn();
                return WarpState::yielded;
            }
            if (active_ == 0 && !pick()) {
                return idle_state();
            }
        }
    }

  private:
    WarpState idle_state() const {
        return warp_.live == 0 ? WarpState::finished : WarpState::blocked;
    }

    std::uint32_t enabled(const Instruction& instruction) const {
        if (instruction.guard == no_predicate) {
            return active_;
        }
        return active_ & warp_.predicate(instruction.guard, instruction.guard_negated);
    }

    /// Runs up to the next instruction that needs `control`.
    void run_plain() {
        for (;;) {
            const Instruction* const code = frame_->function->code.data();
            const Instruction* const merge_at = wait_pc_ == never ? nullptr : code + wait_pc_;
            const Instruction* const stop = run_until(code + pc_, merge_at);
            pc_ = static_cast<std::uint32_t>(stop - code);
            if (stop != merge_at) {
                return;
            }
            merge();
        }
    }

    /// Runs from `first` on, up to `last` or an instruction that is not plain. Returns where it
    /// stopped.
    const Instruction* run_until(const Instruction* first, const Instruction* last) {
        Warp& warp = warp_;
        const std::uint32_t active = active_;
        const unsigned active_count = count_lanes(active);
        std::uint64_t lanes = 0;
        const Instruction* instruction = first;
        try {
            for (; instruction->kind == Kind::plain && instruction != last; ++instruction) {
                if (instruction->guard == no_predicate) {
                    warp.mask = active;
                    lanes += active_count;
                } else {
                    warp.mask =
                        active & warp.predicate(instruction->guard, instruction->guard_negated);
                    if (warp.mask == 0) {
                        continue;
                    }
                    lanes += count_lanes(warp.mask);
                }
                warp.current = instruction;
                instruction->run(warp, *instruction);
            }
        } catch (...) {
            count_instructions(static_cast<std::uint64_t>(instruction + 1 - first), lanes);
            throw;
        }
        count_instructions(static_cast<std::uint64_t>(instruction - first), lanes);
        return instruction;
    }

    void count_instructions(std::uint64_t instructions, std::uint64_t lanes) {
        counters_.warp_instructions += instructions;
        counters_.lane_instructions += lanes;
        warp_.block->instructions += instructions;
    }

    /// Joins the groups that wait where the active lanes have arrived.
    void merge() {
        park(Group::State::ready, pc_, active_);
        active_ = 0;
        pick();
    }

    Group& park(Group::State state, std::uint32_t pc, std::uint32_t lanes) {
        Group group;
        group.frame = frame_;
        group.pc = pc;
        group.lanes = lanes;
        group.state = state;
        group.last_ran = last_ran_;
        warp_.waiting.push_back(group);
        return warp_.waiting.back();
    }

    /// Makes `chosen`, and all ready groups at the same place, the active lanes.
    void activate(const Group& chosen) {
        const Group like = chosen;
        active_ = 0;
        last_ran_ = 0;
        std::uint32_t next = never;
        auto& waiting = warp_.waiting;
        std::size_t kept = 0;
        for (const Group& group : waiting) {
            const bool ready = group.state == Group::State::ready;
            if (ready && group.frame == like.frame && group.pc == like.pc &&
                group.passed == like.passed) {
                active_ |= group.lanes;
                last_ran_ = std::max(last_ran_, group.last_ran);
                continue;
            }
            if (ready && group.frame == like.frame && group.pc > like.pc) {
                next = std::min(next, group.pc);
            }
            waiting[kept++] = group;
        }
        waiting.resize(kept);
        pc_ = like.pc;
        wait_pc_ = next;
        passed_ = like.passed;
        bind(like.frame);
    }

    void bind(Frame* frame) {
        frame_ = frame;
        warp_.frame = frame;
        warp_.registers = frame->registers;
        warp_.predicates = frame->predicates;
        warp_.constants = frame->function->constants.data();
    }

    /// The deepest call and the lowest instruction first. False when no group is ready.
    bool pick() {
        const Group* best = nullptr;
        for (const Group& group : warp_.waiting) {
            if (group.state != Group::State::ready) {
                continue;
            }
            if (best == nullptr || group.frame->depth > best->frame->depth ||
                (group.frame->depth == best->frame->depth &&
                 (group.frame == best->frame ? group.pc < best->pc
                                             : group.last_ran < best->last_ran))) {
                best = &group;
            }
        }
        if (best == nullptr) {
            return false;
        }
        activate(*best);
        return true;
    }

    /// The group that has waited longest, and it need not stop for others.
    bool pick_oldest() {
        const Group* best = nullptr;
        for (const Group& group : warp_.waiting) {
            if (group.state == Group::State::ready &&
                (best == nullptr || group.last_ran < best->last_ran)) {
                best = &group;
            }
        }
        if (best == nullptr) {
            return false;
        }
        activate(*best);
        wait_pc_ = never;
        return true;
    }

    void end_turn() {
        last_ran_ = ++warp_.turn;
        if (active_ != 0) {
            park(Group::State::ready, pc_, active_);
        }
        warp_.turn_over = true;
    }

    void control(const Instruction& instruction) {
        const std::uint32_t mask = enabled(instruction);
        count_instructions(1, count_lanes(mask));
        warp_.current = &instruction;
        warp_.mask = mask;
        switch (instruction.kind) {
            case Kind::plain:
                break;
            case Kind::branch:
                branch(instruction, mask);
                break;
            case Kind::branch_table:
                branch_by_table(instruction, mask);
                break;
            case Kind::warp_synchronous:
                synchronise_warp(instruction, mask);
                break;
            case Kind::barrier:
                arrive(instruction, mask);
                break;
            case Kind::call:
                call(instruction, mask);
                break;
            case Kind::return_:
                leave(mask, frame_->parent == nullptr);
                break;
            case Kind::exit:
                leave(mask, true);
                break;
            case Kind::trap:
                trap(mask);
                break;
        }
    }

    void branch(const Instruction& instruction, std::uint32_t mask) {
        ++counters_.branches;
        const auto target = static_cast<std::uint32_t>(instruction.target);
        if (mask == 0) {
            go_to(pc_ + 1);
            return;
        }
        const bool backward = target <= pc_;
        if (mask == active_) {
            if (backward) {
                pc_ = target;  // passes no group that waits
            } else {
                go_to(target);
            }
        } else {
            ++counters_.divergent_branches;
            park(Group::State::ready, target, mask);
            park(Group::State::ready, pc_ + 1, active_ & ~mask);
            active_ = 0;
        }
        if (backward) {
            pay_for_loop();
        }
    }

    /// The active lanes go on at a later instruction.
    void go_to(std::uint32_t pc) {
        pc_ = pc;
        if (pc_ >= wait_pc_) {
            merge();
        }
    }

    void pay_for_loop() {
        const bool diverged = !warp_.waiting.empty();
        if (warp_.waits_in_vain) {
            fuel_ = -1;  // somebody else has to act
            warp_.has_spun = true;
        } else if (warp_.may_spin) {
            fuel_ -= diverged ? cost_spinning_diverged : cost_spinning;
            warp_.has_spun = true;
        } else {
            fuel_ -= diverged ? cost_diverged : 1;
        }
        warp_.may_spin = false;
        warp_.waits_in_vain = false;
        out_of_fuel_ = fuel_ < 0;
    }

    void branch_by_table(const Instruction& instruction, std::uint32_t mask) {
        ++counters_.branches;
        const auto& table = frame_->function->tables[instruction.target];
        const auto* index = warp_.source<std::uint32_t>(instruction.a);
        const std::uint32_t others = active_ & ~mask;
        std::uint32_t left = mask;
        int targets = others != 0 ? 1 : 0;
        bool backward = false;
        while (left != 0) {
            const std::uint32_t wanted = index[__builtin_ctz(left)];
            std::uint32_t same = 0;
            for (int lane : ActiveLanes{left}) {
                same |= index[lane] == wanted ? 1u << lane : 0u;
            }
            if (wanted >= table.size()) {
                fail("jumps with index " + std::to_string(wanted) + " into a table of " +
                     std::to_string(table.size()));
            }
            const auto target = static_cast<std::uint32_t>(table[wanted]);
            backward = backward || target <= pc_;
            park(Group::State::ready, target, same);
            left &= ~same;
            ++targets;
        }
        if (others != 0) {
            park(Group::State::ready, pc_ + 1, others);
        }
        counters_.divergent_branches += targets > 1;
        active_ = 0;
        if (backward) {
            pay_for_loop();
        }
    }

    [[noreturn]] void fail(const std::string& what) {
        throw Fault{KernelError::launch_failure,
                    kernel_report(warp_, __builtin_ctz(warp_.mask), ReportKind::kernel_trap, what)};
    }

    void trap(std::uint32_t mask) {
        if (mask != 0) {
            fail("executed a trap instruction");
        }
        go_to(pc_ + 1);
    }

    // ---- exchanges between lanes ----

    void synchronise_warp(const Instruction& instruction, std::uint32_t mask) {
        const bool passed = passed_;
        passed_ = false;
        const auto* members = warp_.source<std::uint32_t>(instruction.e);
        std::uint32_t waiting = 0;
        std::uint32_t left = mask;
        while (left != 0) {
            const std::uint32_t named = members[__builtin_ctz(left)];
            std::uint32_t same = 0;
            for (int lane : ActiveLanes{left}) {
                same |= members[lane] == named ? 1u << lane : 0u;
            }
            left &= ~same;
            if (passed || (named & warp_.live & ~same) == 0) {
                warp_.mask = same;
                warp_.current = &instruction;
                instruction.run(warp_, instruction);
                if (instruction.variant == 1 && warp_.block->races) {
                    warp_.block->races->warp_barrier(warp_.index);
                }
            } else {
                Group& group = park(Group::State::at_warp_barrier, pc_, same);
                group.members = named;
                waiting |= same;
            }
        }
        active_ &= ~waiting;
        if (waiting != 0) {
            release_warp_barriers();
        }
        if (active_ != 0) {
            go_to(pc_ + 1);
        }
    }

    /// Groups whose members have all arrived, or exited, may go on.
    void release_warp_barriers() {
        for (Group& group : warp_.waiting) {
            if (group.state != Group::State::at_warp_barrier) {
                continue;
            }
            std::uint32_t arrived = 0;
            for (const Group& other : warp_.waiting) {
                if (other.state == Group::State::at_warp_barrier &&
                    other.members == group.members) {
                    arrived |= other.lanes;
                }
            }
            if ((group.members & warp_.live & ~arrived) == 0) {
                release_members(group.members);
            }
        }
    }

    void release_members(std::uint32_t members) {
        for (Group& group : warp_.waiting) {
            if (group.state == Group::State::at_warp_barrier && group.members == members) {
                group.state = Group::State::ready;
                group.passed = true;
            }
        }
    }

    // ---- barriers of the block ----

    void arrive(const Instruction& instruction, std::uint32_t mask) {
        if (mask == 0) {
            go_to(pc_ + 1);
            return;
        }
        const int lane = __builtin_ctz(mask);
        const std::uint32_t number = warp_.source<std::uint32_t>(instruction.a)[lane];
        if (number >= BlockState::barrier_count) {
            fail("uses barrier " + std::to_string(number) + "; there are 16");
        }
        Barrier& barrier = warp_.block->barriers[number];
        barrier.expected =
            instruction.has_result ? warp_.source<std::uint32_t>(instruction.b)[lane] : 0;
        const auto action = static_cast<BarrierAction>(instruction.variant);
        if (action == BarrierAction::arrive) {
            barrier.arrived_without_waiting += count_lanes(mask);
            go_to(pc_ + 1);
            return;
        }
        if (action != BarrierAction::wait) {
            contribute(instruction, mask, barrier);
        }
        Group& group = park(Group::State::at_barrier, pc_ + 1, mask);
        group.barrier = static_cast<std::uint8_t>(number);
        group.barrier_pc = pc_;
        ++barrier.waiting;
        active_ &= ~mask;
        if (active_ != 0) {
            go_to(pc_ + 1);
        }
    }

    void contribute(const Instruction& instruction, std::uint32_t mask, Barrier& barrier) {
        std::uint32_t holds = 0;
        if (instruction.p >= 0) {
            holds = warp_.predicate(instruction.p, instruction.p_negated) & mask;
        } else {
            holds = instruction.immediate != 0 ? mask : 0;
        }
        barrier.population += count_lanes(holds);
        barrier.all = barrier.all && holds == mask;
        barrier.any = barrier.any || holds != 0;
    }

    // ---- calls ----

    void call(const Instruction& instruction, std::uint32_t mask) {
        if (mask == 0) {
            go_to(pc_ + 1);
            return;
        }
        const CallSite& site = frame_->function->calls[instruction.target];
        const std::uint32_t others = active_ & ~mask;
        if (others != 0) {
            park(Group::State::ready, pc_ + 1, others);
        }
        const Function* callee = nullptr;
        std::uint32_t lanes = mask;
        if (site.callee >= 0) {
            callee = warp_.worker->kernel().module->functions[site.callee].get();
        } else {
            lanes = lanes_with_same_target(site, mask);
            callee = function_at(warp_.source<std::uint64_t>(site.address)[__builtin_ctz(lanes)]);
            if (lanes != mask) {
                park(Group::State::ready, pc_, mask & ~lanes);
            }
        }
        enter(*callee, site, lanes);
    }

    std::uint32_t lanes_with_same_target(const CallSite& site, std::uint32_t mask) const {
        const auto* addresses = warp_.source<std::uint64_t>(site.address);
        std::uint32_t same = 0;
        for (int lane : ActiveLanes{mask}) {
            same |= addresses[lane] == addresses[__builtin_ctz(mask)] ? 1u << lane : 0u;
        }
        return same;
    }

    const Function* function_at(std::uint64_t address) {
        const Module& module = *warp_.worker->kernel().module;
        const std::uint64_t index = (address - function_window) / function_stride;
        if (address < function_window || address % function_stride != 0 ||
            index >= module.functions.size() || !module.functions[index]->defined) {
            fail_global_access(warp_, __builtin_ctz(warp_.mask), nullptr, address, 8, Access::read);
        }
        const Function& function = *module.functions[index];
        if (!function.why_not_runnable.empty()) {
            throw Fault{
                KernelError::not_supported,
                kernel_report(warp_, __builtin_ctz(warp_.mask), ReportKind::kernel_not_supported,
                              "calls " + function_name(function.name) +
                                  ", which cannot run here: " + function.why_not_runnable)};
        }
        return &function;
    }

    void enter(const Function& callee, const CallSite& site, std::uint32_t lanes) {
        Frame* caller = frame_;
        const std::uint32_t base = caller->local_base + caller->function->local_bytes;
        if (caller->depth >= most_call_depth ||
            std::uint64_t{base} + callee.local_bytes > warp_.local_stride) {
            Report report =
                kernel_report(warp_, __builtin_ctz(lanes), ReportKind::kernel_local_out_of_bounds,
                              "overflows its stack in a call of " + function_name(callee.name));
            throw Fault{KernelError::illegal_address, std::move(report)};
        }
        Frame* frame = warp_.take_frame(callee);
        frame->parent = caller;
        frame->site = &site;
        frame->return_to = pc_ + 1;
        frame->lanes = lanes;
        frame->depth = caller->depth + 1;
        frame->local_base = base;
        const std::size_t count = std::min(site.arguments.size(), callee.parameters.size());
        for (std::size_t index = 0; index < count; ++index) {
            const Parameter& parameter = callee.parameters[index];
            copy_between_frames(caller->local_base + site.arguments[index].offset,
                                base + parameter.offset,
                                std::min(site.arguments[index].bytes, parameter.bytes), lanes);
        }
        fill_special_registers(warp_, *frame);
        bind(frame);
        active_ = lanes;
        pc_ = 0;
        wait_pc_ = never;
    }

    void copy_between_frames(std::uint32_t from, std::uint32_t to, std::uint32_t bytes,
                             std::uint32_t lanes) {
        for (int lane : ActiveLanes{lanes}) {
            std::byte* local = warp_.local + static_cast<std::size_t>(lane) * warp_.local_stride;
            std::memmove(local + to, local + from, bytes);
        }
    }

    /// Lanes leave the function, or the kernel.
    void leave(std::uint32_t mask, bool exits) {
        active_ &= ~mask;
        const std::uint32_t rest = active_;
        if (mask == 0) {
            go_to(pc_ + 1);
            return;
        }
        if (rest != 0) {
            park(Group::State::ready, pc_ + 1, rest);
            active_ = 0;
        }
        if (exits) {
            warp_.live &= ~mask;
            for (Frame* frame = frame_; frame != nullptr;) {
                Frame* parent = frame->parent;
                drop_lanes(*frame, mask);
                frame = parent;
            }
            release_warp_barriers();
            return;
        }
        return_to_caller(mask);
    }

    void return_to_caller(std::uint32_t mask) {
        Frame* callee = frame_;
        Frame* caller = callee->parent;
        const CallSite& site = *callee->site;
        const std::size_t count = std::min(site.results.size(), callee->function->results.size());
        for (std::size_t index = 0; index < count; ++index) {
            const Parameter& result = callee->function->results[index];
            copy_between_frames(callee->local_base + result.offset,
                                caller->local_base + site.results[index].offset,
                                std::min(site.results[index].bytes, result.bytes), mask);
        }
        const std::uint32_t back = callee->return_to;
        drop_lanes(*callee, mask);
        frame_ = caller;
        park(Group::State::ready, back, mask);
        active_ = 0;
    }

    void drop_lanes(Frame& frame, std::uint32_t mask) {
        frame.lanes &= ~mask;
        if (frame.lanes == 0 && frame.parent != nullptr) {
            warp_.release_frame(&frame);
        }
    }

    Warp& warp_;
    Counters& counters_;
    Frame* frame_ = nullptr;
    std::uint32_t pc_ = 0;
    std::uint32_t active_ = 0;
    std::uint32_t wait_pc_ = never;
    bool passed_ = false;
    std::uint64_t last_ran_ = 0;
    std::int64_t fuel_ = fuel_of_a_turn;
    bool out_of_fuel_ = false;
};

}  // namespace

WarpState run_warp(Warp& warp) {
    return WarpRunner(warp).run();
}

bool is_runnable(const Warp& warp) {
    return std::any_of(warp.waiting.begin(), warp.waiting.end(),
                       [](const Group& group) { return group.state == Group::State::ready; });
}

}  // namespace vram::virtual_gpu::ptx
