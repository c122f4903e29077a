// Builds a learner's pool.cu into a library that can be loaded.
#pragma once

#include <string>

namespace vram::bench {

/// Compiles FOLDER/pool.cu with nvcc into a library in a temporary folder of its own, which lives
/// as long as this object.
class SubmittedPool {
  public:
    /// Throws std::runtime_error with the compiler's words when it does not compile.
    explicit SubmittedPool(const std::string& folder);
    ~SubmittedPool();
    SubmittedPool(const SubmittedPool&) = delete;
    SubmittedPool& operator=(const SubmittedPool&) = delete;
    std::string library() const { return folder_ + "/pool.so"; }

  private:
    std::string folder_;
};

}  // namespace vram::bench
