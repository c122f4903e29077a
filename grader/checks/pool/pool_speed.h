// How fast a learner's pool is: never an absolute time, always one of its own against another, or
// against allocators measured in the same run.
#pragma once

namespace vram::checks {

/// Judges the running check: awards a share of its points by how the cost of an operation grows with
/// the number of live blocks and, on a GPU, by how it compares with cudaMalloc, cudaMallocAsync and
/// cub's caching allocator.
void judge_speed();

}  // namespace vram::checks
