// A small compute service: it scales arrays on the GPU, all day, for whoever asks.
//
// Holds for all of them:
// - A status is always one code that the runtime returned, unchanged, or cudaErrorInvalidValue for an
//   argument that makes no sense (a null pointer where one is needed, a negative count, a floor of 0
//   or above what is wanted); arguments are checked before any runtime call. When several calls fail,
//   it is the code of the first one.
// - Zero elements are no error: nothing is launched, nothing is copied.
// - When a function returns cudaSuccess its work is done, and no error of its own making is left in
//   the runtime's last-error slot.
// - The slot may hold an error of somebody else when a function begins. That error is never reported
//   as this function's own; whether it is still there afterwards is not promised.
// - It is built twice: with NDEBUG for production (the release build), without it for the developers
//   (the debug build). Both keep every promise made here, and neither ends the process.
// - All work happens on the default stream. Nothing here has to be safe against two threads at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// --- 1. A check that says what failed -------------------------------------------------------------

/// Receives one line of text for each failure; the text is valid during the call only.
using Log = void (*)(const char* line);

/// Where failures are told from now on. Null (as at the start): nowhere.
void set_log(Log log);

/// One step of a job. Its status is its result, also when no runtime call failed in it.
using Step = cudaError_t (*)(void* job);

/// Runs the steps in order, each at most once, and stops at the first that does not return
/// cudaSuccess; returns its status. The failure is logged in one line that holds: the text of the
/// expression that runs the step as it stands in the source, the file and the line where it stands, and
/// the name and the description of the code (cudaGetErrorName, cudaGetErrorString). Success logs
/// nothing.
/// Write a macro for this; `steps[index](job)` inside it will do as the expression.
cudaError_t run_steps(const Step* steps, int count, void* job);

// --- 2. Two moments at which a launch can fail ----------------------------------------------------

/// When an error showed itself.
enum class Phase {
    none,       ///< there was none
    launch,     ///< the launch was refused, no thread ran
    execution,  ///< the kernel ran into a fault
};

struct LaunchResult {
    cudaError_t status;
    Phase phase;
};

/// data[i] *= factor for `count` elements of device memory, with a kernel launched in blocks of
/// `threads_per_block`, and waits for it. Any number of threads is handed to the launch as it is, so
/// the runtime can refuse it. A refused launch is logged in one line that holds the kernel's name
/// (scale), the configuration ("<<<4, 256>>>") and the error's name.
LaunchResult scale_on_device(float* data, int count, float factor, int threads_per_block);

// --- 3. Out of memory is not the end --------------------------------------------------------------

/// Allocates `wanted` bytes of device memory; while the runtime answers cudaErrorMemoryAllocation,
/// tries half of the last request (rounded down), and `floor` bytes last of all; never asks for less
/// than `floor`, nor twice for the same size. Then the out-of-memory code is returned. Any other error
/// is returned at once. `*out` and `*got` are the address and the bytes it has, or null and 0.
cudaError_t allocate_best_effort(void** out, std::size_t wanted, std::size_t floor,
                                 std::size_t* got);

// --- 4. What can be survived ----------------------------------------------------------------------

/// True for the codes of which the runtime's documentation says that the process has to be ended
/// before the device can be used again: illegal and misaligned address, address space, instruction
/// and program counter, hardware stack error, assert, launch failure and launch timeout.
bool is_sticky(cudaError_t code);

/// The service itself. A client sees an opaque handle.
struct Service;

/// Starts a service for requests of up to `most_elements` (1 or more). After a failure `*out` is null
/// and nothing stays allocated.
cudaError_t service_start(Service** out, int most_elements);

/// out[i] = in[i] * factor for `count` elements of host memory, with blocks of `threads_per_block`.
/// A count above `most_elements` is refused with cudaErrorInvalidValue.
/// - After an error that can be survived, the next request is handled as if nothing had happened.
/// - After a sticky error the service is dead: this request and every later one return that code, and
///   no later one makes a runtime call.
cudaError_t service_scale(Service* service, const float* in, float* out, int count, float factor,
                          int threads_per_block);

/// Releases everything and ends the service; null is no error. All releases are tried; the first
/// failing code is returned. A dead service is ended without a runtime call (its memory went with the
/// context), and the sticky code is returned.
cudaError_t service_stop(Service* service);
