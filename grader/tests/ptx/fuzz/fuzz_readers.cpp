// libFuzzer target for the readers of fat binaries and of PTX text.
//
// The first byte of an input says which reader gets the rest.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "grader/virtual_gpu/ptx/fat_binary.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"
#include "grader/virtual_gpu/ptx/module.h"

namespace {

using namespace vram::virtual_gpu::ptx;

void read_container(const std::uint8_t* data, std::size_t size) {
    const PtxImage image = extract_ptx_from_container(data, size);
    if (image.text.empty() == image.why_missing.empty()) {
        std::abort();
    }
}

void read_text(const std::uint8_t* data, std::size_t size) {
    const std::shared_ptr<Module> module =
        load_module_from_text(std::string(reinterpret_cast<const char*>(data), size));
    resolve_initial_values(*module);
    module->link();
    for (const auto& [name, kernel] : module->kernels) {
        if (find_kernel(*module, name) != kernel.get()) {
            std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    if (data[0] == 'F') {
        read_container(data + 1, size - 1);
    } else {
        read_text(data + 1, size - 1);
    }
    return 0;
}
