#include "grader/runtime/runtime_state.h"

#include <pthread.h>
#include <unistd.h>

#include <new>

#include "grader/runtime/call_sites.h"
#include "grader/runtime/host_memory.h"

namespace vram::runtime {
namespace {

pid_t process;

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
    process = getpid();
    release_locks();
    open_host_memory_probe();
}

RuntimeState* make_state() {
    auto* state = new (storage) RuntimeState(open_arena());
    process = getpid();
    locate_program();
    open_host_memory_probe();
    pthread_atfork(before_fork, release_locks, after_fork_in_child);
    return state;
}

}  // namespace

pid_t this_process() {
    return process;
}

RuntimeState& runtime_state() {
    static RuntimeState* state = make_state();
    return *state;
}

}  // namespace vram::runtime
