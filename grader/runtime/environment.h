// The environment at a time when the C library may not have set `environ` yet: functions of
// .preinit_array run before the constructors of any library.
#pragma once

#include <string>

namespace vram::runtime {

/// The value of a variable; empty when it is unset or empty.
std::string environment(const char* name);

/// Ends the process with exit status 2 and one line if a variable that steers this library has a
/// value that means nothing.
void refuse_bad_environment();

}  // namespace vram::runtime
