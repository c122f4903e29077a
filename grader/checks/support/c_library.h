// free() and realloc() of the graded program, and with them delete: they pass everything on to the C
// library except blocks of the CUDA runtime, which are a mistake with a story instead of a crash.
#pragma once

#include "grader/runtime/session.h"

namespace vram::checks {

/// From now on the session is asked about what the learner's code releases.
void watch_c_library(runtime::Session& session);

}  // namespace vram::checks
