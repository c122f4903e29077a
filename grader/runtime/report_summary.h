// The report of a program as text, for people.
#pragma once

#include <string>

#include "grader/runtime/program_report.h"

namespace vram::runtime {

/// A few lines, each ended with '\n': the calls, the kernels, what was never freed, the mistakes.
std::string summary_of(const ProgramReport& report);

}  // namespace vram::runtime
