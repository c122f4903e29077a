#include "grader/runtime/runtime_state.h"

#include <pthread.h>

#include <new>

#include "grader/runtime/call_sites.h"
#include "grader/runtime/host_memory.h"

namespace vram::runtime {
namespace {

alignas(RuntimeState) char storage[sizeof(RuntimeState)];

void before_fork() {
    runtime_state().injector.mutex().lock();
    runtime_state().ledger.mutex().lock();
}

void release_locks() {
    runtime_state().ledger.mutex().unlock();
    runtime_state().injector.mutex().unlock();
}

void after_fork_in_child() {
    release_locks();
    open_host_memory_probe();
}

RuntimeState* make_state() {
    auto* state = new (storage) RuntimeState(open_arena());
    locate_program();
    open_host_memory_probe();
    pthread_atfork(before_fork, release_locks, after_fork_in_child);
    return state;
}

}  // namespace

RuntimeState& runtime_state() {
    static RuntimeState* state = make_state();
    return *state;
}

}  // namespace vram::runtime
