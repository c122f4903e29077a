// Plays a trace against an allocator.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "grader/bench/pool/trace.h"

namespace vram::bench {

struct Replay {
    double nanoseconds_per_pair = 0;  ///< of one allocation and one free
    std::size_t refused = 0;          ///< allocations that gave null
};

/// `Allocator` has `void* allocate(std::size_t)`, null when it can't, and `void free(void*)`.
template <class Allocator>
Replay replay(const Trace& trace, Allocator& allocator) {
    std::vector<void*> blocks(trace.slots, nullptr);
    Replay result;
    const auto start = std::chrono::steady_clock::now();
    for (const Operation& operation : trace.operations) {
        void*& block = blocks[operation.slot];
        if (operation.kind == Operation::Kind::allocate) {
            block = allocator.allocate(operation.bytes);
            result.refused += block == nullptr;
        } else {
            allocator.free(block);
        }
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    if (trace.pairs != 0) {
        result.nanoseconds_per_pair = spent.count() / static_cast<double>(trace.pairs);
    }
    return result;
}

}  // namespace vram::bench
