// The hints of a lab: labs/NN-name/hints.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vram::proctor {

/// Steps by check: a heading `## Suite.Check`, below it a numbered list. Other text is left out.
std::map<std::string, std::vector<std::string>> parse_hints(std::string_view markdown);

}  // namespace vram::proctor
