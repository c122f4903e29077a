// The seam between the host side of the virtual GPU (memory, streams, runtime calls) and the part
// that reads fat binaries and executes kernels.
//
// The host side owns modules as opaque handles; it asks for kernels and variables by name, and runs
// a launch. Nothing here knows of streams: the caller decides when a launch runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grader/virtual_gpu/memory/block.h"

namespace vram::virtual_gpu::ptx {

class Module;
class Kernel;

/// A `__device__`, `__constant__` or `__managed__` variable of a module.
struct Variable {
    std::string name;  ///< mangled, as registered by the host code
    std::size_t bytes = 0;
    std::size_t alignment = 1;  ///< bytes
    bool constant = false;
    bool managed = false;
    std::vector<std::byte> initial;  ///< `bytes` long, zero filled where the source gives nothing
    std::uint64_t address = 0;       ///< set by the host side before the first launch
};

/// Reads the fat binary that nvcc embeds (a `__fatBinC_Wrapper_t`). Never fails hard: a module that
/// holds no usable PTX has `why_unusable()` and no kernels. `wrapper` must outlive the module.
std::shared_ptr<Module> load_module(const void* wrapper);
/// The same for PTX text, for tests.
std::shared_ptr<Module> load_module_from_text(std::string ptx);

/// Empty when the module can be used; otherwise one line that says why, for example
/// "the fat binary holds no PTX: compile with -gencode arch=compute_75,code=compute_75".
const std::string& why_unusable(const Module& module);
/// Compute capability of the PTX in use, times ten: 75 for compute_75. 0 for an unusable module.
int compute_capability(const Module& module);
/// The module's variables. The host side allocates each and stores its address before any launch;
/// pointers in initial values are resolved by `resolve_initial_values`.
std::vector<Variable>& variables(Module& module);
/// Writes addresses of variables and functions into initial values that refer to them.
void resolve_initial_values(Module& module);

/// The kernel with this mangled name, owned by the module; nullptr when there is none.
const Kernel* find_kernel(const Module& module, const std::string& mangled_name);

struct KernelAttributes {
    std::string name;  ///< demangled
    int registers_per_thread = 0;
    std::size_t static_shared_bytes = 0;
    std::size_t local_bytes = 0;  ///< per thread
    std::size_t constant_bytes = 0;
    std::size_t parameter_bytes = 0;
    int max_threads_per_block = 1024;  ///< lower with __launch_bounds__
    std::string why_not_runnable;      ///< empty, or kernel, line and instruction that is missing
};
const KernelAttributes& attributes(const Kernel& kernel);

/// Packs the `void*` array of a launch into the parameter block of the kernel.
std::vector<std::byte> pack_arguments(const Kernel& kernel, void* const* arguments);

struct LaunchShape {
    std::uint32_t grid[3] = {1, 1, 1};
    std::uint32_t block[3] = {1, 1, 1};
    std::size_t dynamic_shared_bytes = 0;
    bool cooperative = false;
};

/// A byte range of memory that a launch really touched, [begin, end), merged and sorted.
struct TouchedRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Hardware-like counters of one launch. A request is one warp instruction; a sector is 32 bytes.
struct Counters {
    std::uint64_t load_requests = 0, load_sectors = 0, load_bytes = 0;
    std::uint64_t store_requests = 0, store_sectors = 0, store_bytes = 0;
    std::uint64_t atomic_requests = 0, atomic_sectors = 0;
    std::uint64_t shared_requests = 0, shared_waves = 0;
    std::uint64_t warp_instructions = 0, lane_instructions = 0;
    std::uint64_t branches = 0, divergent_branches = 0;
    Counters& operator+=(const Counters& other);
};

/// How a launch ended. `error` is a cudaError_t value: 0, or 700, 710, 716, 719, 720 (see the facts
/// table); the caller turns it into a sticky error. Reports went to the observer already.
struct LaunchOutcome {
    int error = 0;
    Counters counters;
    std::vector<TouchedRange> read;
    std::vector<TouchedRange> written;
    /// Touched by atomic instructions only: two launches may do so at the same time. A range that
    /// is also written (or read) plainly stands in `written` (or `read`) as well.
    std::vector<TouchedRange> atomic;
    std::string printed;  ///< what device-side printf wrote, in order
};

struct ExecutionOptions {
    bool check_accesses = true;
    bool check_initialised = false;  ///< needs Block::initialised
    bool check_shared_races = false;
    bool count = true;
    bool track_ranges = true;
    unsigned workers = 0;  ///< threads that run blocks; 0: one for each core
    std::uint64_t instruction_limit = 20'000'000'000;  ///< warp instructions before "endless"
    CallNumber launched_by = 0;
};

/// Runs every block of the launch to its end (or to the first fault). Results and counters do not
/// depend on `workers`.
LaunchOutcome execute(const Kernel& kernel, const LaunchShape& shape,
                      const std::vector<std::byte>& arguments, const BlockFinder& memory,
                      const ExecutionOptions& options);

/// Device-side malloc and free take memory from here; installed once by the host side.
class DeviceHeap {
  public:
    virtual ~DeviceHeap() = default;
    virtual std::uint64_t allocate(std::size_t bytes) = 0;  ///< 0 when exhausted
    virtual bool release(std::uint64_t address) = 0;        ///< false: not a live heap block
};
void set_device_heap(DeviceHeap* heap);

}  // namespace vram::virtual_gpu::ptx
