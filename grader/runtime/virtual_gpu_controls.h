// The virtual GPU's entry points beside the runtime calls, below the ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/runtime/session.h"
#include "grader/virtual_gpu/control.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime::controls {

void set_observer(virtual_gpu::Observer* observer);
/// What a fault of host code at `address` tells, if that is the virtual GPU's business: fills
/// `report` and returns true. For a signal handler.
bool describe_host_fault(std::uint64_t address, virtual_gpu::Report& report);
/// Judges a fault of host code at `address` as a use of the target of a pending copy; see
/// virtual_gpu/control.h. For a signal handler.
virtual_gpu::HostTouch host_touches_target(std::uint64_t address, virtual_gpu::Report& report);
/// Tells the virtual GPU which handler asks that.
void rely_on_fault_handler(virtual_gpu::FaultHandler handler);
/// Executes what still waits in streams, so that every report there is to make was made.
void finish_pending_work();
std::uint64_t virtual_nanoseconds();
void vary(std::uint64_t seed);
void set_capacity(std::size_t bytes);
Session::KernelCounters kernel_counters();

struct KernelSummary {
    std::string name;
    Session::KernelCounters counters;
    std::uint64_t virtual_nanoseconds = 0;  ///< on the device, all launches together
};
/// In order of first launch.
std::vector<KernelSummary> kernels();

}  // namespace vram::runtime::controls
