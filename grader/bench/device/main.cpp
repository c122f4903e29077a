// vram-bench-device: how fast the virtual GPU runs kernels. `vram bench device` runs it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "grader/bench/device/measurement.h"
#include "grader/bench/device/report.h"
#include "grader/bench/processor.h"

namespace vram::bench {
namespace {

constexpr const char* usage =
    R"(usage: vram bench device [option ...]

Runs kernels on the virtual GPU and reports how many lane-instructions (a warp instruction counts once
for each active lane) they execute a second on one core, what the access checks cost, what a second
core gains, and how long a launch takes. Figures of one core are of processor time, so that other
programs disturb them less; what a second core gains is of wall time and wants an idle machine.
Ends with status 1 when results or counters depend on the number of cores.

  --json FILE   write the figures as JSON as well
  --repeat N    launches of each kernel, of which the fastest counts (9)
)";

struct Options {
    std::string json_file;
    int repetitions = 9;
    bool help = false;
};

int number_from(const std::string& option, const std::string& text) {
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    constexpr long most = 100000;
    if (text.empty() || *end != '\0' || value < 1 || value > most) {
        throw std::runtime_error(option + " wants a number from 1 up, not \"" + text + "\"");
    }
    return static_cast<int>(value);
}

Options read_options(const std::vector<std::string>& words) {
    Options options;
    for (std::size_t index = 0; index < words.size(); ++index) {
        const std::string& option = words[index];
        const auto value = [&]() -> const std::string& {
            if (index + 1 == words.size()) {
                throw std::runtime_error(option + " wants a value");
            }
            return words[++index];
        };
        if (option == "--json") {
            options.json_file = value();
        } else if (option == "--repeat") {
            options.repetitions = number_from(option, value());
        } else if (option == "--help" || option == "-h") {
            options.help = true;
        } else {
            throw std::runtime_error("there is no option " + option);
        }
    }
    return options;
}

int run(const Options& options) {
    const DeviceRun one = run_with({1, true}, options.repetitions);
    const DeviceRun two = run_with({2, true}, options.repetitions);
    const DeviceRun unchecked = run_with({1, false}, options.repetitions);
    const DeviceFigures figures = figures_of(one, two, unchecked);
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    std::printf("%s, %d cores\n%s", processor_name().c_str(), processors, as_text(figures).c_str());
    if (!options.json_file.empty()) {
        std::ofstream out(options.json_file);
        out << as_json(figures, processor_name(), processors);
        out.close();
        if (!out) {
            throw std::runtime_error(options.json_file + " cannot be written");
        }
    }
    return consistent(figures) ? 0 : 1;
}

/// The runtime library chooses its device when it is loaded.
void start_on_the_virtual_gpu(char** words) {
    const char* device = std::getenv("VRAM_DEVICE");
    if (device != nullptr && std::strcmp(device, "virtual") == 0) {
        return;
    }
    setenv("VRAM_DEVICE", "virtual", 1);
    execv("/proc/self/exe", words);
    throw std::runtime_error("cannot start on the virtual GPU");
}

}  // namespace
}  // namespace vram::bench

int main(int count, char** words) {
    using namespace vram::bench;
    try {
        const Options options = read_options({words + 1, words + count});
        if (options.help) {
            std::fputs(usage, stdout);
            return 0;
        }
        start_on_the_virtual_gpu(words);
        return run(options);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "vram bench device: %s\n", problem.what());
        return 2;
    }
}
