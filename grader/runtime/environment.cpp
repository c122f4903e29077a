#include "grader/runtime/environment.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "grader/settings/variables.h"

namespace vram::runtime {
namespace {

constexpr int usage_error = 2;

std::string read_initial_environment() {
    std::string text;
    int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    char buffer[4096];
    for (ssize_t got; file >= 0 && (got = read(file, buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(got));
    }
    if (file >= 0) {
        close(file);
    }
    return text;
}

std::string from_initial_environment(std::string_view name) {
    std::string text = read_initial_environment();
    for (std::size_t begin = 0; begin < text.size();) {
        std::string_view line(text.c_str() + begin);
        if (line.starts_with(name) && line.substr(name.size()).starts_with('=')) {
            return std::string(line.substr(name.size() + 1));
        }
        begin += line.size() + 1;
    }
    return {};
}

}  // namespace

std::string environment(const char* name) {
    if (environ == nullptr) {
        return from_initial_environment(name);
    }
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

void refuse_bad_environment() {
    if (const auto refusal = settings::first_refusal(environment)) {
        std::fprintf(stderr, "vram: %s\n", refusal->c_str());
        _exit(usage_error);
    }
}

}  // namespace vram::runtime
