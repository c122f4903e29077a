#include <cctype>
#include <charconv>
#include <cmath>

#include "grader/virtual_gpu/control.h"

namespace vram::virtual_gpu {
namespace {

constexpr double smallest_card = 4.0 * 1024 * 1024;
constexpr double largest_card = 1024.0 * 1024 * 1024 * 1024;

std::string without_spaces_lower_case(const std::string& text) {
    std::string result;
    for (unsigned char letter : text)
        if (!std::isspace(letter))
            result += static_cast<char>(std::tolower(letter));
    return result;
}

/// Bytes of one unit; 0 for a name that is no unit.
double unit_bytes(const std::string& unit) {
    if (unit.empty() || unit == "b")
        return 1;
    if (unit == "kib" || unit == "k")
        return 1024;
    if (unit == "mib" || unit == "m")
        return 1024.0 * 1024;
    if (unit == "gib" || unit == "g")
        return 1024.0 * 1024 * 1024;
    if (unit == "tib" || unit == "t")
        return 1024.0 * 1024 * 1024 * 1024;
    if (unit == "kb")
        return 1e3;
    if (unit == "mb")
        return 1e6;
    if (unit == "gb")
        return 1e9;
    return 0;
}

}  // namespace

bool parse_memory_size(const std::string& text, std::size_t& bytes, std::string& why) {
    const std::string compact = without_spaces_lower_case(text);
    double number = 0;
    const char* end = compact.data() + compact.size();
    const auto parsed = std::from_chars(compact.data(), end, number, std::chars_format::fixed);
    const double unit = unit_bytes(std::string(parsed.ptr, end));
    if (parsed.ec != std::errc() || unit == 0 || !std::isfinite(number)) {
        why = "\"" + text +
              "\" is not a size of memory: write a number and a unit, for example 10GiB";
        return false;
    }
    const double size = std::floor(number * unit);
    if (size < smallest_card || size > largest_card) {
        why = "\"" + text + "\" is out of range: a card has between 4 MiB and 1 TiB";
        return false;
    }
    bytes = static_cast<std::size_t>(size);
    return true;
}

}  // namespace vram::virtual_gpu
