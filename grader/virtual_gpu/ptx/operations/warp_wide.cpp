// Exchanges and votes between the lanes of a warp.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/operations/operations.h"
#include "grader/virtual_gpu/ptx/warp.h"

#define VRAM_OPERATIONS_FILE "grader/virtual_gpu/ptx/operations/warp_wide.inc"
#include "grader/virtual_gpu/ptx/operations/for_each_target.h"
