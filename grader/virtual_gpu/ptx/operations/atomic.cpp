// atom and red.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "grader/virtual_gpu/ptx/addresses.h"
#include "grader/virtual_gpu/ptx/block_state.h"
#include "grader/virtual_gpu/ptx/half_format.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/operations/operations.h"
#include "grader/virtual_gpu/ptx/warp.h"

#define VRAM_OPERATIONS_FILE "grader/virtual_gpu/ptx/operations/atomic.inc"
#include "grader/virtual_gpu/ptx/operations/for_each_target.h"
