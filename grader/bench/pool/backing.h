// The device behind the pools that are measured.
//
// This program exports the runtime calls that a pool needs, so that a pool loaded from a file calls
// these. They lead to a pretend device, which hands out addresses and counts and costs next to
// nothing: what is left is the pool's own book-keeping. With a GPU they can lead to the CUDA
// runtime instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "grader/bench/pool/live_map.h"

namespace vram::bench {

struct BackingFigures {
    std::uint64_t allocations = 0;  ///< cudaMalloc and cudaMallocAsync
    std::uint64_t frees = 0;
    std::uint64_t other_calls = 0;  ///< events and the like
    std::size_t reserved_bytes = 0;
    std::size_t peak_reserved_bytes = 0;
    std::uint64_t nanoseconds = 0;  ///< spent in the CUDA runtime; 0 on the pretend device
};

/// What was called since the last reset.
const BackingFigures& backing_figures();
/// Starts counting anew; memory still held counts on.
void reset_backing_figures();

/// The live allocation that `address` lies in.
std::optional<Stretch> allocation_around(const void* address);

/// Leads the calls to the CUDA runtime at `library` from now on. Returns why it can't, or "".
std::string use_cuda_runtime(const std::string& library);
void use_pretend_device();

}  // namespace vram::bench
