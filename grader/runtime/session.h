// The runtime library as the checks see it: the ledger to read, injection to steer.
//
// The library exports one function for this. The checks' executable claims the session before any
// constructor of a learner's file runs; a second claim ends the process with exit status 86, so a
// learner's code can't take hold of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "grader/runtime/records.h"

namespace vram::runtime {

enum class Device : std::uint8_t { virtual_gpu, gpu };

/// Makes chosen calls of the learner's code fail without asking the runtime. A call that waits for the
/// device has waited all the same, as one that tells of failed work has.
struct Injection {
    /// The how-manyth eligible learner call from now fails, counted from 1. 0: no injection.
    std::uint64_t nth = 0;
    cudaError_t error = cudaErrorMemoryAllocation;
    /// Only calls for which this holds are counted; empty: every call that can return an error.
    /// cudaGetLastError, cudaPeekAtLastError, the error-name calls and the hidden launch helpers
    /// are never eligible; a launch is.
    std::function<bool(Entry)> eligible;
    /// Every later eligible call fails with the same code too, as after an illegal address.
    /// cudaGetLastError clears the slot as on hardware, yet the calls go on failing. Ends with the
    /// injection.
    bool sticky = false;
    /// What a failed allocating call leaves in its out-parameter.
    enum class Destination : std::uint8_t { untouched, null } destination = Destination::null;
    /// All eligible calls from the nth on fail (not sticky: the last-error slot can be cleared).
    bool repeat = false;
    /// With repeat: the code of the eligible calls after the nth. cudaSuccess: `error` again.
    cudaError_t later_error = cudaSuccess;
    /// Fail only allocating calls that ask for more than this many bytes. 0: any size.
    std::size_t larger_than = 0;
};

/// True when `entry` can return this code by its documentation's list (resource, argument,
/// not-supported and asynchronous codes are told apart).
bool can_return(Entry entry, cudaError_t error);
bool allocates(Entry entry);  ///< makes device, pinned or managed memory
bool releases(Entry entry);   ///< releases memory of any family
bool is_launch(Entry entry);
bool waits_for_device(Entry entry);  ///< cudaDeviceSynchronize and the like

class Session {
  public:
    virtual ~Session() = default;

    virtual Device device() const = 0;
    virtual std::string device_name() const = 0;  ///< "virtual GPU", "NVIDIA H200"

    /// The private channel to the proctor: descriptor (-1 when there is none) and nonce.
    virtual int channel() const = 0;
    virtual const std::array<char, 32>& channel_nonce() const = 0;

    // --- Who is calling. The session starts in learner mode (constructors of the learner's file
    // may call the runtime); claiming it switches to harness mode. Process-wide.
    virtual void enter_learner() = 0;
    virtual void leave_learner() = 0;
    virtual bool in_learner() const = 0;

    // --- The ledger. Copies are returned; they are consistent with each other only while no other
    // thread makes runtime calls.
    virtual CallNumber last_call() const = 0;
    /// Calls with numbers in (after, last_call()], learner's only unless `all`.
    virtual std::vector<CallRecord> calls_after(CallNumber after, bool all = false) const = 0;
    virtual CallRecord call(CallNumber number) const = 0;  ///< number 0 when it was not kept
    virtual std::vector<AllocationRecord> allocations() const = 0;   ///< every one, oldest first
    virtual AllocationRecord allocation(AllocationId id) const = 0;  ///< id 0 when there is none
    virtual std::vector<HandleRecord> handles() const = 0;
    virtual std::vector<Misuse> misuses_after(CallNumber after) const = 0;  ///< learner's only
    virtual ClassifiedPointer classify(const void* pointer) const = 0;
    /// Bytes of live allocations whose memory is on the device.
    virtual std::size_t live_device_bytes() const = 0;
    /// Cheap counters for long runs: learner calls of `entry` so far, also when recording is off.
    virtual std::uint64_t count(Entry entry) const = 0;
    /// Stops keeping CallRecords (allocations and counters go on), for benchmarks.
    virtual void set_recording(bool on) = 0;

