// Runs the instructions of one warp, and keeps its diverged lanes apart and together.
//
// Lanes that are at the same place form a group. Of the groups that can run, the one in the deepest
// call with the lowest instruction runs, until it reaches the place of another one and they merge:
// since compilers lay code out in the order in which it joins, lanes come together again as early
// as on hardware. A group that loops for long while others wait gives way to them, so lanes that
// wait for other lanes of their warp make progress.
#pragma once

#include <cstdint>

#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

enum class WarpState {
    finished,  ///< all lanes have exited
    blocked,   ///< every lane waits at a barrier
    yielded,   ///< ran for long; others should have a turn
};

/// Runs the warp until one of these. Throws Fault.
WarpState run_warp(Warp& warp);

/// Whether some lane could run now.
bool is_runnable(const Warp& warp);

}  // namespace vram::virtual_gpu::ptx
