#include "grader/proctor/device_code.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vram::proctor {

namespace {

constexpr std::array harmless_names = {
    "__FILE__",           "__LINE__",      "__func__",   "__FUNCTION__", "__PRETTY_FUNCTION__",
    "__cplusplus",        "__has_include", "__restrict", "__restrict__", "__attribute__",
    "__has_cpp_attribute"};

constexpr std::array host_headers = {
    "assert.h",       "ctype.h",  "cuda_runtime.h", "cuda_runtime_api.h",
    "driver_types.h", "errno.h",  "fcntl.h",        "float.h",
    "inttypes.h",     "limits.h", "math.h",         "pthread.h",
    "setjmp.h",       "signal.h", "stdarg.h",       "stdbool.h",
    "stddef.h",       "stdint.h", "stdio.h",        "stdlib.h",
    "string.h",       "time.h",   "unistd.h"};

template <typename List>
bool is_one_of(const List& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The text with each line that ends in a backslash joined to the next.
std::string with_joined_lines(std::string_view source) {
    std::string text;
    text.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source.substr(i).starts_with("\\\n")) {
            i += 1;
        } else if (source.substr(i).starts_with("\\\r\n")) {
            i += 2;
        } else {
            text.push_back(source[i]);
        }
    }
    return text;
}

bool is_host_header(std::string_view name, const std::string& own_header) {
    const bool of_the_language =
        std::all_of(name.begin(), name.end(), [](char c) { return is_name_character(c); });
    return name == own_header || of_the_language || name.starts_with("sys/") ||
           is_one_of(host_headers, name);
}

/// Whether what stands behind a `#` surely brings in no device code.
bool is_harmless_directive(std::string_view rest, const std::string& own_header) {
    const auto skip_blanks = [&] {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    };
    skip_blanks();
    if (rest.starts_with("#") || rest.starts_with("/")) {
        return false;  // names may be glued together, or a comment may hide what is included
    }
    if (!rest.starts_with("include")) {
        return true;
    }
    rest.remove_prefix(std::string_view("include").size());
    skip_blanks();
    if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) {
        return false;
    }
    const std::size_t end = rest.find(rest.front() == '<' ? '>' : '"', 1);
    return end != rest.npos && is_host_header(rest.substr(1, end - 1), own_header);
}

bool is_harmless_name(std::string_view name) {
    return !name.starts_with("__") || name.starts_with("__builtin_") ||
           is_one_of(harmless_names, name);
}

}  // namespace

bool may_hold_device_code(std::string_view source, const std::string& own_header) {
    const std::string text = with_joined_lines(source);
    if (text.find("<<<") != text.npos || text.find("%:") != text.npos) {
        return true;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto rest = std::string_view(text).substr(i);
        if (text[i] == '#' && !is_harmless_directive(rest.substr(1), own_header)) {
            return true;
        }
        if (is_name_character(text[i])) {
            const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_character);
            const auto length = static_cast<std::size_t>(end - rest.begin());
            if (!is_harmless_name(rest.substr(0, length))) {
                return true;
            }
            i += length - 1;
        }
    }
    return false;
}

}  // namespace vram::proctor
