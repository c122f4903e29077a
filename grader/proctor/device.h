// The two devices that a lab can be graded on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vram::proctor {

enum class DeviceKind : unsigned char { virtual_gpu, gpu };

/// As the graded program's environment and the manifests spell it: "virtual", "gpu".
const char* device_word(DeviceKind device);
std::optional<DeviceKind> device_from_name(std::string_view name);

/// The NVIDIA GPU of this machine.
struct Gpu {
    std::string name;  ///< "NVIDIA H200"
    std::string arch;  ///< compute capability without the dot, "90"
};

/// Asks the driver, in a child process, since a broken driver may crash or hang. nullopt where
/// there is none; the answer is remembered for the life of the process.
const std::optional<Gpu>& present_gpu();

}  // namespace vram::proctor
