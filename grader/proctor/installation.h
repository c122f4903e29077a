// Where the parts of this build, the toolkit and the labs are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vram::proctor {

struct Installation {
    std::filesystem::path source_root;  ///< labs/, grader/checks/, grader/corpus/
    std::filesystem::path build_root;
    std::filesystem::path toolkit;  ///< folder of the CUDA Toolkit
    std::filesystem::path nvcc;
    std::filesystem::path host_compiler;  ///< the C++ compiler that built the checks
    std::string ptx_arch;                 ///< "75": the oldest architecture nvcc writes PTX for
    std::vector<std::string> nvcc_extra;  ///< flags that only newer toolkits know
    std::vector<std::string> linker_flags;
    std::vector<std::string> gtest_link;
    std::vector<std::string> system_includes;  ///< folders that the host compiler searches

    std::filesystem::path labs() const { return source_root / "labs"; }
    std::filesystem::path manifests() const { return source_root / "grader" / "checks"; }
    std::filesystem::path corpus() const { return source_root / "grader" / "corpus"; }
    std::filesystem::path runtime_folder() const { return build_root / "grader" / "runtime"; }
    /// The library that stands in for libcudart, with its full version name. Empty if not built.
    std::filesystem::path runtime_library() const;
    std::filesystem::path shared_checks() const;  ///< main and vocabulary of the checks
    std::filesystem::path protocol_library() const;
    std::filesystem::path checks_of(const std::string& lab) const;
};

/// The installation that this executable was built as.
Installation this_installation();

}  // namespace vram::proctor
