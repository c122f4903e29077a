// Measures contestants on traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grader/bench/pool/contestants.h"

namespace vram::bench {

struct Measurement {
    std::string trace;
    std::string contestant;
    double median_nanoseconds = 0;  ///< a pair of one allocation and one free, driver included
    double least_nanoseconds = 0;
    double driver_nanoseconds = 0;  ///< of the median run's pair, spent in the CUDA runtime
    /// Peak live bytes by peak reserved bytes, in percent. For a pool with a limit the reservation
    /// is the smallest that serves the whole trace, found to a thousandth; otherwise what the
    /// allocator came to reserve.
    double utilisation = 0;
    double utilisation_growing = 0;  ///< the same for what it came to reserve when free to grow
    std::uint64_t backing_allocations = 0;
    std::size_t refused = 0;
};

struct MeasurementOptions {
    int repetitions = 7;
    bool find_smallest_reservation = true;
};

/// `traces` are variants of one kind of trace (seeds); times and utilisations are medians over
/// repetitions and means over variants. The contestants take turns.
std::vector<Measurement> measure(const std::vector<Trace>& traces,
                                 const std::vector<std::unique_ptr<Contestant>>& contestants,
                                 const MeasurementOptions& options);

/// The smallest reservation in which the contestant serves the trace, to a thousandth of the
/// trace's peak; 0 when four times the peak does not suffice.
std::size_t smallest_reservation(const Trace& trace, const Contestant& contestant);

}  // namespace vram::bench
