#include "grader/runtime/thread_state.h"

#include <pthread.h>

#include <atomic>

#include "grader/runtime/fault_handler.h"

namespace vram::runtime {
namespace {

// The initial-exec model costs one instruction; the library is always loaded at program start.
__attribute__((tls_model("initial-exec"))) thread_local constinit ThreadState state;

std::atomic<std::uint32_t> threads_seen;

std::uintptr_t find_stack_end() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return 0;
    }
    void* lowest = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(lowest) + bytes;
}

}  // namespace

ThreadState& this_thread() {
    if (__builtin_expect(state.number == 0, false)) {
        state.number = ++threads_seen;
        state.stack_end = find_stack_end();
        use_alternate_signal_stack();
    }
    return state;
}

ThreadState& this_thread_as_is() {
    return state;
}

}  // namespace vram::runtime
