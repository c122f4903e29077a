// Finds a learner's files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/proctor/compiler.h"
#include "grader/proctor/manifest.h"

namespace vram::proctor {

/// Where the file of one lab is in a submission.
struct SubmittedFile {
    const Lab* lab = nullptr;
    std::filesystem::path path;          ///< empty when rejected
    std::optional<Rejection> rejection;  ///< missing, not readable, more than one
};

/// A tree labs/NN-name/x.cu, a tree NN-name/x.cu, or a flat folder of .cu files. Nothing in it is
/// ever changed.
class Submission {
  public:
    /// Throws FileError with a clear text when the folder is missing, unreadable or holds no .cu
    /// file of any lab.
    Submission(const std::filesystem::path& folder, const std::vector<Lab>& labs);

    SubmittedFile find(const Lab& lab) const;

  private:
    std::filesystem::path folder_;
};

}  // namespace vram::proctor
