// Traces as programs of different kinds make them. The same seed and sizes give the same trace on
// every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grader/bench/pool/trace.h"

namespace vram::bench {

struct TraceSize {
    std::size_t live_blocks = 2000;    ///< about so many at the busiest moment
    std::size_t operations = 100'000;  ///< about so many; a whole step or batch is finished
    std::uint64_t seed = 1;
};

/// Steps of training a transformer: weights stay, activations pile up in the forward pass and go in
/// reverse order in the backward pass, and the sequence length differs from step to step.
Trace training_steps(const TraceSize& size);

/// An inference server: requests come and go, and the key-value cache of each grows by moving into
/// a larger block.
Trace growing_caches(const TraceSize& size);

/// Batch N+1 is loaded while batch N is still in use; a batch's buffers differ a little in size
/// from the last one's and go in any order.
Trace next_batches(const TraceSize& size);

/// Columns of an ETL job: sizes log-uniform from 256 bytes to 4 MiB, lifetimes at random.
Trace etl_columns(const TraceSize& size);

/// Made to break pools: rows of small and large blocks of which every other one goes, then requests
/// a little larger than the holes.
Trace combs(const TraceSize& size);

/// The classic of pool benchmarks: uniform from 1 to 64 MiB, lifetimes at random.
Trace uniform_mix(const TraceSize& size);

/// One size, allocated and freed again at once, with other blocks around it.
Trace hot_pair(const TraceSize& size);

/// All of the above but the hot pair.
std::vector<Trace> general_traces(const TraceSize& size);

}  // namespace vram::bench
