// Arithmetic of f32 and f64.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/operations/operations.h"
#include "grader/virtual_gpu/ptx/warp.h"

#define VRAM_OPERATIONS_FILE "grader/virtual_gpu/ptx/operations/floating.inc"
#include "grader/virtual_gpu/ptx/operations/for_each_target.h"
