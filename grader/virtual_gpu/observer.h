// What the virtual GPU tells the outside, and the only thing that it asks back.
//
// The virtual GPU knows nothing of labs, of the ledger or of GoogleTest. Whoever embeds it installs
// one Observer; without one, reports are printed to standard error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vram::virtual_gpu {

/// Number by which the embedding library knows the runtime call now being made. 0: unknown.
using CallNumber = std::uint64_t;

/// Identity of one allocation for the life of the process; never reused. 0: none.
using AllocationId = std::uint64_t;

/// What a report is about. The names in comments are the stable diagnosis ids.
enum class ReportKind : std::uint8_t {
    kernel_out_of_bounds,      ///< "kernel-out-of-bounds": beyond the requested bytes
    kernel_use_after_free,     ///< "kernel-use-after-free"
    kernel_misaligned,         ///< "kernel-misaligned": address not a multiple of the access size
    kernel_null_pointer,       ///< "kernel-null-pointer"
    kernel_host_pointer,       ///< "kernel-host-pointer": plain host memory
    kernel_wild_pointer,       ///< "kernel-wild-pointer": never an allocation of any kind
    kernel_write_to_constant,  ///< "kernel-write-to-constant"
    kernel_shared_out_of_bounds,  ///< "kernel-shared-out-of-bounds"
    kernel_local_out_of_bounds,   ///< "kernel-local-out-of-bounds"
    kernel_uninitialised_read,    ///< "kernel-uninitialised-read" (opt-in)
    kernel_shared_race,           ///< "kernel-shared-race" (opt-in): no barrier between two threads
    kernel_barrier_divergence,    ///< "kernel-barrier-divergence": not reached by all threads
    kernel_assert,                ///< "kernel-assert": a device assert failed
    kernel_trap,                  ///< "kernel-trap"
    kernel_endless,               ///< "kernel-endless": the instruction limit was reached
    kernel_not_supported,         ///< "not-supported": instruction or feature that is missing here
    host_touches_device,          ///< "host-touches-device": host load or store at a device address
    race,                         ///< "race": two accesses, no happens-before edge between them
    use_before_allocation,  ///< "use-before-allocation": stream not ordered after cudaMallocAsync
    free_in_flight,         ///< "free-in-flight": freed while unordered work may still use it
    use_after_free_async,   ///< "use-after-free-async": ordered after the free of its block
    host_buffer_in_flight,  ///< "host-buffer-in-flight": host memory used or released too early
    call_not_supported,     ///< "not-supported": a runtime call that is missing here
};

/// The stable diagnosis id of a kind, for example "kernel-out-of-bounds".
const char* diagnosis_id(ReportKind kind);

/// One side of a report: an access, a free, a launch.
struct Party {
    CallNumber call = 0;      ///< the runtime call that did or enqueued it; 0 when none did
    std::string what;         ///< "kernel scale writes 4096 bytes", "cudaFreeAsync"
    std::uint64_t begin = 0;  ///< first byte touched (device or host address); 0 when unknown
    std::uint64_t end = 0;    ///< one past the last byte touched
};

/// Something that the program did wrong, or that the virtual GPU cannot do.
struct Report {
    ReportKind kind{};
    std::string first_line;            ///< one sentence a learner can act on, no trailing newline
    std::vector<std::string> details;  ///< further lines: thread, source line, allocation
    std::vector<Party> parties;  ///< the party that was caught first, then the one it collides with
    AllocationId allocation = 0;
    std::uint64_t address = 0;  ///< the first offending address; 0 when there is none
    // For kernel reports; empty or zero otherwise.
    std::string kernel;  ///< demangled name
    std::uint32_t block[3] = {0, 0, 0};
    std::uint32_t thread[3] = {0, 0, 0};
    std::string source_file;  ///< from the .loc directives; empty without -lineinfo
    int source_line = 0;
};

/// A launch that has run for some seconds of real time.
struct LongKernel {
    std::string name;  ///< demangled
    std::uint64_t seconds = 0;
    std::uint64_t warp_instructions = 0;  ///< so far, about
    std::uint64_t instruction_limit = 0;  ///< after which it counts as endless
};

/// Receives reports and answers which call is running. All functions may be called from any thread,
/// never from a signal handler, and must not call back into the CUDA runtime.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void on_report(const Report& report) = 0;
    virtual void on_long_kernel(const LongKernel&) {}
    /// The call that the calling thread is making now.
    virtual CallNumber current_call() const = 0;
};

/// Installs `observer`, which must outlive every runtime call; nullptr restores the default.
void set_observer(Observer* observer);
Observer& observer();

}  // namespace vram::virtual_gpu
