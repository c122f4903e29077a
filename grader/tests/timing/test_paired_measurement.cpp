#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "grader/timing/paired_measurement.h"

namespace {

using vram::timing::compare;
using vram::timing::Comparison;
using vram::timing::PairedOptions;
using vram::timing::PairedWork;

/// A machine whose time is made of a cost and of noise, so that verdicts can be simulated by the
/// thousand. Noise multiplies; now and then something else runs and a sample takes far longer.
class SyntheticMachine {
  public:
    SyntheticMachine(std::uint64_t seed, double learner_cost, double noise, double disturbance)
        : random_(seed), learner_cost_(learner_cost), noise_(0.0, noise), disturbed_(disturbance) {}

    PairedWork work() {
        PairedWork work;
        work.reference = [this] { spend(1000); };
        work.learner = [this] { spend(1000 * learner_cost_); };
        work.now = [this] { return now_; };
        return work;
    }

  private:
    void spend(double nanoseconds) {
        now_ += nanoseconds * std::exp(noise_(random_)) * (disturbed_(random_) ? 8 : 1);
    }

    std::mt19937_64 random_;
    double learner_cost_;
    std::normal_distribution<double> noise_;
    std::bernoulli_distribution disturbed_;
    double now_ = 0;
};

constexpr double bound = 1.5;

int count(Comparison wanted, double learner_cost, int trials, std::uint64_t seed) {
    int found = 0;
    for (int trial = 0; trial < trials; ++trial) {
        SyntheticMachine machine(seed + trial, learner_cost, 0.2, 0.05);
        found += compare(machine.work(), bound).comparison == wanted ? 1 : 0;
    }
    return found;
}

TEST(PairedMeasurement, WorkAsFastAsTheReferencePasses) {
    EXPECT_EQ(count(Comparison::within_bound, 1.0, 200, 1), 200);
}

TEST(PairedMeasurement, WorkTwiceAsSlowFails) {
    EXPECT_EQ(count(Comparison::beyond_bound, 2.0, 200, 2), 200);
}

TEST(PairedMeasurement, WorkExactlyAtTheBoundIsInconclusiveInsteadOfLuck) {
    // At the bound every verdict would be luck. 20,000 comparisons; fewer than 1 in 10,000 may
    // decide either way, which allows two here; seven are as good as impossible at the promised
    // rate.
    const int trials = 20000;
    const int inconclusive = count(Comparison::inconclusive, bound, trials, 3);
    EXPECT_GE(inconclusive, trials - 7);
}

TEST(PairedMeasurement, NoFalseVerdictIsGivenJustOffTheBound) {
    EXPECT_EQ(count(Comparison::beyond_bound, bound * 0.97, 10000, 4), 0);
    EXPECT_EQ(count(Comparison::within_bound, bound * 1.03, 10000, 5), 0);
}

TEST(PairedMeasurement, WrongOutputsEndTheComparison) {
    SyntheticMachine machine(6, 0.1, 0.1, 0);
    PairedWork work = machine.work();
    int run_of_wrong_output = -1;
    work.outputs_are_right = [&](int run) {
        run_of_wrong_output = run;
        return run < 20;  // cached outputs that are right only as long as the inputs stay the same
    };
    EXPECT_EQ(compare(work, bound).comparison, Comparison::outputs_wrong);
    EXPECT_EQ(run_of_wrong_output, 20);
}

TEST(PairedMeasurement, InputsAreFreshForEveryRunAndEverythingIsAwaited) {
    SyntheticMachine machine(7, 1.0, 0.1, 0);
    PairedWork work = machine.work();
    int prepared = 0;
    int waited = 0;
    int ran = 0;
    work.prepare = [&](int) { ++prepared; };
    work.wait_for_everything = [&] { ++waited; };
    const auto learner = work.learner;
    const auto reference = work.reference;
    work.learner = [&] { ++ran, learner(); };
    work.reference = [&] { ++ran, reference(); };
    PairedOptions options;
    compare(work, bound, options);
    EXPECT_EQ(ran, 2 * (options.warm_up_pairs + options.first_pairs));
    EXPECT_EQ(prepared, ran);
    EXPECT_EQ(waited, 2 * ran) << "before the first and before the second reading of the clock";
}

TEST(PairedMeasurement, DeferredWorkIsPaidForAtTheWait) {
    // A learner who only enqueues pays when everything is awaited, still inside the clock.
    double now = 0;
    bool pending = false;
    PairedWork work;
    work.now = [&] { return now; };
    work.reference = [&] { now += 1000; };
    work.learner = [&] { pending = true; };
    work.wait_for_everything = [&] {
        if (pending) {
            now += 5000;
        }
        pending = false;
    };
    EXPECT_EQ(compare(work, bound).comparison, Comparison::beyond_bound);
}

TEST(PairedMeasurement, TheSummaryShowsBothDistributionsInOneLine) {
    SyntheticMachine machine(8, 1.2, 0.0005, 0);
    const std::string summary = compare(machine.work(), bound).summary();
    EXPECT_NE(summary.find("ratio 1.20"), std::string::npos) << summary;
    EXPECT_NE(summary.find("yours"), std::string::npos);
    EXPECT_NE(summary.find("reference"), std::string::npos);
    EXPECT_EQ(summary.find('\n'), std::string::npos);
}

}  // namespace
