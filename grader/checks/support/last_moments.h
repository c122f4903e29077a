// What is told of a process that did not come to its end: read from the shared ledger by its
// parent.
#pragma once

#include "grader/checks/support/story.h"

namespace vram::checks {

/// `wait_status` is what waitpid gave. A signal, an exit, or a fault at a device address.
Story story_of_crash(int wait_status);
/// A check that took longer than `seconds`.
Story story_of_hang(double seconds);

}  // namespace vram::checks
