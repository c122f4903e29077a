// Options that come from environment variables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vram::virtual_gpu {

/// True for "1", "true", "yes" and "on"; false when unset or anything else.
bool environment_flag(const char* name);
/// A whole number; `otherwise` when unset. Anything else ends the process with a message.
std::uint64_t environment_number(const char* name, std::uint64_t otherwise);
/// A size as parse_memory_size() reads it; `otherwise` when unset. Anything else ends the process
/// with a message.
std::size_t environment_memory_size(const char* name, std::size_t otherwise);

}  // namespace vram::virtual_gpu
