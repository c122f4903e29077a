#include "grader/bench/device/report.h"

#include <algorithm>

#include "grader/bench/format.h"
#include "grader/json/json_text.h"

namespace vram::bench {
namespace {

const char* sameness(const KernelFigures& kernel) {
    if (!kernel.same_result) {
        return "another result";
    }
    return kernel.same_counters ? "the same" : "other counters";
}

}  // namespace

DeviceFigures figures_of(const DeviceRun& one_worker, const DeviceRun& two_workers,
                         const DeviceRun& unchecked) {
    DeviceFigures figures;
    figures.launch_microseconds = one_worker.launch.processor_seconds * 1e6;
    for (std::size_t i = 0; i < one_worker.kernels.size(); ++i) {
        const KernelRun& one = one_worker.kernels[i];
        const KernelRun& two = two_workers.kernels.at(i);
        KernelFigures kernel;
        kernel.name = one.name;
        kernel.lane_instructions_per_second =
            static_cast<double>(one.lane_instructions) / one.time.processor_seconds;
        kernel.checks_cost =
            one.time.processor_seconds / unchecked.kernels.at(i).time.processor_seconds;
        kernel.two_workers_speed = one.time.wall_seconds / two.time.wall_seconds;
        kernel.same_result = one.result == two.result;
        kernel.same_counters = one.counters == two.counters;
        figures.kernels.push_back(kernel);
    }
    return figures;
}

bool consistent(const DeviceFigures& figures) {
    return std::all_of(
        figures.kernels.begin(), figures.kernels.end(),
        [](const KernelFigures& kernel) { return kernel.same_result && kernel.same_counters; });
}

std::string as_text(const DeviceFigures& figures) {
    std::string text = format("%-22s %21s %12s %12s  %s\n", "kernel", "lane-instructions/s",
                              "checks cost", "two workers", "results and counters of two");
    for (const KernelFigures& kernel : figures.kernels) {
        text += format("%-22s %19.2fe9 %11.2fx %11.2fx  %s\n", kernel.name.c_str(),
                       kernel.lane_instructions_per_second / 1e9, kernel.checks_cost,
                       kernel.two_workers_speed, sameness(kernel));
    }
    return text + format("launch of an empty kernel: %.2f us\n", figures.launch_microseconds);
}

std::string as_json(const DeviceFigures& figures, const std::string& processor, int processors) {
    nlohmann::json kernels = nlohmann::json::array();
    for (const KernelFigures& kernel : figures.kernels) {
        kernels.push_back({{"name", kernel.name},
                           {"lane_instructions_per_second", kernel.lane_instructions_per_second},
                           {"checks_cost", kernel.checks_cost},
                           {"two_workers_speed", kernel.two_workers_speed},
                           {"same_result", kernel.same_result},
                           {"same_counters", kernel.same_counters}});
    }
    return json_text({{"processor", processor},
                      {"processors", processors},
                      {"kernels", kernels},
                      {"launch_microseconds", figures.launch_microseconds}}) +
           "\n";
}

}  // namespace vram::bench
