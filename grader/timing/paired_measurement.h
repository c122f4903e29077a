// Compares a learner's work with the reference on the machine at hand, as a ratio, never as a time.
//
// Pairs of (reference, learner) run alternately in one process after a warm-up. Everything is
// synchronised before a clock is read. A verdict is given only if the whole confidence interval of
// the median ratio lies on one side of the bound; otherwise once more with more samples; otherwise
// the comparison is inconclusive.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/timing/ratio_interval.h"

namespace vram::timing {

/// What is compared. Every function but `reference` and `learner` runs outside the clock.
struct PairedWork {
    /// Fresh inputs before each of the two, so that nothing can be kept from an earlier run.
    /// Called with the number of the run.
    std::function<void(int)> prepare;
    std::function<void()> reference;
    std::function<void()> learner;
    /// Checks the learner's outputs of the run just timed; false ends the comparison as wrong.
    std::function<bool(int)> outputs_are_right;
    /// Waits until all work on the device is done, on every stream.
    std::function<void()> wait_for_everything;
    /// Nanoseconds; empty: a monotonic clock read by a system call, which no library can replace.
    std::function<double()> now;
};

struct PairedOptions {
    int warm_up_pairs = 5;
    int first_pairs = 41;
    int second_pairs = 121;
    /// For each of the two stages and each side. Both stages together: a false verdict in fewer
    /// than one of 10,000 comparisons.
    double one_sided_error = 4e-5;
};

enum class Comparison { within_bound, beyond_bound, inconclusive, outputs_wrong };

struct PairedResult {
    Comparison comparison = Comparison::inconclusive;
    RatioInterval ratio;
    std::vector<double> reference_nanoseconds;
    std::vector<double> learner_nanoseconds;
    /// Both distributions in one line, for the report.
    std::string summary() const;
};

/// `bound`: the largest ratio learner / reference that passes, for example 1.5.
PairedResult compare(const PairedWork& work, double bound, const PairedOptions& options = {});

}  // namespace vram::timing
