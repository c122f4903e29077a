// The report of a program as JSON, for tools.
#pragma once

#include <string>

#include "grader/runtime/program_report.h"

namespace vram::runtime {

/// Writes the report to `file`; a file that can't be written is said so on standard error.
void write_json_report(const ProgramReport& report, const std::string& file);

}  // namespace vram::runtime
