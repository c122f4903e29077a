#include "grader/bench/pool/measurement.h"

#include <algorithm>

#include "grader/bench/pool/backing.h"

namespace vram::bench {
namespace {

struct Sample {
    double nanoseconds = 0;
    double driver_nanoseconds = 0;
};

Sample median(std::vector<Sample> samples) {
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.nanoseconds < b.nanoseconds; });
    return samples[samples.size() / 2];
}

double least(const std::vector<Sample>& samples) {
    double result = samples.front().nanoseconds;
    for (const Sample& sample : samples) {
        result = std::min(result, sample.nanoseconds);
    }
    return result;
}

double percent(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void add_variant(const Trace& trace, const std::vector<std::unique_ptr<Contestant>>& contestants,
                 const MeasurementOptions& options, double weight,
                 std::vector<Measurement>& results) {
    std::vector<std::vector<Sample>> samples(contestants.size());
    for (int repetition = 0; repetition < options.repetitions; ++repetition) {
        for (std::size_t index = 0; index < contestants.size(); ++index) {
            const Replay run = contestants[index]->run(trace);
            const BackingFigures& backing = backing_figures();
            samples[index].push_back(
                {run.nanoseconds_per_pair,
                 percent(backing.nanoseconds, 100 * std::max<std::size_t>(1, trace.pairs))});
            if (repetition > 0) {
                continue;
            }
            Measurement& result = results[index];
            const double used =
                percent(trace.most_live_bytes, contestants[index]->peak_reserved_bytes());
            result.utilisation_growing += weight * used;
            result.backing_allocations += backing.allocations;
            result.refused += run.refused;
            result.utilisation +=
                weight * (options.find_smallest_reservation && contestants[index]->has_limit()
                              ? percent(trace.most_live_bytes,
                                        smallest_reservation(trace, *contestants[index]))
                              : used);
        }
    }
    for (std::size_t index = 0; index < contestants.size(); ++index) {
        const Sample middle = median(samples[index]);
        results[index].median_nanoseconds += weight * middle.nanoseconds;
        results[index].driver_nanoseconds += weight * middle.driver_nanoseconds;
        results[index].least_nanoseconds += weight * least(samples[index]);
    }
}

}  // namespace

std::vector<Measurement> measure(const std::vector<Trace>& traces,
                                 const std::vector<std::unique_ptr<Contestant>>& contestants,
                                 const MeasurementOptions& options) {
    std::vector<Measurement> results(contestants.size());
    for (std::size_t index = 0; index < contestants.size(); ++index) {
        results[index].trace = traces.front().name;
        results[index].contestant = contestants[index]->name();
    }
    for (const Trace& trace : traces) {
        add_variant(trace, contestants, options, 1.0 / static_cast<double>(traces.size()), results);
    }
    return results;
}

std::size_t smallest_reservation(const Trace& trace, const Contestant& contestant) {
    constexpr std::size_t parts = 1000;
    const std::size_t step =
        std::max(pool_alignment, trace.most_live_bytes / parts / pool_alignment * pool_alignment);
    std::size_t too_small = (trace.most_live_bytes - 1) / step;
    std::size_t enough = too_small + 1;
    for (std::size_t stride = 1; !contestant.fits(trace, enough * step); stride *= 2) {
        too_small = enough;
        enough += stride;
        if (enough > 4 * parts + 4) {
            return 0;
        }
    }
    while (enough - too_small > 1) {
        const std::size_t middle = (enough + too_small) / 2;
        (contestant.fits(trace, middle * step) ? enough : too_small) = middle;
    }
    return enough * step;
}

}  // namespace vram::bench
