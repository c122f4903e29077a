#include "grader/timing/paired_measurement.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace vram::timing {

namespace {

/// The system call itself: a definition of clock_gettime in the learner's file changes nothing.
double kernel_clock() {
    timespec now{};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class PairedRunner {
  public:
    explicit PairedRunner(const PairedWork& work) : work_(work) {}

    /// Runs one pair; returns false when the learner's outputs were wrong.
    bool run_pair(PairedResult* result) {
        // The order alternates, so that whoever runs second gains nothing over many pairs.
        const bool learner_first = run_ % 2 == 1;
        double learner = 0;
        double reference = 0;
        if (learner_first) {
            learner = time(work_.learner);
        } else {
            reference = time(work_.reference);
        }
        const bool right_before = !learner_first || outputs_are_right();
        if (learner_first) {
            reference = time(work_.reference);
        } else {
            learner = time(work_.learner);
        }
        const bool right = right_before && (learner_first || outputs_are_right());
        ++run_;
        if (result != nullptr) {
            result->reference_nanoseconds.push_back(reference);
            result->learner_nanoseconds.push_back(learner);
        }
        return right;
    }

  private:
    double time(const std::function<void()>& part) {
        if (work_.prepare) {
            work_.prepare(run_);
        }
        wait();
        const double before = now();
        part();
        wait();
        return now() - before;
    }

    bool outputs_are_right() const {
        return !work_.outputs_are_right || work_.outputs_are_right(run_);
    }
    void wait() const {
        if (work_.wait_for_everything) {
            work_.wait_for_everything();
        }
    }
    double now() const { return work_.now ? work_.now() : kernel_clock(); }

    const PairedWork& work_;
    int run_ = 0;
};

std::vector<double> ratios_of(const PairedResult& result) {
    std::vector<double> ratios;
    for (std::size_t pair = 0; pair < result.learner_nanoseconds.size(); ++pair) {
        ratios.push_back(result.learner_nanoseconds[pair] /
                         std::max(result.reference_nanoseconds[pair], 1.0));
    }
    return ratios;
}

Comparison decide(const RatioInterval& ratio, double bound) {
    if (ratio.upper <= bound) {
        return Comparison::within_bound;
    }
    return ratio.lower > bound ? Comparison::beyond_bound : Comparison::inconclusive;
}

std::string spread(std::vector<double> nanoseconds) {
    if (nanoseconds.empty()) {
        return "no samples";
    }
    std::sort(nanoseconds.begin(), nanoseconds.end());
    const auto at = [&](double quantile) {
        return nanoseconds[static_cast<std::size_t>(quantile * (nanoseconds.size() - 1))] / 1000;
    };
    char text[96];
    std::snprintf(text, sizeof text, "%.1f / %.1f / %.1f us", at(0.1), at(0.5), at(0.9));
    return text;
}

}  // namespace

std::string PairedResult::summary() const {
    char ratio_text[96];
    std::snprintf(ratio_text, sizeof ratio_text, "ratio %.2f (between %.2f and %.2f)", ratio.median,
                  ratio.lower, ratio.upper);
    return std::string(ratio_text) + "; p10 / median / p90: yours " + spread(learner_nanoseconds) +
           ", reference " + spread(reference_nanoseconds) + ", " +
           std::to_string(learner_nanoseconds.size()) + " pairs";
}

PairedResult compare(const PairedWork& work, double bound, const PairedOptions& options) {
    PairedRunner runner(work);
    PairedResult result;
    for (int pair = 0; pair < options.warm_up_pairs; ++pair) {
        if (!runner.run_pair(nullptr)) {
            result.comparison = Comparison::outputs_wrong;
            return result;
        }
    }
    for (int pairs : {options.first_pairs, options.second_pairs}) {
        // The second stage starts afresh: adding to samples that were looked at already would make
        // the error larger than promised.
        result.reference_nanoseconds.clear();
        result.learner_nanoseconds.clear();
        for (int pair = 0; pair < pairs; ++pair) {
            if (!runner.run_pair(&result)) {
                result.comparison = Comparison::outputs_wrong;
                return result;
            }
        }
        result.ratio = median_interval(ratios_of(result), options.one_sided_error);
        result.comparison = decide(result.ratio, bound);
        if (result.comparison != Comparison::inconclusive) {
            break;
        }
    }
    return result;
}

}  // namespace vram::timing
