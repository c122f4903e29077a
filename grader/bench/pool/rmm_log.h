// Reads the log of RMM's logging resource: a program's own trace.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "grader/bench/pool/trace.h"

namespace vram::bench {

struct RmmLog {
    Trace trace;
    /// "line 17: ...", one for each line that could not be understood. Such a line is left out, and
    /// the trace is no faithful copy of the program then.
    std::vector<std::string> errors;
    std::size_t failures = 0;    ///< lines with the action "allocate failure"
    std::size_t zero_sized = 0;  ///< allocations of 0 bytes and their frees, left out of the trace
};

/// Format: a header line `Thread,Time,Action,Pointer,Size,Stream`, then a line an event. Actions
/// are `allocate`, `free` and `allocate failure`. Pointers are hexadecimal with or without 0x. Thread,
/// time and stream are not looked at. Without the header, no other line is read.
RmmLog read_rmm_log(std::istream& text, const std::string& name);

}  // namespace vram::bench
