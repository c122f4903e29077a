// Starts a graded program, reads its records and holds it to its limits.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/proctor/device.h"
#include "grader/protocol/record.h"

namespace vram::proctor {

struct Limits {
    double start_seconds = 30;  ///< until the hello record; a GPU's context takes its time
    double check_seconds = 10;  ///< wall clock of one check
    double answer_seconds = 2;  ///< after SIGTERM, before SIGKILL
    double ending_seconds = 5;  ///< from the last result to the program's end
    std::size_t resident_bytes = std::size_t{6} << 30;
    std::size_t folder_bytes = std::size_t{256} << 20;  ///< files left in the scratch folder
    std::size_t processes = 64;
    std::size_t output_bytes = 64 << 10;  ///< kept of what it prints; the rest is thrown away
};

/// The limits, with VRAM_CHECK_SECONDS of the environment.
Limits limits_from_environment();

struct RunRequest {
    std::filesystem::path program;
    std::vector<std::string> checks;  ///< not empty
    DeviceKind device = DeviceKind::virtual_gpu;
    std::uint64_t seed = 1;
    bool one_process = false;      ///< the checks share a process, as they always do on a GPU
    std::filesystem::path folder;  ///< where it runs; it may write here
    Limits limits;
};

enum class LimitHit : unsigned char { none, wall_clock, memory, processes, files };

/// What was seen from outside. Nothing in here is a verdict yet.
struct RunOutcome {
    bool started = false;
    bool said_hello = false;
    std::string device;
    std::vector<std::string> held_checks;
    std::map<std::string, protocol::CheckResult> results;
    /// Checks whose running was ended by a limit, and which.
    std::map<std::string, LimitHit> limited;
    std::string running;    ///< the check that had no result yet when the program ended
    bool ended = false;     ///< an end record with the right number of results was the last one
    std::string tampering;  ///< empty: none
    int wait_status = 0;
    LimitHit killed_for = LimitHit::none;  ///< the whole program was ended for it
    std::string output;                    ///< its own output, capped
    bool output_cut = false;
};

RunOutcome run_graded_program(const RunRequest& request);

}  // namespace vram::proctor
