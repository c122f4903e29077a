// Runs a launch: shares its blocks out among threads and puts the outcome together.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "grader/virtual_gpu/ptx/kernel_execution.h"
#include "grader/virtual_gpu/ptx/worker.h"
#include "grader/virtual_gpu/ptx/worker_pool.h"

namespace vram::virtual_gpu::ptx {

Counters& Counters::operator+=(const Counters& other) {
    load_requests += other.load_requests;
    load_sectors += other.load_sectors;
    load_bytes += other.load_bytes;
    store_requests += other.store_requests;
    store_sectors += other.store_sectors;
    store_bytes += other.store_bytes;
    atomic_requests += other.atomic_requests;
    atomic_sectors += other.atomic_sectors;
    shared_requests += other.shared_requests;
    shared_waves += other.shared_waves;
    warp_instructions += other.warp_instructions;
    lane_instructions += other.lane_instructions;
    branches += other.branches;
    divergent_branches += other.divergent_branches;
    return *this;
}

namespace {

/// Waking a thread costs more than running a few blocks.
constexpr std::uint64_t threads_worth_sharing = 16384;
constexpr std::uint64_t chunks_per_worker = 8;
// What fits on the GPU at once bounds a cooperative launch; these are the H200's.
constexpr std::uint64_t multiprocessors = 132;
constexpr std::uint64_t threads_per_multiprocessor = 2048;
constexpr std::uint64_t blocks_per_multiprocessor = 32;
constexpr std::uint64_t shared_bytes_per_multiprocessor = 228 * 1024;
constexpr std::uint64_t shared_bytes_reserved_per_block = 1024;
constexpr std::size_t grid_workspace_bytes = 4096;
/// What cooperative groups keep in the shared memory of a block.
constexpr std::uint32_t reserved_shared_bytes = 1024;

std::uint64_t product(const std::uint32_t (&values)[3]) {
    return std::uint64_t{values[0]} * values[1] * values[2];
}

bool fits_at_once(const Launch& launch) {
    const std::uint64_t warps = (launch.threads_per_block + 31) / 32;
    const std::uint64_t resident =
        std::min({blocks_per_multiprocessor, threads_per_multiprocessor / (warps * 32),
                  shared_bytes_per_multiprocessor /
                      (launch.shared_bytes + shared_bytes_reserved_per_block)});
    return launch.blocks <= resident * multiprocessors;
}

unsigned workers_for(const Launch& launch) {
    if (launch.kernel.order_sensitive || launch.shape.cooperative ||
        launch.options.check_initialised || launch.blocks < 2) {
        return 1;
    }
    const std::uint64_t threads = launch.blocks * launch.threads_per_block;
    if (launch.options.workers == 0 && threads < threads_worth_sharing) {
        return 1;
    }
    static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned wanted = launch.options.workers != 0 ? launch.options.workers : cores;
    return static_cast<unsigned>(std::min<std::uint64_t>(wanted, launch.blocks));
}

/// Blocks in order, in chunks that any thread may take.
class SharedWork {
  public:
    SharedWork(Launch& launch, unsigned workers)
        : launch_(launch),
          chunk_blocks_(workers == 1 ? launch.blocks
                                     : std::max<std::uint64_t>(
                                           1, launch.blocks / (workers * chunks_per_worker))),
          outcomes_((launch.blocks + chunk_blocks_ - 1) / chunk_blocks_) {}

    void run() {
        thread_local Worker worker;
        worker.begin_launch(launch_);
        for (;;) {
            const std::uint64_t chunk = next_++;
            if (chunk >= outcomes_.size() || chunk > first_failed_) {
                break;
            }
            const std::uint64_t first = chunk * chunk_blocks_;
            outcomes_[chunk] =
                worker.run_blocks(first, std::min(first + chunk_blocks_, launch_.blocks));
            if (outcomes_[chunk].failed) {
                note_failure(chunk);
            }
        }
        if (launch_.options.track_ranges) {
            std::lock_guard<std::mutex> lock(mutex_);
            collect_ranges(worker.memory());
        }
    }

