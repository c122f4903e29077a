// Work on several things at once.
#pragma once

#include <cstddef>
#include <functional>

namespace vram::proctor {

/// Calls `work(i)` for each i below `count`, as many at once as there are cores; returns when all
/// are done. `work` does not throw.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace vram::proctor
