// Stands in for the virtual GPU's controls where it is not linked in.
#include <sys/mman.h>

#include "grader/runtime/virtual_gpu_controls.h"
#include "grader/tests/runtime/fake_virtual_gpu.h"

namespace vram::runtime::controls {

void set_observer(virtual_gpu::Observer*) {}

virtual_gpu::HostTouch host_touches_target(std::uint64_t address, virtual_gpu::Report& report) {
    if (address - fake_gpu::pending_target >= fake_gpu::pending_target_bytes) {
        return virtual_gpu::HostTouch::elsewhere;
    }
    mprotect(reinterpret_cast<void*>(fake_gpu::pending_target), fake_gpu::pending_target_bytes,
             PROT_READ | PROT_WRITE);
    report.kind = virtual_gpu::ReportKind::host_buffer_in_flight;
    report.address = address;
    report.first_line = "too early";
    report.parties.push_back({0, "a copy", address, 0});
    return virtual_gpu::HostTouch::too_early;
}

void rely_on_fault_handler(virtual_gpu::FaultHandler) {}

bool describe_host_fault(std::uint64_t, virtual_gpu::Report&) {
    return false;
}

void finish_pending_work() {}

std::uint64_t virtual_nanoseconds() {
    return 0;
}

void vary(std::uint64_t) {}

void set_capacity(std::size_t) {}

Session::KernelCounters kernel_counters() {
    return {};
}

std::vector<KernelSummary> kernels() {
    return {};
}

}  // namespace vram::runtime::controls
