#include "grader/virtual_gpu/modules/launch.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/clock/cost_table.h"
#include "grader/virtual_gpu/environment.h"
#include "grader/virtual_gpu/memory/device_heap.h"
#include "grader/virtual_gpu/memory/initialisation.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::uint64_t most_threads_of_block = 1024;
constexpr unsigned most_threads_in_z = 64;
constexpr unsigned most_blocks_in_x = std::numeric_limits<int>::max();
constexpr unsigned most_blocks_in_y_and_z = 65535;

std::uint64_t volume(const dim3& size) {
    return std::uint64_t{size.x} * size.y * size.z;
}

bool shape_fits(const dim3& grid, const dim3& block) {
    const bool some = grid.x && grid.y && grid.z && block.x && block.y && block.z;
    const bool grid_fits = grid.x <= most_blocks_in_x && grid.y <= most_blocks_in_y_and_z &&
                           grid.z <= most_blocks_in_y_and_z;
    const bool block_fits = block.x <= most_threads_of_block && block.y <= most_threads_of_block &&
                            block.z <= most_threads_in_z && volume(block) <= most_threads_of_block;
    return some && grid_fits && block_fits;
}

cudaError_t check(const KernelEntry& entry, const LaunchConfiguration& configuration) {
    const ptx::KernelAttributes& attributes = ptx::attributes(*entry.kernel);
    if (!shape_fits(configuration.grid, configuration.block))
        return cudaErrorInvalidValue;
    if (volume(configuration.block) > static_cast<std::uint64_t>(attributes.max_threads_per_block))
        return cudaErrorInvalidValue;
    if (configuration.dynamic_shared_bytes > dynamic_shared_limit(entry) ||
        attributes.static_shared_bytes + configuration.dynamic_shared_bytes >
            shared_bytes_with_opt_in)
        return cudaErrorInvalidValue;
    if (!configuration.cooperative)
        return cudaSuccess;
    const int at_once =
        multiprocessors * active_blocks(attributes, static_cast<int>(volume(configuration.block)),
                                        configuration.dynamic_shared_bytes);
    return volume(configuration.grid) <= static_cast<std::uint64_t>(at_once)
               ? cudaSuccess
               : cudaErrorCooperativeLaunchTooLarge;
}

ptx::ExecutionOptions options_for(CallNumber call) {
    static const ptx::ExecutionOptions from_environment = [] {
        ptx::ExecutionOptions options;
        options.check_accesses = environment_flag("VRAM_CHECK_ACCESSES", true);
        options.check_initialised = checks_initialisation();
        options.check_shared_races = environment_flag("VRAM_CHECK_RACES");
        options.workers = static_cast<unsigned>(environment_number("VRAM_WORKERS", 0));
        options.instruction_limit =
            environment_number("VRAM_INSTRUCTION_LIMIT", options.instruction_limit);
        return options;
    }();
    ptx::ExecutionOptions options = from_environment;
    options.launched_by = call;
    return options;
}

void append(const std::vector<ptx::TouchedRange>& ranges, AccessMode mode,
            std::vector<Access>& accesses) {
    for (const ptx::TouchedRange& range : ranges)
        accesses.push_back({range.begin, range.end, mode});
}

ptx::LaunchShape shape_of(const LaunchConfiguration& configuration) {
    ptx::LaunchShape shape;
    const dim3& grid = configuration.grid;
    const dim3& block = configuration.block;
    std::copy_n(std::begin({grid.x, grid.y, grid.z}), 3, shape.grid);
    std::copy_n(std::begin({block.x, block.y, block.z}), 3, shape.block);
    shape.dynamic_shared_bytes = configuration.dynamic_shared_bytes;
    shape.cooperative = configuration.cooperative;
    return shape;
}

struct PendingLaunch {
    std::shared_ptr<ptx::Module> module;  ///< keeps the kernel alive
    const ptx::Kernel* kernel = nullptr;
    ptx::LaunchShape shape;
    std::vector<std::byte> arguments;
    CallNumber call = 0;
};

Execution run(Card& card, const PendingLaunch& pending) {
    const ptx::LaunchOutcome ended = ptx::execute(*pending.kernel, pending.shape, pending.arguments,
                                                  card.space, options_for(pending.call));
    if (!ended.printed.empty()) {
        std::fwrite(ended.printed.data(), 1, ended.printed.size(), stdout);
        std::fflush(stdout);
    }
    Execution result;
    result.error = ended.error;
    result.nanoseconds = cost::kernel(ended.counters);
    append(ended.read, AccessMode::read, result.accesses);
    append(ended.written, AccessMode::write, result.accesses);
    append(ended.atomic, AccessMode::atomic, result.accesses);
    statistics().add(ptx::attributes(*pending.kernel).name, ended.counters, result.nanoseconds);
    return result;
}

}  // namespace

std::size_t dynamic_shared_limit(const KernelEntry& entry) {
    const std::size_t fixed = ptx::attributes(*entry.kernel).static_shared_bytes;
    const std::size_t otherwise =
        fixed < shared_bytes_without_opt_in ? shared_bytes_without_opt_in - fixed : 0;
    return entry.dynamic_shared_limit.value_or(otherwise);
}

int active_blocks(const ptx::KernelAttributes& attributes, int block_threads,
                  std::size_t dynamic_shared_bytes) {
    // As measured, __launch_bounds__ does not count here.
    if (block_threads <= 0 || static_cast<std::uint64_t>(block_threads) > most_threads_of_block)
        return 0;
    constexpr int warp = 32;
    const int threads = (block_threads + warp - 1) / warp * warp;
    const std::size_t shared = attributes.static_shared_bytes + dynamic_shared_bytes;
    if (shared > shared_bytes_with_opt_in)
        return 0;
    const int by_threads = threads_per_multiprocessor / threads;
    const int by_shared = static_cast<int>(shared_bytes_per_multiprocessor /
                                           (shared + shared_bytes_reserved_per_block));
    return std::min({by_threads, by_shared, blocks_per_multiprocessor});
}

cudaError_t launch(Card& card, const void* function, const LaunchConfiguration& configuration,
                   void** arguments) {
    KernelEntry* entry = find_kernel_entry(function);
    if (!entry)
        return cudaErrorInvalidDeviceFunction;
    const auto stream = stream_of(card, configuration.stream);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = prepare(card, *entry))
        return error;
    if (const cudaError_t error = check(*entry, configuration))
        return error;
    ptx::set_device_heap(&device_heap());
    auto pending = std::make_shared<PendingLaunch>();
    pending->module = entry->module->module;
    pending->kernel = entry->kernel;
    pending->shape = shape_of(configuration);
    pending->arguments = ptx::pack_arguments(*entry->kernel, arguments);
    pending->call = observer().current_call();
    Operation operation;
    operation.origin = std::make_shared<const Origin>(
        Origin{pending->call, "kernel " + ptx::attributes(*entry->kernel).name});
    operation.known_accesses = false;
    operation.execute = [&card, pending] { return run(card, *pending); };
    card.scheduler.enqueue(stream, std::move(operation));
    card.scheduler.spend(cost::launch);
    return cudaSuccess;
}

}  // namespace vram::virtual_gpu
