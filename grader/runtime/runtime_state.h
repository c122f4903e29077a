// The one object that holds the library together. It is made before any constructor of the program
// runs and never destroyed, since destructors of the program may still make runtime calls.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "grader/runtime/injector.h"
#include "grader/runtime/ledger.h"

namespace vram::runtime {

/// A range of host memory that the harness knows the end of.
struct HostBuffer {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char name[64] = {};
};

constexpr std::size_t max_host_buffers = 1024;

struct RuntimeState {
    explicit RuntimeState(Arena& arena) : ledger(arena) {}

    Ledger ledger;
    Injector injector;
    std::atomic<bool> in_learner{true};
    std::atomic<bool> recording{true};
    /// A sticky error that the program has been told of; 0: none. The context is the process's.
    std::atomic<int> sticky_seen{0};
    std::atomic<CallNumber> sticky_seen_in{0};
    std::atomic<bool> sticky_reported{false};

    HostBuffer host_buffers[max_host_buffers];  ///< under the ledger's lock
    std::size_t host_buffer_count = 0;

    void forget_sticky() {
        sticky_seen = 0;
        sticky_reported = false;
    }
};

/// The id of this process, without a system call.
pid_t this_process();

/// Made on the first use.
RuntimeState& runtime_state();

}  // namespace vram::runtime
