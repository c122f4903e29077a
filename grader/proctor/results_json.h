// Gradescope's results.json.
#pragma once

#include <string>
#include <vector>

#include "grader/proctor/grade.h"

namespace vram::proctor {

/// `seconds`: how long the grading took.
std::string results_json(const std::vector<LabGrade>& grades, double seconds);

}  // namespace vram::proctor
