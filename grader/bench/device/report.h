// The figures of `vram bench device`, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "grader/bench/device/measurement.h"

namespace vram::bench {

struct KernelFigures {
    std::string name;
    double lane_instructions_per_second = 0;  ///< one worker, access checks on, processor time
    double checks_cost = 0;        ///< processor time with access checks, divided by that without
    double two_workers_speed = 0;  ///< wall time of one worker, divided by that of two
    bool same_result = false;      ///< with one worker and with two
    bool same_counters = false;
};

struct DeviceFigures {
    std::vector<KernelFigures> kernels;
    double launch_microseconds = 0;
};

/// The three runs measured the same kernels in the same order.
DeviceFigures figures_of(const DeviceRun& one_worker, const DeviceRun& two_workers,
                         const DeviceRun& unchecked);
/// Results and counters do not depend on the number of workers.
bool consistent(const DeviceFigures& figures);
std::string as_text(const DeviceFigures& figures);
std::string as_json(const DeviceFigures& figures, const std::string& processor, int processors);

}  // namespace vram::bench
