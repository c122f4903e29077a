#include "grader/bench/pool/trace.h"

#include <algorithm>
#include <utility>

namespace vram::bench {

std::uint32_t TraceBuilder::allocate(std::size_t bytes) {
    std::uint32_t slot = trace_.slots;
    if (unused_slots_.empty()) {
        ++trace_.slots;
        bytes_of_slot_.push_back(bytes);
    } else {
        slot = unused_slots_.back();
        unused_slots_.pop_back();
        bytes_of_slot_[slot] = bytes;
    }
    trace_.operations.push_back({Operation::Kind::allocate, slot, bytes});
    ++live_blocks_;
    live_bytes_ += bytes;
    trace_.most_live_blocks = std::max(trace_.most_live_blocks, live_blocks_);
    trace_.most_live_bytes = std::max(trace_.most_live_bytes, live_bytes_);
    trace_.largest_request = std::max(trace_.largest_request, bytes);
    return slot;
}

void TraceBuilder::free(std::uint32_t slot) {
    trace_.operations.push_back({Operation::Kind::free, slot, 0});
    ++trace_.pairs;
    --live_blocks_;
    live_bytes_ -= std::exchange(bytes_of_slot_[slot], 0);
    unused_slots_.push_back(slot);
}

Trace TraceBuilder::finish() {
    for (std::uint32_t slot = 0; slot < trace_.slots; ++slot) {
        if (bytes_of_slot_[slot] != 0) {
            free(slot);
        }
    }
    return finish_as_it_is();
}

Trace TraceBuilder::finish_as_it_is() {
    return std::move(trace_);
}

}  // namespace vram::bench
