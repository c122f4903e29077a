#include "grader/runtime/virtual_gpu_controls.h"

#include "grader/virtual_gpu/control.h"

namespace vram::runtime::controls {

void set_observer(virtual_gpu::Observer* observer) {
    virtual_gpu::set_observer(observer);
}

bool describe_host_fault(std::uint64_t address, virtual_gpu::Report& report) {
    return virtual_gpu::describe_host_fault(address, report);
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

Session::KernelCounters kernel_counters() {
    Session::KernelCounters totals;
    for (const virtual_gpu::KernelStatistics& kernel : virtual_gpu::kernel_statistics()) {
        totals.launches += kernel.launches;
    }
    virtual_gpu::ptx::Counters counters = virtual_gpu::total_counters();
    totals.load_requests = counters.load_requests;
    totals.load_sectors = counters.load_sectors;
    totals.store_requests = counters.store_requests;
    totals.store_sectors = counters.store_sectors;
    totals.atomic_requests = counters.atomic_requests;
    totals.atomic_sectors = counters.atomic_sectors;
    totals.shared_requests = counters.shared_requests;
    totals.shared_waves = counters.shared_waves;
    totals.warp_instructions = counters.warp_instructions;
    totals.lane_instructions = counters.lane_instructions;
    return totals;
}

}  // namespace vram::runtime::controls
