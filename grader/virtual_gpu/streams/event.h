// A mark in a stream, to wait for and to measure time with.
#pragma once

#include <cstdint>
#include <memory>

#include "grader/virtual_gpu/streams/stream.h"

namespace vram::virtual_gpu {

struct Event {
    std::uint64_t handle = 0;
    unsigned flags = 0;
    bool recorded = false;
    std::shared_ptr<Stream> stream;  ///< where it was recorded last
    std::uint64_t tick = 0;          ///< of the mark in that stream
    VectorClock clock;               ///< what the mark is ordered after
    std::uint64_t nanoseconds = 0;   ///< virtual time of the mark, once reached

    bool reached() const { return !recorded || stream->done_tick >= tick; }
};

}  // namespace vram::virtual_gpu
