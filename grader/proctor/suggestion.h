// What somebody who mistyped a name probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vram::proctor {

/// How many insertions, deletions and replacements lead from one to the other.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The name that `wanted` most resembles; the first of several. Empty if none is at most two slips of
/// the pen away.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names);

/// " Did you mean NAME?", or nothing: to go behind the sentence that refuses `wanted`.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace vram::proctor
