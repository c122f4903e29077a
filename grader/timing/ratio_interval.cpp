#include "grader/timing/ratio_interval.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace vram::timing {

namespace {

/// The largest rank (from 1) whose order statistic exceeds the median with a probability of at most
/// `error`; 0 when even the smallest sample does so too often.
int safe_rank(int samples, double error) {
    double term = std::pow(0.5, samples);  // P(exactly 0 samples below the median)
    double below = 0;
    int rank = 0;
    while (below + term <= error) {
        below += term;
        ++rank;
        term *= static_cast<double>(samples - rank + 1) / rank;
    }
    return rank;
}

}  // namespace

int fewest_samples(double one_sided_error) {
    int samples = 1;
    while (safe_rank(samples, one_sided_error) == 0) {
        ++samples;
    }
    return samples;
}

RatioInterval median_interval(std::vector<double> ratios, double one_sided_error) {
    const int samples = static_cast<int>(ratios.size());
    const int rank = safe_rank(samples, one_sided_error);
    if (rank == 0) {
        throw std::invalid_argument("too few samples for this error");
    }
    std::sort(ratios.begin(), ratios.end());
    RatioInterval interval;
    interval.lower = ratios[rank - 1];
    interval.upper = ratios[samples - rank];
    interval.median = (ratios[(samples - 1) / 2] + ratios[samples / 2]) / 2;
    return interval;
}

}  // namespace vram::timing
