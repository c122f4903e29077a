#include "grader/virtual_gpu/ptx/operations/operations.h"

namespace vram::virtual_gpu::ptx {

namespace {

constexpr OperationFamilies baseline_families = {baseline::find_integer, baseline::find_floating,
                                                 baseline::find_half,    baseline::find_conversion,
                                                 baseline::find_move,    baseline::find_memory,
                                                 baseline::find_atomic,  baseline::find_warp_wide};

#ifdef VRAM_WIDE_VECTORS
constexpr OperationFamilies wide_families = {
    wide::find_integer, wide::find_floating, wide::find_half,   wide::find_conversion,
    wide::find_move,    wide::find_memory,   wide::find_atomic, wide::find_warp_wide};
#endif

const OperationFamilies& choose() {
#ifdef VRAM_WIDE_VECTORS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
        return wide_families;
    }
#endif
    return baseline_families;
}

}  // namespace

const OperationFamilies& operation_families() {
    static const OperationFamilies& families = choose();
    return families;
}

}  // namespace vram::virtual_gpu::ptx
