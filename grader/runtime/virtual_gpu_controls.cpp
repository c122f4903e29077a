#include "grader/runtime/virtual_gpu_controls.h"

#include "grader/virtual_gpu/control.h"

namespace vram::runtime::controls {
namespace {

Session::KernelCounters counters_of(const virtual_gpu::ptx::Counters& counted,
                                    std::uint64_t launches) {
    Session::KernelCounters counters;
    counters.launches = launches;
    counters.load_requests = counted.load_requests;
    counters.load_sectors = counted.load_sectors;
    counters.store_requests = counted.store_requests;
    counters.store_sectors = counted.store_sectors;
    counters.atomic_requests = counted.atomic_requests;
    counters.atomic_sectors = counted.atomic_sectors;
    counters.shared_requests = counted.shared_requests;
    counters.shared_waves = counted.shared_waves;
    counters.warp_instructions = counted.warp_instructions;
    counters.lane_instructions = counted.lane_instructions;
    counters.branches = counted.branches;
    counters.divergent_branches = counted.divergent_branches;
    return counters;
}

}  // namespace

void set_observer(virtual_gpu::Observer* observer) {
    virtual_gpu::set_observer(observer);
}

bool describe_host_fault(std::uint64_t address, virtual_gpu::Report& report) {
    return virtual_gpu::describe_host_fault(address, report);
}

virtual_gpu::HostTouch host_touches_target(std::uint64_t address, virtual_gpu::Report& report) {
    return virtual_gpu::host_touches_target(address, report);
}

void rely_on_fault_handler(virtual_gpu::FaultHandler handler) {
    virtual_gpu::rely_on_fault_handler(handler);
}

void finish_pending_work() {
    virtual_gpu::finish_pending_work();
}

std::uint64_t virtual_nanoseconds() {
    return virtual_gpu::virtual_nanoseconds();
}

void vary(std::uint64_t seed) {
    virtual_gpu::vary(seed);
}

void set_capacity(std::size_t bytes) {
    virtual_gpu::set_capacity(bytes);
}

std::vector<KernelSummary> kernels() {
    std::vector<KernelSummary> summaries;
    for (const virtual_gpu::KernelStatistics& kernel : virtual_gpu::kernel_statistics()) {
        summaries.push_back(
            {kernel.name, counters_of(kernel.counters, kernel.launches), kernel.nanoseconds});
    }
    return summaries;
}

Session::KernelCounters kernel_counters() {
    std::uint64_t launches = 0;
    for (const virtual_gpu::KernelStatistics& kernel : virtual_gpu::kernel_statistics()) {
        launches += kernel.launches;
    }
    return counters_of(virtual_gpu::total_counters(), launches);
}

}  // namespace vram::runtime::controls
