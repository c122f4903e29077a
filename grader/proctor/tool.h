// Runs a tool of the toolchain and keeps what it prints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vram::proctor {

struct ToolResult {
    int status = -1;  ///< exit status; 128 + signal; 127 when it could not be started
    std::string output;
    std::string errors;
    bool timed_out = false;

    bool ok() const { return status == 0 && !timed_out; }
};

/// Runs `arguments` (the first is the program, searched on PATH) in `folder` with standard input
/// from `input`. The output kept of either stream is capped at 16 MiB.
ToolResult run_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    const std::string& input = {}, double seconds = 60);

}  // namespace vram::proctor
