// Options that come from environment variables; grader/settings/variables.h says what each can be. A
// value that means nothing ends the process with status 2 and one line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vram::virtual_gpu {

/// On or off; `otherwise` when unset.
bool environment_flag(const char* name, bool otherwise = false);
/// A whole number; `otherwise` when unset.
std::uint64_t environment_number(const char* name, std::uint64_t otherwise);
/// A size of a card's memory in bytes; `otherwise` when unset.
std::size_t environment_memory_size(const char* name, std::size_t otherwise);

}  // namespace vram::virtual_gpu
