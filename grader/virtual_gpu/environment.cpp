#include "grader/virtual_gpu/environment.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "grader/virtual_gpu/control.h"

namespace vram::virtual_gpu {
namespace {

constexpr int usage_error = 2;

[[noreturn]] void refuse(const char* name, const std::string& why) {
    std::fprintf(stderr, "virtual GPU: %s: %s\n", name, why.c_str());
    std::_Exit(usage_error);
}

}  // namespace

bool environment_flag(const char* name) {
    const char* text = std::getenv(name);
    const std::string_view value = text ? text : "";
    return value == "1" || value == "true" || value == "yes" || value == "on";
}

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    if (!text || !*text)
        return otherwise;
    const std::string_view value = text;
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size())
        refuse(name, "\"" + std::string(value) + "\" is not a whole number");
    return number;
}

std::size_t environment_memory_size(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    if (!text || !*text)
        return otherwise;
    std::size_t bytes = 0;
    std::string why;
    if (!parse_memory_size(text, bytes, why))
        refuse(name, why);
    return bytes;
}

}  // namespace vram::virtual_gpu
