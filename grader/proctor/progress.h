// What the learner reached in earlier gradings, kept in the build folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/proctor/grade.h"

namespace vram::proctor {

struct LabProgress {
    double earned = 0;
    double points = 0;
    bool complete = false;
    std::string first_failure;  ///< the first check that lacks points; empty if none does
};

using ProgressBook = std::map<std::string, LabProgress>;

/// Empty when nothing was kept yet or the file is damaged.
ProgressBook load_progress(const std::filesystem::path& file);
/// Adds the grades to what is kept. A folder that can't be written costs only the memory.
void keep_progress(const std::filesystem::path& file, const std::vector<LabGrade>& grades);

}  // namespace vram::proctor
