// A confidence interval for the median of ratios that assumes nothing about how times are
// distributed.
#pragma once

#include <vector>

namespace vram::timing {

struct RatioInterval {
    double lower = 0;
    double median = 0;
    double upper = 0;
};

/// The smallest number of samples for which an interval with this error exists.
int fewest_samples(double one_sided_error);

/// `ratios`: at least fewest_samples(one_sided_error) of them, in any order. The interval is made
/// of order statistics: the true median lies below `lower` with a probability of at most
/// `one_sided_error`, and above `upper` likewise, because each sample lies below the median with
/// probability one half, whatever the distribution (sign test).
RatioInterval median_interval(std::vector<double> ratios, double one_sided_error);

}  // namespace vram::timing