    LaunchOutcome finish() {
        LaunchOutcome outcome;
        for (ChunkOutcome& chunk : outcomes_) {
            outcome.counters += chunk.counters;
            outcome.printed += chunk.printed;
            for (const Report& report : chunk.reports) {
                observer().on_report(report);
            }
            if (chunk.failed) {
                outcome.error = static_cast<int>(chunk.error);
                observer().on_report(chunk.fault);
                break;
            }
        }
        if (!merged_) {
            outcome.read = std::move(read_);
            outcome.written = std::move(written_);
            outcome.atomic = std::move(atomic_);
        } else {
            outcome.read = all_read_.ranges();
            outcome.written = all_written_.ranges();
            outcome.atomic = all_atomic_.ranges();
        }
        return outcome;
    }

  private:
    /// Later chunks do not count; earlier ones are run to their end, since they may fail first.
    void note_failure(std::uint64_t chunk) {
        std::uint64_t known = first_failed_;
        while (chunk < known && !first_failed_.compare_exchange_weak(known, chunk)) {
        }
    }

    void collect_ranges(MemoryPort& memory) {
        if (outcomes_.size() == 1) {
            read_ = memory.read.ranges();
            written_ = memory.written.ranges();
            atomic_ = memory.atomic.ranges();
            return;
        }
        merged_ = true;
        all_read_.merge(memory.read);
        all_written_.merge(memory.written);
        all_atomic_.merge(memory.atomic);
    }

    Launch& launch_;
    std::uint64_t chunk_blocks_;
    std::vector<ChunkOutcome> outcomes_;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> first_failed_{~std::uint64_t{0}};
    std::mutex mutex_;
    bool merged_ = false;
    std::vector<TouchedRange> read_;
    std::vector<TouchedRange> atomic_;
    std::vector<TouchedRange> written_;
    TouchedBytes all_read_;
    TouchedBytes all_atomic_;
    TouchedBytes all_written_;
};

LaunchOutcome refuse(const Launch& launch, ReportKind kind, KernelError error,
                     const std::string& line) {
    Report report;
    report.kind = kind;
    report.first_line = line;
    report.kernel = launch.kernel.attributes.name;
    report.parties.push_back(
        {launch.options.launched_by, "kernel " + launch.kernel.attributes.name, 0, 0});
    observer().on_report(report);
    LaunchOutcome outcome;
    outcome.error = static_cast<int>(error);
    return outcome;
}

}  // namespace

LaunchOutcome execute(const Kernel& kernel, const LaunchShape& shape,
                      const std::vector<std::byte>& arguments, const BlockFinder& memory,
                      const ExecutionOptions& options) {
    const_cast<Module*>(kernel.module)->link();
    Launch launch{.kernel = kernel,
                  .shape = shape,
                  .arguments = arguments,
                  .finder = memory,
                  .options = options};
    launch.threads_per_block = static_cast<std::uint32_t>(product(shape.block));
    launch.blocks = product(shape.grid);
    const std::uint32_t alignment = kernel.module->dynamic_alignment;
    const std::uint32_t fixed = kernel.function->shared_bytes;
    launch.dynamic_shared_base = (fixed + alignment - 1) / alignment * alignment;
    launch.shared_bytes =
        shape.dynamic_shared_bytes == 0
            ? fixed
            : launch.dynamic_shared_base + static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
    if (kernel.module->uses_reserved_shared) {
        launch.reserved_shared_base = (launch.shared_bytes + 1023) / 1024 * 1024;
        launch.shared_bytes = launch.reserved_shared_base + reserved_shared_bytes;
    }
    if (!kernel.attributes.why_not_runnable.empty()) {
        return refuse(launch, ReportKind::kernel_not_supported, KernelError::not_supported,
                      kernel.attributes.why_not_runnable);
    }
    if (arguments.size() < kernel.function->parameter_bytes) {
        return refuse(launch, ReportKind::kernel_not_supported, KernelError::launch_failure,
                      "kernel " + kernel.attributes.name + " was launched with " +
                          std::to_string(arguments.size()) + " bytes of arguments; it takes " +
                          std::to_string(kernel.function->parameter_bytes));
    }
    if (shape.cooperative) {
        launch.grid_workspace.assign(grid_workspace_bytes, std::byte{0});
        if (!fits_at_once(launch)) {
            LaunchOutcome outcome;
            outcome.error = static_cast<int>(KernelError::cooperative_too_large);
            return outcome;
        }
    }
    const unsigned workers = workers_for(launch);
    SharedWork work(launch, workers);
    run_on_threads(workers, [&work] { work.run(); });
    return work.finish();
}

}  // namespace vram::virtual_gpu::ptx
