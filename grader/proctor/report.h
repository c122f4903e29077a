// The grade as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "grader/proctor/grade.h"

namespace vram::proctor {

struct ReportStyle {
    bool colour = false;
    /// Columns to stay within, where words allow it.
    std::size_t width = 100;
};

/// Colour on a terminal, unless NO_COLOR is set or `plain`; width of the terminal, at most 100.
ReportStyle style_for_output(bool plain);

/// The story of one lab.
std::string lab_report(const LabGrade& grade, const ReportStyle& style);
/// The story of one failed check alone, without its heading line; for results.json.
std::string check_story(const LabGrade& grade, const CheckGrade& check);
/// "Score: 8 / 20 points, 0 of 1 labs complete"
std::string score_line(const std::vector<LabGrade>& grades);
/// "ok", "FAIL", "CRASH", ...
std::string verdict_word(protocol::Verdict verdict);

}  // namespace vram::proctor
