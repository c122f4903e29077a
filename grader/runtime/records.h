// What the ledger remembers: plain records that live in one memory-mapped arena, so that the parent
// of a crashed process can still read them. They hold no pointers of this process.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vram::runtime {

/// Number of a runtime call in this process, counted from 1. 0: no call.
using CallNumber = std::uint64_t;
/// Identity of an allocation, counted from 1 and never reused. 0: none.
using AllocationId = std::uint64_t;
/// Index of a runtime function in the generated table; see entry_name().
using Entry = std::uint16_t;

/// "cudaMalloc" and so on. A valid entry gives a string that lives for ever.
const char* entry_name(Entry entry);
/// The entry of a name, for example "cudaMalloc". Aborts on a name that no runtime has.
Entry entry_of(const char* name);

/// Which family of calls made an allocation, and so which call releases it.
enum class Family : std::uint8_t {
    device,      ///< cudaMalloc, cudaMalloc3D             -> cudaFree
    pitched,     ///< cudaMallocPitch                      -> cudaFree
    async,       ///< cudaMallocAsync, cudaMallocFromPoolAsync -> cudaFreeAsync (or cudaFree)
    managed,     ///< cudaMallocManaged                    -> cudaFree
    pinned,      ///< cudaMallocHost, cudaHostAlloc        -> cudaFreeHost
    registered,  ///< cudaHostRegister                     -> cudaHostUnregister
    array,       ///< cudaMallocArray, cudaMalloc3DArray   -> cudaFreeArray (a handle, no address)
    vmm,         ///< a mapped range                       -> unmap, release, address free
};
const char* family_name(Family family);     ///< "cudaMalloc", "cudaMallocPitch", ...
const char* releasing_call(Family family);  ///< "cudaFree", "cudaFreeHost", ...

enum class AllocationState : std::uint8_t { live, freed, lost_in_reset };

/// Where a pointer points, decided when it was given to a call.
enum class Place : std::uint8_t {
    null,
    base,          ///< first byte of a live allocation
    interior,      ///< inside a live allocation, not its first byte
    past_the_end,  ///< exactly one past the last requested byte of a live allocation
    padding,       ///< between the requested end of a live allocation and the next one
    freed_base,    ///< first byte of a freed allocation (and of no live one)
    freed,         ///< elsewhere in a freed allocation
    host_stack,
    host_data,   ///< static storage of the program
    host_heap,   ///< malloc, new, mmap
    unknown,     ///< came from a call that is not hooked: never an accusation
    never_seen,  ///< mapped nowhere and handed out by nobody
};
const char* place_name(Place place);

struct ClassifiedPointer {
    std::uint64_t address = 0;
    Place place = Place::null;
    AllocationId allocation = 0;  ///< the allocation that `place` speaks of, or 0
    std::uint64_t offset = 0;     ///< bytes from its first byte (past_the_end: its size)
};

constexpr int max_frames = 6;
constexpr int max_arguments = 8;

/// One runtime call made by the program.
struct CallRecord {
    CallNumber number = 0;
    Entry entry = 0;
    bool by_harness = false;   ///< made by the checks themselves, never judged or shown
    bool injected = false;     ///< failed on purpose, the runtime was not asked
    bool finished = false;     ///< false while the call runs (a crash or hang inside it)
    std::int32_t result = 0;   ///< cudaError_t
    std::uint32_t thread = 0;  ///< counted from 1 in order of first call
    /// Return addresses, innermost first, as offsets into the main executable; 0 ends the list and
    /// frames of other libraries are left out. A launch has the frames of its `<<<` push.
    std::uint64_t frames[max_frames] = {};
    /// Arguments in order, as integers (bytes, addresses, handles, kinds).
    std::uint64_t arguments[max_arguments] = {};
    std::uint8_t argument_count = 0;
    /// What the call stored through its first out-parameter (the address handed out), if it did.
    std::uint64_t handed_out = 0;
    /// The pointers among the arguments, in order: free has one, copies have destination, source.
    ClassifiedPointer pointers[2];
    AllocationId allocation = 0;         ///< made or released by this call
    std::uint64_t stream = 0;            ///< handle given to the call; 0 for the default stream
    std::uint64_t host_nanoseconds = 0;  ///< host time spent in the call
};

