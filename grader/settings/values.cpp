#include "grader/settings/values.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

namespace vram::settings {
namespace {

constexpr double kibibyte = 1024;
constexpr double mebibyte = 1024 * kibibyte;
constexpr double gibibyte = 1024 * mebibyte;
constexpr double tebibyte = 1024 * gibibyte;
constexpr double smallest_card = 4 * mebibyte;
constexpr double largest_card = 1 * tebibyte;

struct Unit {
    std::string_view name;
    double bytes;
};
constexpr Unit units[] = {
    {"", 1},         {"b", 1},          {"kib", kibibyte}, {"k", kibibyte},   {"mib", mebibyte},
    {"m", mebibyte}, {"gib", gibibyte}, {"g", gibibyte},   {"tib", tebibyte}, {"t", tebibyte},
    {"kb", 1e3},     {"mb", 1e6},       {"gb", 1e9},
};

std::string without_spaces_lower_case(std::string_view text) {
    std::string result;
    for (unsigned char letter : text)
        if (!std::isspace(letter))
            result += static_cast<char>(std::tolower(letter));
    return result;
}

std::optional<double> unit_bytes(std::string_view name) {
    for (const Unit& unit : units)
        if (unit.name == name)
            return unit.bytes;
    return std::nullopt;
}

}  // namespace

std::optional<bool> flag_from(std::string_view text) {
    if (text == "1" || text == "true" || text == "yes" || text == "on")
        return true;
    if (text == "0" || text == "false" || text == "no" || text == "off")
        return false;
    return std::nullopt;
}

std::optional<std::uint64_t> whole_number_from(std::string_view text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end)
        return std::nullopt;
    return number;
}

std::optional<double> seconds_from(std::string_view text) {
    double seconds = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
    if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(seconds) || seconds <= 0)
        return std::nullopt;
    return seconds;
}

std::optional<std::size_t> memory_size_from(std::string_view text) {
    const std::string compact = without_spaces_lower_case(text);
    double number = 0;
    const char* end = compact.data() + compact.size();
    const auto parsed = std::from_chars(compact.data(), end, number, std::chars_format::fixed);
    const auto unit = unit_bytes(std::string_view(parsed.ptr, end));
    if (parsed.ec != std::errc() || !unit || !std::isfinite(number))
        return std::nullopt;
    const double size = std::floor(number * *unit);
    if (size < smallest_card || size > largest_card)
        return std::nullopt;
    return static_cast<std::size_t>(size);
}

}  // namespace vram::settings
