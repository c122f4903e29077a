#include "grader/checks/support/c_library.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>

extern "C" {
// The C library's own, under the names that it exports for this.
void __libc_free(void* pointer) noexcept;
void* __libc_realloc(void* pointer, std::size_t bytes) noexcept;
}

namespace vram::checks {
namespace {

// Plain, not atomic: set once, before there is a second thread.
runtime::Session* watching_session = nullptr;

/// Blocks of the CUDA runtime begin at multiples of this ("Device Memory Accesses" in the CUDA C++
/// Programming Guide); most of the C library's don't, and cost nothing here.
constexpr std::uintptr_t least_alignment = 256;

bool keep_from_c_library(const void* pointer, const char* call, const void* frame) {
    return pointer != nullptr && watching_session != nullptr &&
           reinterpret_cast<std::uintptr_t>(pointer) % least_alignment == 0 &&
           watching_session->keeps_from_c_library(pointer, call, frame);
}

}  // namespace

void watch_c_library(runtime::Session& session) {
    watching_session = &session;
}

}  // namespace vram::checks

extern "C" void free(void* pointer) noexcept {
    if (!vram::checks::keep_from_c_library(pointer, "free() or delete",
                                           __builtin_frame_address(0))) {
        __libc_free(pointer);
    }
}

extern "C" void* realloc(void* pointer, std::size_t bytes) noexcept {
    if (vram::checks::keep_from_c_library(pointer, "realloc()", __builtin_frame_address(0))) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_realloc(pointer, bytes);
}