    /// "cudaMalloc(1048576 bytes) -> 0x200000000400", "cudaFree(0x...) -> cudaErrorInvalidValue".
    virtual std::string describe(const CallRecord& call) const = 0;
    /// "a 4096-byte block from cudaMalloc", never with a number that a learner can't know.
    virtual std::string describe(const AllocationRecord& allocation) const = 0;

    // --- What the C library is asked to release. The checks' program asks before it passes a call on.
    /// True when the learner's code gives `call` ("free() or delete") the first byte of a live block
    /// of the runtime: it must not be passed on. Books the misuse.
    /// `frame`: __builtin_frame_address(0) of the function that stands in for the C library's.
    virtual bool keeps_from_c_library(const void* pointer, const char* call, const void* frame) = 0;

    // --- Host buffers of the harness, so that a copy past their end can be named.
    virtual void register_host_buffer(const void* begin, std::size_t bytes, const char* name) = 0;
    virtual void forget_host_buffer(const void* begin) = 0;

    // --- Errors. Calls in harness mode neither set nor clear the slot that the learner's code
    // sees, on both devices.
    virtual LastError last_error() const = 0;  ///< of the calling thread; reading does not clear
    virtual void plant_last_error(cudaError_t error) = 0;
    virtual void clear_last_error() = 0;

    // --- Injection.
    virtual void inject(const Injection& injection) = 0;
    virtual void stop_injecting() = 0;
    virtual std::uint64_t injections_fired() const = 0;  ///< since the last inject()
    virtual CallNumber first_injected_call() const = 0;  ///< since the last inject(); 0: none fired
    /// Learner calls since the last inject() that were eligible.
    virtual std::uint64_t eligible_calls() const = 0;

    // --- Clean-up between the runtime's own tests: releases every live learner allocation and handle
    // through the real calls, waits for the device, forgets misuses up to now. Not for checks: a cache
    // in a static of the learner's file would be gone behind its back.
    virtual void release_leftovers() = 0;

    // --- Virtual GPU only (no effect, or 0, on a GPU).
    virtual std::uint64_t virtual_nanoseconds() const = 0;  ///< the virtual clock
    /// Seed of the legal-but-unhelpful variation (addresses, pitches, handle reuse) from now on.
    virtual void vary(std::uint64_t seed) = 0;
    /// Capacity from now on, in bytes. 0: the default.
    virtual void set_capacity(std::size_t bytes) = 0;
    /// Totals over the learner's kernels since the process started.
    struct KernelCounters {
        std::uint64_t launches = 0, load_requests = 0, load_sectors = 0, store_requests = 0,
                      store_sectors = 0, atomic_requests = 0, atomic_sectors = 0,
                      shared_requests = 0, shared_waves = 0, warp_instructions = 0,
                      lane_instructions = 0, branches = 0, divergent_branches = 0;
    };
    virtual KernelCounters kernel_counters() const = 0;

    // --- The shared arena, for the parent of a crashed child: what the child's last calls were.
    /// The last `count` learner calls, oldest first, read from the arena even when another process
    /// (a fork, or one that inherited the arena) made them.
    virtual std::vector<CallRecord> last_calls(int count) const = 0;
    /// Set by the SIGSEGV handler of a child that touched device memory from the host.
    virtual std::vector<Misuse> last_misuses() const = 0;
    /// Forgets all calls, misuses and freed allocations in the arena (before a fresh check).
    virtual void reset_ledger() = 0;
    /// A copy of the ledger's arena and its way back, for a parent whose forked child writes into
    /// the same arena: save before the fork, read what the child left, then restore. Cost grows
    /// with what is in use, not with the arena's capacity.
    virtual std::vector<std::byte> save_ledger() const = 0;
    virtual void restore_ledger(const std::vector<std::byte>& saved) = 0;
    virtual bool ledger_intact() const = 0;  ///< the arena's checksums are right
};

}  // namespace vram::runtime

/// The only symbol besides the CUDA runtime's own that the library exports.
extern "C" vram::runtime::Session* vram_claim_session();
