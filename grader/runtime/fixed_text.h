// Text inside records of a fixed size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace vram::runtime {

/// Copies as much of the text as fits, and ends it.
template <std::size_t capacity>
void set_text(char (&to)[capacity], const std::string& text) {
    const std::size_t length = std::min(text.size(), capacity - 1);
    std::copy_n(text.data(), length, to);
    to[length] = '\0';
}

}  // namespace vram::runtime
