// The environment at a time when the C library may not have set `environ` yet: functions of
// .preinit_array run before the constructors of any library.
#pragma once

#include <string>

namespace vram::runtime {

/// The value of a variable; empty when it is unset or empty.
std::string environment(const char* name);

}  // namespace vram::runtime
