// The process that runs checks: one of them in a fork of the examiner, or several in a process of
// its own on a GPU.
#pragma once

#include <string>
#include <vector>

#include "grader/checks/support/channel.h"

namespace vram::checks {

/// The names of all checks in this program, in order of definition.
std::vector<std::string> all_checks();

/// Runs one check in this process and tells what it came to.
protocol::CheckResult run_check(const std::string& name);

/// Runs the checks in turn and sends a begin and a result record for each, then an end record. Stops
/// early when a check left a sticky error behind. Does not return.
[[noreturn]] void work(const std::vector<std::string>& checks, const Channel& channel);

}  // namespace vram::checks
