// How checks, and the runs of a failure sweep, are kept apart.
#pragma once

namespace vram::checks {

/// Whether each check, and each run of a sweep, happens in a fork of its own, so that statics of the
/// learner's file are fresh. So on the virtual GPU. On a GPU they share one process, since a context
/// survives no fork.
bool forks_keep_apart();

/// Has checks share a process on the virtual GPU too, to see there what a GPU would show.
void share_one_process();

}  // namespace vram::checks
