// Lines of a report, as printf writes them.
#pragma once

#include <cstdio>
#include <string>

namespace vram::bench {

/// At most 255 characters; what is longer is cut.
template <class... Values>
std::string format(const char* form, Values... values) {
    char line[256];
    std::snprintf(line, sizeof line, form, values...);
    return line;
}

}  // namespace vram::bench
