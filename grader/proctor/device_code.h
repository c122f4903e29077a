// Whether a source file may hold code for a GPU.
#pragma once

#include <string>
#include <string_view>

namespace vram::proctor {

/// False only for a text that surely is host code: it launches nothing, none of its names is reserved
/// for CUDA, and it includes nothing but `own_header` and headers of the language, the system and the
/// CUDA runtime's host side. Comments count as text.
///
/// nvcc would compile such a file for the host only, with the same compiler and after two more passes
/// that find nothing; without them it takes less than half the time.
bool may_hold_device_code(std::string_view source, const std::string& own_header);

}  // namespace vram::proctor
