// vram-bench-pool: how pools do on traces. `vram bench pool` runs it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/bench/pool/backing.h"
#include "grader/bench/pool/contestants.h"
#include "grader/bench/pool/generators.h"
#include "grader/bench/pool/measurement.h"
#include "grader/bench/pool/padding.h"
#include "grader/bench/pool/places.h"
#include "grader/bench/pool/report.h"
#include "grader/bench/pool/rmm_log.h"
#include "grader/bench/pool/submission.h"
#include "grader/bench/processor.h"

namespace vram::bench {
namespace {

constexpr const char* usage =
    R"(usage: vram bench pool [option ...]

Plays traces of allocations and frees against pools, and reports the time of a pair (one allocation,
one free) and how well the memory is used. Without --gpu the device is a pretended one: times are the
allocator's own book-keeping.

  --trace FILE        a program's own trace, a log of RMM: Thread,Time,Action,Pointer,Size,Stream
  --submission DIR    judge DIR/pool.cu too (or DIR/13-pool/pool.cu)
  --csv FILE          write the figures as CSV as well
  --json FILE         write the figures as JSON as well
  --gpu               call the CUDA runtime, and compare with cudaMalloc and cudaMallocAsync
  --live N            blocks live at the busiest moment of a generated trace (2000)
  --operations N      length of a generated trace (100000)
  --repeat N          runs of each, of which the median counts (7)
  --seeds N           variants of each generated trace, of which the mean counts (3)
  --only-times        leave out the search for the smallest reservation
  --padding           no pools: what it costs to round the sizes of a trace up
)";

struct Options {
    std::string trace_file;
    std::string submission;
    std::string csv_file;
    std::string json_file;
    bool gpu = false;
    bool padding = false;
    TraceSize size;
    std::size_t seeds = 3;
    MeasurementOptions measurement;
    bool help = false;
};

std::size_t number_from(const std::string& option, const std::string& text) {
    std::size_t used = 0;
    std::size_t value = 0;
    try {
        value = std::stoul(text, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != text.size() || value == 0 || text.front() == '-') {
        throw std::runtime_error(option + " wants a number from 1 up, not \"" + text + "\"");
    }
    return value;
}

Options read_options(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        const std::string& option = arguments[index];
        const auto value = [&]() -> const std::string& {
            if (index + 1 == arguments.size()) {
                throw std::runtime_error(option + " wants a value");
            }
            return arguments[++index];
        };
        if (option == "--trace") {
            options.trace_file = value();
        } else if (option == "--submission") {
            options.submission = value();
        } else if (option == "--csv") {
            options.csv_file = value();
        } else if (option == "--json") {
            options.json_file = value();
        } else if (option == "--gpu") {
            options.gpu = true;
        } else if (option == "--live") {
            options.size.live_blocks = number_from(option, value());
        } else if (option == "--operations") {
            options.size.operations = number_from(option, value());
        } else if (option == "--repeat") {
            options.measurement.repetitions = static_cast<int>(number_from(option, value()));
        } else if (option == "--seeds") {
            options.seeds = number_from(option, value());
        } else if (option == "--padding") {
            options.padding = true;
        } else if (option == "--only-times") {
            options.measurement.find_smallest_reservation = false;
        } else if (option == "--help" || option == "-h") {
            options.help = true;
        } else {
            throw std::runtime_error("there is no option " + option);
        }
    }
    return options;
}

constexpr const char* legend = R"(
ns/pair      one allocation and one free: the median of the runs; least: the fastest run
driver       the part of it that was spent in the CUDA runtime
utilisation  bytes live at the busiest moment, as a share of the smallest reservation that serves the
             whole trace; growing: of what the allocator came to reserve when free to grow
refused      requests that got nothing
)";

/// Variants of one kind of trace.
using Variants = std::vector<Trace>;

Variants trace_from_file(const std::string& file) {
    std::ifstream text(file);
    if (!text || std::filesystem::is_directory(file)) {
        throw std::runtime_error(file + " cannot be read");
    }
    RmmLog log = read_rmm_log(text, "log");
    if (!log.errors.empty()) {
        std::string words = file + " is no log that can be played:";
        constexpr std::size_t most_shown = 10;
        for (std::size_t index = 0; index < log.errors.size() && index < most_shown; ++index) {
            words += "\n  " + log.errors[index];
        }
        if (log.errors.size() > most_shown) {
            words += "\n  and " + std::to_string(log.errors.size() - most_shown) + " more";
        }
        throw std::runtime_error(words);
    }
    if (log.trace.operations.empty()) {
        throw std::runtime_error(file + " holds no allocation");
    }
    std::printf("%s: %zu operations, at most %zu blocks and %s live", file.c_str(),
                log.trace.operations.size(), log.trace.most_live_blocks,
                bytes_text(log.trace.most_live_bytes).c_str());
    std::printf(log.failures == 0 ? "\n\n" : "; %zu allocations failed there and are left out\n\n",
                log.failures);
    return {std::move(log.trace)};
}

