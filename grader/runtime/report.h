// The report at the end of a program that nobody grades: VRAM_REPORT=FILE writes it as JSON,
// VRAM_SUMMARY=1 or VRAM_REPORT=- prints it to standard error.
#pragma once

namespace vram::runtime {

/// Reads the variables and remembers what to write when this process exits. Forks write nothing.
void prepare_report();
/// True when somebody reads what the program's library says beside the program.
bool summary_is_wanted();

}  // namespace vram::runtime
