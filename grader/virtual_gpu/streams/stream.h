// A queue of work that is done in order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "grader/virtual_gpu/streams/operation.h"

namespace vram::virtual_gpu {

class Stream {
  public:
    enum class Kind : std::uint8_t {
        legacy,        ///< the default stream that waits for all blocking streams, and they for it
        per_thread,    ///< the default stream of one thread; blocking
        blocking,      ///< made by cudaStreamCreate
        non_blocking,  ///< made with cudaStreamNonBlocking: unordered with the legacy stream
    };

    Stream(Kind kind, std::uint32_t timeline, std::uint64_t first_tick, std::uint64_t id)
        : kind(kind), timeline(timeline), last_tick(first_tick), done_tick(first_tick), id(id) {}

    bool idle() const { return done_tick == last_tick; }
    bool ordered_with_legacy() const { return kind != Kind::non_blocking; }

    const Kind kind;
    const std::uint32_t timeline;
    std::uint64_t last_tick;  ///< of the work enqueued last
    std::uint64_t done_tick;  ///< of the work done last
    const std::uint64_t id;   ///< unique in the process, never reused
    std::uint64_t handle = 0;
    unsigned flags = 0;
    int priority = 0;
    bool destroyed = false;
    bool running = false;       ///< some thread executes its front operation now
    VectorClock clock;          ///< of the work enqueued last
    std::uint64_t free_at = 0;  ///< virtual nanoseconds at which the work done last ended
    std::deque<Operation> pending;
};

}  // namespace vram::virtual_gpu
