// Small helpers for text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vram::proctor {

/// Splits at white space.
std::vector<std::string> words(std::string_view text);
/// Splits at '\n'; a last line without one counts, an empty rest does not.
std::vector<std::string> lines_of(std::string_view text);
/// Splits at `separator` and trims each part; empty parts are left out.
std::vector<std::string> list_of(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);
std::string joined(const std::vector<std::string>& parts, std::string_view separator);
/// Replaces control characters (a learner's output could hold terminal commands) by '?', tabs by
/// four spaces. '\n' stays.
std::string printable(std::string_view text);
/// Breaks at spaces so that no line is longer than `width`, where words allow it.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);
/// "1 check", "3 checks".
std::string counted(std::size_t count, std::string_view noun);
/// Columns on a terminal, for UTF-8 text without wide characters.
std::size_t columns(std::string_view text);
/// Points: "4", "2.5".
std::string number(double value);

}  // namespace vram::proctor
