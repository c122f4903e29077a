// Reads what nvcc, the host compiler and the linker print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vram::proctor {

struct CompilerError {
    std::string file;  ///< without folders
    int line = 0;
    std::string message;  ///< first line
};

/// Every error, in order. Warnings and notes are left out.
std::vector<CompilerError> compiler_errors(std::string_view output);

/// Names of functions and variables that no object defines, demangled, each once.
std::vector<std::string> undefined_names(std::string_view linker_output);

/// The files that a Makefile rule written by -MD depends on.
std::vector<std::string> dependencies(std::string_view makefile_rule);

}  // namespace vram::proctor
