#include "grader/runtime/virtual_gpu_controls.h"

#include "grader/virtual_gpu/control.h"

namespace vram::runtime::controls {

void set_observer(virtual_gpu::Observer* observer) { virtual_gpu::set_observer(observer); }

bool describe_host_fault(std::uint64_t address, virtual_gpu::Report& report) {
    return virtual_gpu::describe_host_fault(address, report);
}

std::uint64_t virtual_nanoseconds() { return virtual_gpu::virtual_nanoseconds(); }

void vary(std::uint64_t seed) { virtual_gpu::vary(seed); }

void set_capacity(std::size_t bytes) { virtual_gpu::set_capacity(bytes); }

Session::KernelCounters kernel_counters() {
    Session::KernelCounters counters;
    for (const virtual_gpu::KernelStatistics& kernel : virtual_gpu::kernel_statistics()) {
        counters.launches += kernel.launches;
    }
    const virtual_gpu::ptx::Counters total = virtual_gpu::total_counters();
    counters.load_requests = total.load_requests;
    counters.load_sectors = total.load_sectors;
    counters.store_requests = total.store_requests;
    counters.store_sectors = total.store_sectors;
    counters.atomic_requests = total.atomic_requests;
    counters.atomic_sectors = total.atomic_sectors;
    counters.shared_requests = total.shared_requests;
    counters.shared_waves = total.shared_waves;
    counters.warp_instructions = total.warp_instructions;
    counters.lane_instructions = total.lane_instructions;
    return counters;
}

}  // namespace vram::runtime::controls
