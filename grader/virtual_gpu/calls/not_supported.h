// Refusing what the virtual GPU lacks, in one line that names it.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace vram::virtual_gpu {

/// Reports that `call` does not support `feature` here, and returns cudaErrorNotSupported.
cudaError_t not_supported(const char* call, const std::string& feature);

}  // namespace vram::virtual_gpu
