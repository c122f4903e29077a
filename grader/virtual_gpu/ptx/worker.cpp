#include "grader/virtual_gpu/ptx/worker.h"

#include <algorithm>
#include <cstring>

#include "grader/virtual_gpu/ptx/kernel_report.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/special_registers.h"
#include "grader/virtual_gpu/ptx/warp_runner.h"

namespace vram::virtual_gpu::ptx {

namespace {

/// What shared memory holds before a block writes it: nothing that a program could rely on.
constexpr int shared_filler = 0xa5;
constexpr int patience_with_waiting_blocks = 4;

std::uint32_t lanes_of_warp(std::uint32_t threads, std::uint32_t index) {
    const std::uint32_t left = threads - index * lanes_per_warp;
    return left >= lanes_per_warp ? all_lanes : (1u << left) - 1;
}

}  // namespace

void Worker::begin_launch(Launch& launch) {
    launch_ = &launch;
    ++launch_number_;
    instructions_before_ = 0;
    next_word_at_ = LongRun::stride;
    reported_.clear();
    memory_.begin_launch(launch.finder, launch.options, launch.kernel.module->memory_slots);
}

ChunkOutcome Worker::run_blocks(std::uint64_t first, std::uint64_t last) {
    outcome_ = ChunkOutcome{};
    memory_.counters = Counters{};
    try {
        run_resident(first, last);
    } catch (Fault& fault) {
        outcome_.failed = true;
        outcome_.error = fault.error;
        outcome_.fault = std::move(fault.report);
        resident_.clear();
    }
    outcome_.counters = memory_.counters;
    instructions_before_ += memory_.counters.warp_instructions;
    return std::move(outcome_);
}

std::byte* Worker::grid_bytes(std::uint64_t address, unsigned size) {
    const std::uint64_t offset = address - grid_window;
    std::vector<std::byte>& workspace = launch_->grid_workspace;
    if (offset >= workspace.size() || workspace.size() - offset < size) {
        return nullptr;
    }
    return workspace.data() + offset;
}

std::uint64_t Worker::grid_workspace_address() const {
    return launch_->grid_workspace.empty() ? 0 : grid_window;
}

void Worker::add_report_once(const Warp& warp, Report report) {
    if (reported_.insert({report.kind, warp.current}).second) {
        outcome_.reports.push_back(std::move(report));
    }
}

std::unique_ptr<BlockState> Worker::start_block(std::uint64_t number) {
    std::unique_ptr<BlockState> block;
    if (spare_.empty()) {
        block = std::make_unique<BlockState>();
    } else {
        block = std::move(spare_.back());
        spare_.pop_back();
    }
    const LaunchShape& shape = launch_->shape;
    block->number = number;
    block->index[0] = static_cast<std::uint32_t>(number % shape.grid[0]);
    block->index[1] = static_cast<std::uint32_t>(number / shape.grid[0] % shape.grid[1]);
    block->index[2] = static_cast<std::uint32_t>(number / shape.grid[0] / shape.grid[1]);
    block->barriers.fill(Barrier{});
    block->instructions = 0;
    block->clock_reads = 0;
    block->idle_passes = 0;
    if (block->prepared_for != launch_number_) {
        prepare_block(*block);
        block->prepared_for = launch_number_;
    }
    if (block->shared_bytes != 0) {
        std::memset(block->shared.get(), shared_filler, block->shared_bytes);
    }
    if (launch_->options.check_shared_races) {
        block->races = std::make_unique<SharedRaceDetector>(block->shared_bytes, block->threads);
    }
    for (Warp& warp : block->warps) {
        start_warp(*block, warp);
    }
    return block;
}

void Worker::prepare_block(BlockState& block) {
    block.threads = launch_->threads_per_block;
    block.shared_bytes = launch_->shared_bytes;
    if (block.shared_capacity < block.shared_bytes) {
        // Sixteen bytes more, so that a vector access at the end never leaves the array.
        block.shared = std::make_unique<std::byte[]>(block.shared_bytes + 16);
        block.shared_capacity = block.shared_bytes;
    }
    block.races.reset();
    block.warps.resize((block.threads + lanes_per_warp - 1) / lanes_per_warp);
    for (std::uint32_t index = 0; index < block.warps.size(); ++index) {
        prepare_warp(block, index);
    }
}

void Worker::prepare_warp(BlockState& block, std::uint32_t index) {
    Warp& warp = block.warps[index];
    warp.block = &block;
    warp.worker = this;
    warp.memory = &memory_;
    warp.arguments = launch_->arguments.data();
    warp.index = index;
    warp.initial = lanes_of_warp(block.threads, index);
    warp.local_stride = (launch_->kernel.stack_bytes + 15) & ~15u;
    const std::size_t local_bytes = std::size_t{warp.local_stride} * lanes_per_warp;
    if (local_bytes > warp.local_capacity) {
        // Not cleared: large stacks cost nothing until they are used.
        warp.local_storage.reset(new std::byte[local_bytes]);
        warp.local_capacity = local_bytes;
    }
    warp.local = warp.local_storage.get();
    if (!warp.root) {
        warp.root = std::make_unique<Frame>();
    }
    warp.root->prepare(*launch_->kernel.function);
    fill_special_registers(warp, *warp.root);
}

void Worker::start_warp(BlockState&, Warp& warp) {
    Frame& root = *warp.root;
    fill_block_registers(warp, root);
    root.lanes = warp.initial;
    warp.live = warp.initial;
    warp.carry = 0;
    warp.may_spin = false;
    warp.waits_in_vain = false;
    warp.turn = 0;
    warp.turn_over = false;
    warp.free_frames.clear();
    for (const auto& frame : warp.frames) {
        warp.free_frames.push_back(frame.get());
    }
    Group all;
    all.frame = &root;
    all.lanes = warp.initial;
    warp.waiting.assign(1, all);
}

void Worker::run_resident(std::uint64_t first, std::uint64_t last) {
    std::uint64_t next = first;
    resident_.clear();
    while (next < last || !resident_.empty()) {
        // Blocks of a cooperative launch are all there from the start.
        while (next < last &&
               (resident_.empty() || launch_->shape.cooperative || wants_company())) {
            resident_.push_back(start_block(next++));
        }
        for (std::unique_ptr<BlockState>& block : resident_) {
            if (run_pass(*block)) {
                spare_.push_back(std::move(block));
            }
        }
        std::erase(resident_, nullptr);
    }
}

bool Worker::wants_company() const {
    return std::all_of(resident_.begin(), resident_.end(), [](const auto& block) {
        return block->idle_passes >= patience_with_waiting_blocks;
    });
}

bool Worker::run_pass(BlockState& block) {
    bool finished = true;
    bool advanced = false;
    for (Warp& warp : block.warps) {
        if (warp.live == 0 || !is_runnable(warp)) {
            finished = finished && warp.live == 0;
            continue;
        }
        warp.has_spun = false;
        const WarpState state = run_warp(warp);
        check_limit(warp);
        finished = finished && state == WarpState::finished;
        advanced = advanced || state != WarpState::yielded || !warp.has_spun;
    }
    if (finished) {
        return true;
    }
    advanced = release_barriers(block) || advanced;
    block.idle_passes = advanced ? 0 : block.idle_passes + 1;
    if (std::none_of(block.warps.begin(), block.warps.end(), is_runnable)) {
        fail_deadlock(block);
    }
    return false;
}

void Worker::check_limit(const Warp& warp) {
    const std::uint64_t instructions = instructions_before_ + memory_.counters.warp_instructions;
    if (instructions >= next_word_at_) {
        next_word_at_ += LongRun::stride;
        launch_->long_run.advance();
    }
    if (instructions <= launch_->options.instruction_limit) {
        return;
    }
    const int lane = warp.live != 0 ? __builtin_ctz(warp.live) : 0;
    throw Fault{
        KernelError::launch_timeout,
        kernel_report(warp, lane, ReportKind::kernel_endless,
                      "still runs after " + std::to_string(launch_->options.instruction_limit) +
                          " instructions of the kernel's warps")};
}

namespace {

/// Threads that a warp counts for at a barrier with an explicit number of threads: barriers count
/// whole warps.
std::uint32_t counted_threads(const Warp& warp, std::uint32_t lanes) {
    const std::uint32_t never_there = ~warp.initial;
    return count_lanes(lanes | never_there);
}

}  // namespace

bool Worker::release_barriers(BlockState& block) {
    bool released = false;
    std::uint32_t live = 0;
    for (const Warp& warp : block.warps) {
        live += count_lanes(warp.live);
    }
    for (std::uint8_t number = 0; number < BlockState::barrier_count; ++number) {
        const Barrier& barrier = block.barriers[number];
        if (barrier.waiting == 0) {
            continue;
        }
        std::uint32_t arrived = barrier.arrived_without_waiting;
        for (const Warp& warp : block.warps) {
            std::uint32_t lanes = 0;
            for (const Group& group : warp.waiting) {
                if (group.state == Group::State::at_barrier && group.barrier == number) {
                    lanes |= group.lanes;
                }
            }
            if (lanes != 0) {
                arrived +=
                    barrier.expected == 0 ? count_lanes(lanes) : counted_threads(warp, lanes);
            }
        }
        if (arrived >= (barrier.expected == 0 ? live : barrier.expected)) {
            release_barrier(block, number);
            released = true;
        }
    }
    return released;
}

void Worker::release_barrier(BlockState& block, std::uint8_t number) {
    Barrier& barrier = block.barriers[number];
    note_different_barriers(block, number);
    for (Warp& warp : block.warps) {
        for (Group& group : warp.waiting) {
            if (group.state != Group::State::at_barrier || group.barrier != number) {
                continue;
            }
            group.state = Group::State::ready;
            const Instruction& instruction = group.frame->function->code[group.barrier_pc];
            const auto action = static_cast<BarrierAction>(instruction.variant);
            if (action == BarrierAction::reduce_popc) {
                auto* d = reinterpret_cast<std::uint32_t*>(group.frame->registers + instruction.d);
                for (int lane : ActiveLanes{group.lanes}) {
                    d[lane] = barrier.population;
                }
            } else if (action != BarrierAction::wait) {
                const bool outcome =
                    action == BarrierAction::reduce_and ? barrier.all : barrier.any;
                std::uint32_t& d = group.frame->predicates[instruction.d];
                d = outcome ? d | group.lanes : d & ~group.lanes;
            }
        }
    }
    barrier = Barrier{};
    if (block.races) {
        block.races->block_barrier();
    }
}

/// Threads that meet at one barrier but wait in different lines of the program.
void Worker::note_different_barriers(BlockState& block, std::uint8_t number) {
    const Group* first = nullptr;
    const auto place = [](const Group& group) {
        const Function& function = *group.frame->function;
        const std::uint32_t location = function.code[group.barrier_pc].location;
        return std::make_pair(&function, location != 0 ? location : group.barrier_pc);
    };
    for (Warp& warp : block.warps) {
        for (const Group& group : warp.waiting) {
            if (group.state != Group::State::at_barrier || group.barrier != number) {
                continue;
            }
            if (first == nullptr) {
                first = &group;
                continue;
            }
            if (place(*first) == place(group)) {
                continue;
            }
            warp.frame = group.frame;
            warp.current = &group.frame->function->code[group.barrier_pc];
            Report report = kernel_report(
                warp, __builtin_ctz(group.lanes), ReportKind::kernel_barrier_divergence,
                "waits at another __syncthreads() than other threads of its block");
            add_report_once(warp, std::move(report));
            return;
        }
    }
}

void Worker::fail_deadlock(BlockState& block) {
    std::uint32_t waiting = 0;
    Warp* stuck = nullptr;
    const Group* where = nullptr;
    for (Warp& warp : block.warps) {
        for (const Group& group : warp.waiting) {
            waiting += count_lanes(group.lanes);
            // Lanes that wait for others of their warp are nearer to the cause.
            if (where == nullptr || (where->state == Group::State::at_barrier &&
                                     group.state == Group::State::at_warp_barrier)) {
                stuck = &warp;
                where = &group;
            }
        }
    }
    const bool at_warp = where->state == Group::State::at_warp_barrier;
    stuck->frame = where->frame;
    stuck->current = &where->frame->function->code[at_warp ? where->pc : where->barrier_pc];
    Report report =
        kernel_report(*stuck, __builtin_ctz(where->lanes), ReportKind::kernel_barrier_divergence,
                      at_warp ? "waits for lanes of its warp that never come"
                              : "waits at a barrier that not all threads reach");
    report.details.push_back(std::to_string(waiting) + " of " + std::to_string(block.threads) +
                             " threads of the block wait for ever");
    throw Fault{KernelError::launch_timeout, std::move(report)};
}

}  // namespace vram::virtual_gpu::ptx
