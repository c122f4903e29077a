// How the runtime calls of the virtual GPU are defined.
//
// The runtime library finds each call as a C function named vram_virtual_<call>, with the C
// signature of the call, and answers those that are missing with cudaErrorNotSupported.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>

#include "grader/virtual_gpu/card.h"
#include "grader/virtual_gpu/clock/cost_table.h"

#define VRAM_HIDDEN __attribute__((visibility("hidden")))

/// Defines the virtual side of a call that the toolkit's header declares; the compiler checks that
/// the signatures agree.
#define VIRTUAL_CALL(result, name, ...)                          \
    extern "C" VRAM_HIDDEN decltype(::name) vram_virtual_##name; \
    extern "C" VRAM_HIDDEN result vram_virtual_##name(__VA_ARGS__)

/// The same for exports that no header declares.
#define VIRTUAL_HIDDEN_CALL(result, name, ...)                      \
    extern "C" VRAM_HIDDEN result vram_virtual_##name(__VA_ARGS__); \
    extern "C" VRAM_HIDDEN result vram_virtual_##name(__VA_ARGS__)

/// A call that exists twice, for programs whose default stream is the legacy one and for those
/// built with a default stream per thread. `suffix` is _ptsz or _ptds; `parameters` and `arguments`
/// stand in parentheses.
#define VIRTUAL_STREAM_CALL(name, suffix, parameters, arguments)                \
    static cudaError_t name##_either parameters;                                \
    extern "C" VRAM_HIDDEN decltype(::name) vram_virtual_##name;                \
    extern "C" VRAM_HIDDEN cudaError_t vram_virtual_##name parameters {         \
        return name##_either arguments;                                         \
    }                                                                           \
    extern "C" VRAM_HIDDEN cudaError_t vram_virtual_##name##suffix parameters;  \
    extern "C" VRAM_HIDDEN cudaError_t vram_virtual_##name##suffix parameters { \
        const ::vram::virtual_gpu::PerThreadDefault per_thread;                 \
        return name##_either arguments;                                         \
    }                                                                           \
    static cudaError_t name##_either parameters

namespace vram::virtual_gpu {

/// While one exists on this thread, stream 0 is the default stream of the thread.
class PerThreadDefault {
  public:
    PerThreadDefault();
    ~PerThreadDefault();
};

/// Entering a runtime call: takes the lock of the card and says whether the call may go on.
class CallScope {
  public:
    /// Adds `nanoseconds` of virtual time to the host.
    explicit CallScope(std::uint64_t nanoseconds = cost::small_call);

    /// 0, or what the call has to return: a sticky error, or not permitted here. As measured, wrong
    /// arguments that the runtime sees by itself come before it.
    cudaError_t refused() const { return refused_; }
    /// The same for calls that a sticky error does not touch.
    cudaError_t refused_outright() const { return refused_outright_; }
    Card& card() { return card_; }

  private:
    std::unique_lock<std::mutex> lock_;
    Card& card_;
    cudaError_t refused_outright_ = cudaSuccess;
    cudaError_t refused_ = cudaSuccess;
};

/// The stream of a handle, the default streams included; nullptr for a handle that is not alive.
std::shared_ptr<Stream> stream_of(Card& card, cudaStream_t handle);
/// Who makes the call now.
std::shared_ptr<const Origin> origin_of(const char* call);
/// The sticky error if there is one, else success: for the end of calls that ran work.
cudaError_t outcome(const Card& card);
/// Leaves in an out-parameter what a failed allocation leaves there.
void fail_pointer(Card& card, void** out);

}  // namespace vram::virtual_gpu
