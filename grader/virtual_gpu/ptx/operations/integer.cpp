// Integer arithmetic, logic and bit fields.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/operations/operations.h"
#include "grader/virtual_gpu/ptx/warp.h"

#define VRAM_OPERATIONS_FILE "grader/virtual_gpu/ptx/operations/integer.inc"
#include "grader/virtual_gpu/ptx/operations/for_each_target.h"
