// What the virtual GPU says about itself: like an H200, except for its name and the capability,
// which is that of the PTX that the program brings.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

namespace vram::virtual_gpu {

/// `capability` is times ten: 90 for 9.0.
cudaDeviceProp device_properties(std::size_t total_memory, int capability);
/// nullopt for an attribute that is unknown here.
std::optional<int> device_attribute(cudaDeviceAttr attribute, const cudaDeviceProp& properties);

}  // namespace vram::virtual_gpu
