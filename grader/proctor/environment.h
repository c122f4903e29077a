// The variables that steer a command.
#pragma once

#include <string>
#include <vector>

namespace vram::proctor {

/// Throws UsageError when a variable has a value that means nothing (grader/settings/variables.h), or
/// when its name is one or two letters away from one that there is.
void refuse_bad_environment();

/// The same for given variables, as "NAME=VALUE".
void refuse_bad_environment(const std::vector<std::string>& variables);

/// Throws UsageError when VRAM_MEMORY, whose value is given, makes the virtual GPU too small for the
/// checks: a right solution would run out of memory.
void refuse_too_small_a_card(const char* memory);

}  // namespace vram::proctor
