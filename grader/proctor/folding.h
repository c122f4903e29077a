// One cause, one failure: checks that fail for the same reason at the same place are told once.
#pragma once

#include <vector>

#include "grader/proctor/grade.h"

namespace vram::proctor {

/// A failure to tell in full, and those that follow from the same cause.
struct FailureGroup {
    const CheckGrade* first = nullptr;
    std::vector<const CheckGrade*> folded;
};

/// Whether the check is told as a failure: it was graded here and lacks points.
bool is_failure(const CheckGrade& check);

/// The failures, in the manifest's order. Pointers into `grade`.
std::vector<FailureGroup> folded_failures(const LabGrade& grade);

}  // namespace vram::proctor
