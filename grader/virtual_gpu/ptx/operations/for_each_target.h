// Includes the file VRAM_OPERATIONS_FILE once for each kind of processor.
// Everything that it needs must have been included before, outside of any namespace.

namespace vram::virtual_gpu::ptx::baseline {
#include "grader/virtual_gpu/ptx/operations/lanes.inc"
#include VRAM_OPERATIONS_FILE
}  // namespace vram::virtual_gpu::ptx::baseline

#ifdef VRAM_WIDE_VECTORS
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c")
namespace vram::virtual_gpu::ptx::wide {
#include "grader/virtual_gpu/ptx/operations/lanes.inc"
#include VRAM_OPERATIONS_FILE
}  // namespace vram::virtual_gpu::ptx::wide
#pragma GCC pop_options
#endif
