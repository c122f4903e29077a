// One thread's share of a launch: it runs blocks, and owns all that blocks on it need.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "grader/virtual_gpu/ptx/block_state.h"
#include "grader/virtual_gpu/ptx/fault.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"
#include "grader/virtual_gpu/ptx/long_run.h"
#include "grader/virtual_gpu/ptx/memory_port.h"
#include "grader/virtual_gpu/ptx/module.h"

namespace vram::virtual_gpu::ptx {

/// What all workers of a launch share.
struct Launch {
    const Kernel& kernel;
    const LaunchShape& shape;
    const std::vector<std::byte>& arguments;
    const BlockFinder& finder;
    const ExecutionOptions& options;
    std::uint32_t threads_per_block = 0;
    std::uint64_t blocks = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t dynamic_shared_base = 0;
    std::uint32_t reserved_shared_base = 0;
    std::vector<std::byte> grid_workspace{};  ///< of grid.sync(); empty unless cooperative
    LongRun long_run{kernel.attributes.name, options.instruction_limit};
};

/// What became of a few consecutive blocks.
struct ChunkOutcome {
    Counters counters;
    std::string printed;
    std::vector<Report> reports;  ///< that do not end the launch
    bool failed = false;
    KernelError error{};
    Report fault;
};

class Worker {
  public:
    void begin_launch(Launch& launch);
    /// Runs blocks [first, last). Stops at the first fault.
    ChunkOutcome run_blocks(std::uint64_t first, std::uint64_t last);

    const LaunchShape& shape() const { return launch_->shape; }
    const Kernel& kernel() const { return launch_->kernel; }
    const ExecutionOptions& options() const { return launch_->options; }
    const BlockFinder& finder() const { return launch_->finder; }
    std::uint64_t argument_bytes() const { return launch_->arguments.size(); }
    /// Bytes of the workspace of grid.sync(), or nullptr.
    std::byte* grid_bytes(std::uint64_t address, unsigned size);
    std::uint64_t grid_workspace_address() const;

    /// Keeps a report that does not end the launch; one for each kind and instruction.
    void add_report_once(const Warp& warp, Report report);
    void print(const std::string& text) { outcome_.printed += text; }

    MemoryPort& memory() { return memory_; }

    std::uint32_t dynamic_shared_base() const { return launch_->dynamic_shared_base; }
    std::uint32_t reserved_shared_base() const { return launch_->reserved_shared_base; }

  private:
    std::unique_ptr<BlockState> start_block(std::uint64_t number);
    void prepare_block(BlockState& block);
    void prepare_warp(BlockState& block, std::uint32_t index);
    void start_warp(BlockState& block, Warp& warp);
    /// Runs blocks [first, last); the next one joins whenever all present ones only wait.
    void run_resident(std::uint64_t first, std::uint64_t last);
    bool wants_company() const;
    /// Lets each warp of the block have a turn. True when the block has ended.
    bool run_pass(BlockState& block);
    bool release_barriers(BlockState& block);
    void release_barrier(BlockState& block, std::uint8_t number);
    void note_different_barriers(BlockState& block, std::uint8_t number);
    [[noreturn]] void fail_deadlock(BlockState& block);
    void check_limit(const Warp& warp);

    Launch* launch_ = nullptr;
    MemoryPort memory_;
    ChunkOutcome outcome_;
    std::set<std::pair<ReportKind, const Instruction*>> reported_;
    std::vector<std::unique_ptr<BlockState>> resident_;
    std::vector<std::unique_ptr<BlockState>> spare_;
    std::uint64_t launch_number_ = 0;
    std::uint64_t instructions_before_ = 0;  ///< of chunks of this launch that are done
    std::uint64_t next_word_at_ = 0;         ///< instructions after which `long_run` is told
};

}  // namespace vram::virtual_gpu::ptx
