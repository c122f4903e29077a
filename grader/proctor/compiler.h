// Turns a learner's source file into a program that can be graded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/proctor/cache.h"
#include "grader/proctor/installation.h"
#include "grader/proctor/manifest.h"

namespace vram::proctor {

/// Why there is no program. Always the verdict of the learner's file, never a fault of ours.
struct Rejection {
    std::string diagnosis;   ///< "does-not-compile", "missing-function", "reads-outside", ...
    std::string first_line;  ///< one sentence
    std::string file;        ///< where, if known
    int line = 0;
    std::vector<std::string> details;  ///< further lines, the compiler's own words
    std::string expected;
    std::string found;
};

/// Our own parts or tools failed.
class ToolchainFault : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Build {
    std::filesystem::path program;       ///< empty when rejected
    std::optional<Rejection> rejection;  ///< set when rejected
    double seconds = 0;
    bool from_cache = false;
};

class Compiler {
  public:
    /// `native_arch`: compute capability ("90") to write native code for as well; empty: PTX only.
    Compiler(const Installation& installation, const Cache& cache, std::string native_arch);

    /// Throws ToolchainFault, and FileError when the source can't be read.
    Build build(const Lab& lab, const Variant& variant, const std::filesystem::path& source) const;

  private:
    using Commands = std::vector<std::vector<std::string>>;

    /// The cache's entry with the object file or the compiler's complaints; empty if the compiler took
    /// too long.
    std::filesystem::path compile(const Lab& lab, const std::string& source,
                                  const Commands& commands, const std::string& key) const;
    std::optional<Rejection> refused(const Lab& lab, const std::filesystem::path& compiled) const;
    std::optional<Rejection> reads_outside(const Lab& lab,
                                           const std::filesystem::path& folder) const;
    Build link(const Lab& lab, const std::filesystem::path& object, const std::string& key) const;
    std::string object_key(const std::string& source, const std::string& header,
                           const Commands& commands) const;
    Commands compile_commands(const Lab& lab, const Variant& variant, const std::string& source,
                              const std::string& header) const;
    std::vector<std::string> nvcc_command(const Lab& lab, const Variant& variant) const;
    std::vector<std::string> host_command(const Lab& lab, const Variant& variant) const;
    void add_files(std::vector<std::string>& command, const Lab& lab, const Variant& variant) const;
    std::vector<std::string> link_command(const Lab& lab,
                                          const std::filesystem::path& object) const;

    const Installation& installation_;
    const Cache& cache_;
    std::string native_arch_;
    std::string tools_;  ///< identity of compilers and flags
};

}  // namespace vram::proctor
