// Source lines of the running program, for summaries. Uses addr2line, where there is one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vram::runtime {

/// "frame_store.cu:31" for each offset that debug information places; others are left out.
std::map<std::uint64_t, std::string> source_lines(const std::vector<std::uint64_t>& offsets);
/// Path of the running program.
std::string program_path();

}  // namespace vram::runtime
