// Grades as TAP, for Meson.
#pragma once

#include <string>
#include <vector>

#include "grader/proctor/grade.h"

namespace vram::proctor {

/// A line for each check, its story as comments behind it.
std::string tap_report(const std::vector<LabGrade>& grades);
/// Each line of the text behind "# ", so that nothing in it can pass for TAP.
std::string tap_comment(const std::string& text);

}  // namespace vram::proctor
