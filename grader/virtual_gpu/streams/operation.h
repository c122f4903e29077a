// One piece of work in a stream, and what it turned out to touch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grader/virtual_gpu/observer.h"
#include "grader/virtual_gpu/streams/vector_clock.h"

namespace vram::virtual_gpu {

enum class AccessMode : std::uint8_t {
    read,
    write,
    atomic,    ///< read-modify-write that other atomics may overlap
    allocate,  ///< the block comes to life, in stream order
    release,   ///< the block is given back, in stream order
};

/// Bytes [begin, end) of device or page-locked memory.
struct Access {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    AccessMode mode = AccessMode::read;
};

/// Who did it, as reports name it.
struct Origin {
    CallNumber call = 0;
    std::string what;  ///< "kernel scale", "cudaMemcpyAsync"
};

/// What executing an operation came to.
struct Execution {
    std::uint64_t nanoseconds = 0;  ///< virtual time on the device
    int error = 0;                  ///< cudaError_t; it becomes the sticky error of the card
    std::vector<Access> accesses;
};

class Stream;

struct Dependency {
    std::shared_ptr<Stream> stream;
    std::uint64_t tick = 0;
};

struct Operation {
    std::shared_ptr<const Origin> origin;
    std::function<Execution()> execute;
    /// Runs without the lock of the card, since it may wait for other threads of the program.
    bool calls_host = false;
    /// The bytes are known before it runs (a kernel's are not).
    bool known_accesses = true;
    std::vector<Access> accesses;  ///< if known; execute() need not repeat them

    // Filled in when it is enqueued.
    Epoch epoch;
    VectorClock clock;  ///< everything ordered before it, and itself
    std::vector<Dependency> dependencies;
    std::uint64_t enqueued_at = 0;  ///< virtual nanoseconds of the host
    std::uint64_t serial = 0;       ///< counts operations of the whole card
};

}  // namespace vram::virtual_gpu