std::vector<Variants> generated_traces(const Options& options) {
    std::vector<Variants> kinds;
    for (std::size_t variant = 0; variant < options.seeds; ++variant) {
        TraceSize size = options.size;
        size.seed = variant + 1;
        std::vector<Trace> traces = general_traces(size);
        traces.push_back(hot_pair(size));
        kinds.resize(traces.size());
        for (std::size_t kind = 0; kind < traces.size(); ++kind) {
            kinds[kind].push_back(std::move(traces[kind]));
        }
    }
    return kinds;
}

void write_file(const std::string& file, const std::string& text) {
    if (file.empty()) {
        return;
    }
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) {
        throw std::runtime_error(file + " cannot be written");
    }
}

/// False, with the first operation that went wrong on standard output, when the pool is no pool.
bool judge_validity(const std::vector<Variants>& kinds, const PoolFunctions& functions) {
    for (const Variants& variants : kinds) {
        const std::vector<std::string> wrong = first_wrong_operation(variants.front(), functions);
        if (wrong.empty()) {
            continue;
        }
        std::printf("The submitted pool goes wrong on the trace \"%s\":\n",
                    variants.front().name.c_str());
        for (const std::string& line : wrong) {
            std::printf("  %s\n", line.c_str());
        }
        return false;
    }
    return true;
}

/// The first variant of each trace: the others differ in nothing that matters here.
void report_padding(const std::vector<Variants>& kinds, const std::string& csv_file) {
    std::vector<Padding> rows;
    for (const Variants& variants : kinds) {
        for (const SizeClasses& classes : usual_size_classes()) {
            rows.push_back(measure_padding(variants.front(), classes));
        }
    }
    std::printf("%s", padding_as_text(rows).c_str());
    write_file(csv_file, padding_as_csv(rows));
}

/// It can take minutes, so somebody who waits is told how far it is.
void say_what_is_measured(const std::string& trace) {
    if (isatty(STDERR_FILENO) != 0) {
        std::fprintf(stderr, "measuring the trace \"%s\" ...\n", trace.c_str());
    }
}

int run(const Options& options) {
    std::vector<Variants> kinds;
    if (options.trace_file.empty()) {
        kinds = generated_traces(options);
    } else {
        kinds.push_back(trace_from_file(options.trace_file));
    }

    if (options.padding) {
        report_padding(kinds, options.csv_file);
        return 0;
    }

    std::vector<std::unique_ptr<Contestant>> contestants;
    std::optional<SubmittedPool> submitted;
    if (!options.submission.empty()) {
        submitted.emplace(options.submission);
        const PoolFunctions functions = load_pool(submitted->library());
        if (!judge_validity(kinds, functions)) {
            return 1;
        }
        contestants.push_back(pool_contestant("submission", functions));
    }
    contestants.push_back(pool_contestant("reference", load_pool(reference_pool)));
    contestants.push_back(pool_contestant("best fit", load_pool(best_fit_pool)));
    contestants.push_back(cub_contestant());

    MeasurementOptions how = options.measurement;
    if (options.gpu) {
        const std::string why_not = use_cuda_runtime(cuda_runtime);
        if (!why_not.empty()) {
            throw std::runtime_error("no GPU to measure on: " + why_not);
        }
        contestants.push_back(stream_ordered_contestant());
        contestants.push_back(runtime_contestant());
        how.find_smallest_reservation = false;
    }
    std::vector<Measurement> measurements;
    for (const Variants& variants : kinds) {
        say_what_is_measured(variants.front().name);
        for (Measurement& row : measure(variants, contestants, how)) {
            measurements.push_back(std::move(row));
        }
    }
    std::printf("%s\n%s%s", processor_name().c_str(), as_text(measurements).c_str(), legend);
    write_file(options.csv_file, as_csv(measurements));
    write_file(options.json_file, as_json(measurements, processor_name()));
    return 0;
}

}  // namespace
}  // namespace vram::bench

int main(int argument_count, char** arguments) {
    try {
        const auto options = vram::bench::read_options({arguments + 1, arguments + argument_count});
        if (options.help) {
            std::fputs(vram::bench::usage, stdout);
            return 0;
        }
        return vram::bench::run(options);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "vram bench pool: %s\n", problem.what());
        return 2;
    }
}
