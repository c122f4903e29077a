#include "grader/runtime/sides.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "grader/runtime/entries.h"
#include "grader/runtime/environment.h"
#include "grader/runtime/hooks.h"
#include "grader/runtime/runtime_state.h"
#include "real_library.h"

extern "C" {
// Where each trampoline jumps to.
__attribute__((visibility("hidden"))) void* vram_entry_table[vram::runtime::max_entries];
// The virtual side's functions, 0 for those that it lacks.
__attribute__((visibility("hidden"))) extern void* const vram_virtual_table[];
}

namespace vram::runtime {
namespace {

constexpr int no_device_exit_status = 87;

std::array<void*, max_entries + 1> side_functions;
std::array<void*, max_entries + 1> callable_functions;
Device device = Device::virtual_gpu;

[[noreturn]] void refuse(const std::string& line) {
    std::fprintf(stderr, "vram: %s\n", line.c_str());
    _exit(no_device_exit_status);
}

std::string& device_name() {
    static auto* name = new std::string("virtual GPU");
    return *name;
}

template <typename Function>
Function* find_in(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

struct RealLibrary {
    void* handle = nullptr;
    std::string why_not;
};

RealLibrary open_real_library() {
    std::string path = environment("VRAM_REAL_CUDART");
    if (path.empty()) {
        path = real_library_path;
    }
    RealLibrary library;
    library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle == nullptr) {
        const char* reason = dlerror();
        library.why_not = reason != nullptr ? reason : "cannot load " + path;
    }
    return library;
}

/// Empty when the library sees a GPU, otherwise why not.
std::string why_no_gpu(const RealLibrary& library) {
    if (library.handle == nullptr) {
        return library.why_not;
    }
    auto* count_devices = find_in<cudaError_t(int*)>(library.handle, "cudaGetDeviceCount");
    auto* name_error = find_in<const char*(cudaError_t)>(library.handle, "cudaGetErrorName");
    auto* clear_error = find_in<cudaError_t()>(library.handle, "cudaGetLastError");
    if (count_devices == nullptr || name_error == nullptr || clear_error == nullptr) {
        return "the real library is no CUDA runtime";
    }
    int count = 0;
    cudaError_t result = count_devices(&count);
    clear_error();
    if (result != cudaSuccess) {
        return std::string("cudaGetDeviceCount says ") + name_error(result);
    }
    return count > 0 ? "" : "cudaGetDeviceCount counts none";
}

std::string name_of_gpu(void* library) {
    auto* properties =
        find_in<cudaError_t(cudaDeviceProp*, int)>(library, "cudaGetDeviceProperties_v2");
    if (properties == nullptr) {
        properties = find_in<cudaError_t(cudaDeviceProp*, int)>(library, "cudaGetDeviceProperties");
    }
    static cudaDeviceProp answer;
    if (properties == nullptr || properties(&answer, 0) != cudaSuccess) {
        return "GPU";
    }
    return answer.name;
}

void use_real(void* library) {
    device = Device::gpu;
    device_name() = name_of_gpu(library);
    for (std::size_t entry = 0; entry < entry_count(); ++entry) {
        side_functions[entry] = dlsym(library, entry_name(static_cast<Entry>(entry)));
    }
    // A program that links the driver gets memory that the ledger does not see.
    if (dlsym(RTLD_DEFAULT, "cuMemAlloc_v2") != nullptr) {
        runtime_state().ledger.expect_foreign_memory();
    }
}

void use_virtual() {
    device = Device::virtual_gpu;
    for (std::size_t entry = 0; entry < entry_count(); ++entry) {
        side_functions[entry] = vram_virtual_table[entry];
    }
}

void choose() {
    std::string wanted = environment("VRAM_DEVICE");
    if (wanted.empty()) {
        wanted = "auto";
    }
    if (wanted == "virtual") {
        use_virtual();
        return;
    }
    RealLibrary library = open_real_library();
    std::string why_not = why_no_gpu(library);
    if (why_not.empty()) {
        use_real(library.handle);
    } else if (wanted == "auto") {
        use_virtual();
    } else {
        refuse("VRAM_DEVICE=gpu, but there is no GPU: " + why_not);
    }
}

}  // namespace

void open_side() {
    choose();
    for (std::size_t entry = 0; entry < entry_count(); ++entry) {
        void* own = side_functions[entry];
        callable_functions[entry] = own != nullptr ? own : missing_function(entry);
        void* hook = hook_of(entry);
        vram_entry_table[entry] = hook != nullptr ? hook : callable_functions[entry];
    }
}

const char* error_name(cudaError_t error) {
    using Name = const char* (*)(cudaError_t);
    static const std::size_t entry = find_entry("cudaGetErrorName");
    auto name = reinterpret_cast<Name>(side_function(entry));
    const char* text = name != nullptr ? name(error) : nullptr;
    return text != nullptr ? text : "an error code without a name";
}

Device chosen_device() {
    return device;
}

const std::string& chosen_device_name() {
    return device_name();
}

void* side_function(std::size_t entry) {
    return side_functions[entry];
}

void* callable_side_function(std::size_t entry) {
    return callable_functions[entry];
}

}  // namespace vram::runtime