/// One allocation of any family.
struct AllocationRecord {
    AllocationId id = 0;
    Family family = Family::device;
    AllocationState state = AllocationState::live;
    bool by_harness = false;
    bool excused = false;  ///< its release was made to fail by injection: no leak
    std::uint64_t base = 0;
    std::size_t bytes = 0;      ///< as requested; a pitched one: pitch x height
    std::size_t pitch = 0;      ///< bytes, pitched only
    std::size_t row_bytes = 0;  ///< bytes, pitched only
    std::size_t rows = 0;       ///< pitched only
    int device = 0;
    std::uint64_t stream = 0;  ///< async family: the stream it was allocated on
    CallNumber made_by = 0;
    CallNumber freed_by = 0;        ///< an enqueued free counts as a free
    std::uint64_t destination = 0;  ///< address of the variable that received the base
    Place destination_place = Place::null;
};

enum class HandleKind : std::uint8_t { stream, event, pool };

/// A stream, event or memory pool that the program created.
struct HandleRecord {
    HandleKind kind = HandleKind::stream;
    bool live = true;
    bool by_harness = false;
    bool recorded = false;  ///< events: cudaEventRecord was called
    bool excused = false;   ///< its destruction was made to fail by injection
    std::uint64_t handle = 0;
    CallNumber made_by = 0;
    CallNumber destroyed_by = 0;
};

/// A mistake that the ledger or the virtual GPU saw by itself, whatever the lab. The names in
/// comments are the stable diagnosis ids.
enum class MisuseKind : std::uint8_t {
    double_free,         ///< "double-free"
    free_interior,       ///< "free-interior": an address inside a live allocation
    free_of_variable,    ///< "free-of-variable": &p instead of p; the bytes there are a live base
    free_host_memory,    ///< "free-host-memory": stack, data or heap
    free_wrong_family,   ///< "free-wrong-family": cudaFree of pinned, cudaFreeHost of device ...
    free_by_c_library,   ///< "free-by-c-library": free(), delete or realloc() of a runtime's block
    free_unknown,        ///< "free-never-allocated"
    free_after_reset,    ///< "free-after-reset"
    bad_destination,     ///< "bad-destination": an out-parameter that is no writable host memory
    copy_out_of_bounds,  ///< "copy-out-of-bounds": more bytes than an allocation was asked for
    copy_host_overrun,   ///< "copy-host-overrun": past the end of a known host buffer
    copy_freed,          ///< "copy-of-freed-memory"
    copy_bad_pointer,    ///< "copy-bad-pointer": null, never seen, or a variable's address
    copy_wrong_direction,  ///< "copy-wrong-direction": refused, or the kind contradicts the
                           ///< pointers
    copy_bad_pitch,        ///< "copy-bad-pitch": pitch smaller than the row
    set_out_of_bounds,     ///< "set-out-of-bounds"
    set_bad_pointer,       ///< "set-bad-pointer"
    dead_handle,           ///< "dead-handle": a destroyed stream or event
    unrecorded_event,      ///< "unrecorded-event": waited for or measured, never recorded
    work_after_sticky,     ///< "work-after-sticky": new work after a sticky error was seen
    device_report,         ///< the id of the virtual GPU's report, see `report_kind`
};

constexpr std::size_t misuse_text_bytes = 320;

struct Misuse {
    MisuseKind kind{};
    std::uint8_t report_kind = 0;  ///< virtual_gpu::ReportKind for device_report
    bool failed_call = false;      ///< the call returned an error for it
    CallNumber call = 0;           ///< the call that did it (or launched it)
    CallNumber other_call = 0;     ///< the other party: the first free, the racing call
    AllocationId allocation = 0;
    std::uint64_t address = 0;
    /// Where it happened when that is not where `call` was made: the faulting instruction of a host
    /// access to device memory, or the call of the C library, then the callers. As in CallRecord; all
    /// 0 otherwise.
    std::uint64_t frames[max_frames] = {};
    char first_line[misuse_text_bytes] = {};   ///< one sentence, NUL-terminated
    char details[4 * misuse_text_bytes] = {};  ///< further lines, separated by '\n'
};
const char* diagnosis_id(const Misuse& misuse);

/// Provenance of the last-error slot of a thread.
struct LastError {
    cudaError_t code = cudaSuccess;
    CallNumber set_by = 0;
    bool injected = false;
};

}  // namespace vram::runtime
