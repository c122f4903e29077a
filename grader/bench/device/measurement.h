// How fast the virtual GPU runs kernels, measured through the runtime calls of an ordinary program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vram::bench {

/// How the virtual GPU is set for one run.
struct Setting {
    int workers = 1;  ///< threads that run blocks
    bool check_accesses = true;
};

/// The best of several launches, each with its wait. Processor time leaves out what other programs
/// on the machine take.
struct BestTime {
    double wall_seconds = 1e9;
    double processor_seconds = 1e9;  ///< of all threads of the process
};

/// One kernel under one setting.
struct KernelRun {
    char name[24] = {};
    BestTime time;
    std::uint64_t lane_instructions = 0;  ///< of one launch
    std::uint64_t counters = 0;           ///< hash over all counters of one launch
    std::uint64_t result = 0;             ///< hash over the memory that the launch wrote
};

struct DeviceRun {
    std::vector<KernelRun> kernels;
    BestTime launch;  ///< of an empty kernel of one warp, launched and run
};

/// Runs everything in a fork, so that the setting is read anew. Throws std::runtime_error when the
/// fork does not come to its end.
DeviceRun run_with(const Setting& setting, int repetitions);

}  // namespace vram::bench
