#include "grader/proctor/installation.h"

#include <algorithm>

#include "grader/proctor/config.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace fs = std::filesystem;

fs::path Installation::runtime_library() const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(runtime_folder(), ignored)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("libcudart.so.") && entry.is_regular_file(ignored)) {
            return entry.path();
        }
    }
    return {};
}

fs::path Installation::shared_checks() const {
    return build_root / "grader" / "checks" / "libvram_checks.a";
}

fs::path Installation::protocol_library() const {
    return build_root / "grader" / "protocol" / "libvram_protocol.a";
}

fs::path Installation::checks_of(const std::string& lab) const {
    std::string name = lab;
    std::replace(name.begin(), name.end(), '-', '_');
    return build_root / "grader" / "checks" / ("libchecks_" + name + ".a");
}

Installation this_installation() {
    Installation result;
    result.source_root = VRAM_SOURCE_ROOT;
    result.build_root = VRAM_BUILD_ROOT;
    result.toolkit = VRAM_TOOLKIT;
    result.nvcc = VRAM_NVCC;
    result.host_compiler = VRAM_HOST_COMPILER;
    result.ptx_arch = VRAM_PTX_ARCH;
    result.nvcc_extra = words(VRAM_NVCC_EXTRA);
    result.linker_flags = words(VRAM_LINKER_FLAG);
    result.gtest_link = words(VRAM_GTEST_LINK);
    result.system_includes = words(VRAM_SYSTEM_INCLUDES);
    return result;
}

}  // namespace vram::proctor
