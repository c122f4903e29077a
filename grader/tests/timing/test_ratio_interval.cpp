#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "grader/timing/ratio_interval.h"

namespace {

using vram::timing::fewest_samples;
using vram::timing::median_interval;

TEST(RatioInterval, OfSixSamplesAtOneSixtyFourthIsTheWholeRange) {
    // P(all six above the median) = 1/64.
    EXPECT_EQ(fewest_samples(1.0 / 64), 6);
    const auto interval = median_interval({6, 1, 5, 2, 4, 3}, 1.0 / 64);
    EXPECT_EQ(interval.lower, 1);
    EXPECT_EQ(interval.upper, 6);
    EXPECT_EQ(interval.median, 3.5);
}

TEST(RatioInterval, RanksFollowTheBinomialDistribution) {
    // P(at most 2 of 10 below the median) = 56/1024, P(at most 1) = 11/1024.
    const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    EXPECT_EQ(median_interval(samples, 56.0 / 1024).lower, 3);
    EXPECT_EQ(median_interval(samples, 55.0 / 1024).lower, 2);
    EXPECT_EQ(median_interval(samples, 55.0 / 1024).upper, 9);
}

TEST(RatioInterval, TooFewSamplesAreRefused) {
    EXPECT_THROW(median_interval({1, 2, 3}, 1e-4), std::invalid_argument);
}

TEST(RatioInterval, MissesTheMedianNoMoreOftenThanPromised) {
    // A skewed distribution with heavy tails, whose median is known: exp of a normal one.
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> time(0.0, 1.5);
    const double error = 0.01;
    const int trials = 20000;
    int missed_below = 0;
    int missed_above = 0;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> samples(41);
        for (double& sample : samples) {
            sample = time(random);
        }
        const auto interval = median_interval(samples, error);
        missed_below += interval.upper < 1.0 ? 1 : 0;
        missed_above += interval.lower > 1.0 ? 1 : 0;
    }
    EXPECT_LE(missed_below, trials * error);
    EXPECT_LE(missed_above, trials * error);
    EXPECT_GT(missed_below + missed_above, 0) << "the interval is far wider than promised";
}

}  // namespace
