// Arithmetic of f16 and bf16, alone and in pairs.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "grader/virtual_gpu/ptx/half_format.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/operations/comparison.h"
#include "grader/virtual_gpu/ptx/operations/half_variant.h"
#include "grader/virtual_gpu/ptx/operations/operations.h"
#include "grader/virtual_gpu/ptx/warp.h"

#define VRAM_OPERATIONS_FILE "grader/virtual_gpu/ptx/operations/half.inc"
#include "grader/virtual_gpu/ptx/operations/for_each_target.h"
