#include "grader/virtual_gpu/environment.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "grader/settings/values.h"
#include "grader/settings/variables.h"

namespace vram::virtual_gpu {
namespace {

constexpr int usage_error = 2;

/// Empty when unset.
std::string_view value_of(const char* name) {
    const char* text = std::getenv(name);
    const std::string_view value = text ? text : "";
    if (const auto refusal = settings::refusal(name, value)) {
        std::fprintf(stderr, "vram: %s\n", refusal->c_str());
        std::_Exit(usage_error);
    }
    return value;
}

}  // namespace

bool environment_flag(const char* name, bool otherwise) {
    return settings::flag_from(value_of(name)).value_or(otherwise);
}

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
    return settings::whole_number_from(value_of(name)).value_or(otherwise);
}

std::size_t environment_memory_size(const char* name, std::size_t otherwise) {
    return settings::memory_size_from(value_of(name)).value_or(otherwise);
}

}  // namespace vram::virtual_gpu
