// What the embedding library may steer and read, besides the runtime calls themselves.
//
// The virtual GPU comes to life with the first call that needs it. All functions may be called from
// any thread unless they say otherwise.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/virtual_gpu/observer.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"

namespace vram::virtual_gpu {

/// Chooses among the behaviours that the documentation allows. Seed 0 behaves like the measured
/// H200; other seeds are legal but unhelpful. Call it before the first allocation; later calls
/// steer only what is decided afterwards. Default: VRAM_SEED, else 0.
void vary(std::uint64_t seed);
std::uint64_t seed();

/// Bytes of memory that the card has (what cudaMemGetInfo gives as total). Works only as long as no
/// device memory was allocated: returns false, and changes nothing, afterwards or when `bytes` is
/// below 4 MiB or above 1 TiB. Default: VRAM_MEMORY, else that of an H200.
bool set_capacity(std::size_t bytes);

/// Virtual time of the host since the card came to life, in nanoseconds.
std::uint64_t virtual_nanoseconds();

struct KernelStatistics {
    std::string name;  ///< demangled
    std::uint64_t launches = 0;
    ptx::Counters counters;
    std::uint64_t nanoseconds = 0;  ///< virtual time on the device, all launches together
};
/// One entry for each kernel that ran, in order of first launch. Launches that still wait in a
/// stream are not counted: synchronise first.
std::vector<KernelStatistics> kernel_statistics();
ptx::Counters total_counters();
/// Forgets the statistics so far, not the virtual time.
void reset_statistics();

/// Bytes of device memory in live allocations, as requested, those of stream-ordered pools
/// included.
std::size_t live_device_bytes();

/// True when `address` lies in the range of device addresses (whether allocated or not) or in freed
/// page-locked memory, so that a fault of host code there is a mistake that `report` describes.
/// Made for a handler of SIGSEGV: it doesn't wait for locks, but it does allocate memory.
bool describe_host_fault(std::uint64_t address, Report& report);

enum class HostTouch : std::uint8_t {
    elsewhere,  ///< no business of pending copies
    too_early,  ///< the target of a copy that has not run: `report` says so
    is_over,    ///< the copy ran in the meantime
};
/// Judges a fault of host code. After `too_early` and `is_over` the memory is open and the access may
/// be repeated. Made for a handler of SIGSEGV, as describe_host_fault().
HostTouch host_touches_target(std::uint64_t address, Report& report);
/// The handler of SIGSEGV that asks host_touches_target(). As long as it is in place, targets of
/// pending copies are closed to the host; with another one, of the program itself, they are not.
using FaultHandler = void (*)(int, siginfo_t*, void*);
void rely_on_fault_handler(FaultHandler handler);
bool fault_handler_in_place();

/// A handler of SIGSEGV on an alternate stack that writes the line of describe_host_fault() to
/// standard error and lets the program die by the signal as on hardware. Installed by itself with
/// the first device memory if nobody handles SIGSEGV by then.
void install_host_fault_handler();

/// The capability that is reported to programs: that of the first usable module's PTX, else 9.0.
int compute_capability_times_ten();

/// Executes everything that still waits in streams. For the end of a program or a check: what
/// hardware would have finished by itself counts and is reported too. Not a wait: hazards found
/// later are not hidden by it.
void finish_pending_work();

/// Brings the card back to its first state: all memory, streams, events, errors and statistics are
/// gone; registered modules stay. For tests; no other thread may use the card.
void reset();

}  // namespace vram::virtual_gpu
