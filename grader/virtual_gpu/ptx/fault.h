// What ends a launch early.
#pragma once

#include <string>
#include <utility>

#include "grader/virtual_gpu/observer.h"

namespace vram::virtual_gpu::ptx {

/// Values of cudaError_t that a kernel can end with.
enum class KernelError : int {
    illegal_address = 700,
    launch_timeout = 702,
    assertion = 710,
    misaligned_address = 716,
    invalid_address_space = 717,
    launch_failure = 719,
    cooperative_too_large = 720,
    not_supported = 801,
};

/// Thrown by operations, caught where a block is run.
struct Fault {
    KernelError error;
    Report report;
};

}  // namespace vram::virtual_gpu::ptx
