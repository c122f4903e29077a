// From what a run showed to a verdict for each check. Anything that is missing fails closed.
#pragma once

#include <string>
#include <vector>

#include "grader/proctor/graded_program.h"
#include "grader/protocol/record.h"

namespace vram::proctor {

/// A result for each asked check, in that order.
///
/// A pass needs its result record, the end record, exit status 0 and no tampering. A failure that
/// the program reported itself stands in any case.
std::vector<protocol::CheckResult> verdicts_of(const RunOutcome& outcome,
                                               const std::vector<std::string>& asked);

/// What a wait status means: "exit status 3", "signal 11 (Segmentation fault)".
std::string ending_text(int wait_status);

}  // namespace vram::proctor
