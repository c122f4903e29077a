// JSON to text and back. In a file of its own, since the library's parser and printer take seconds to
// compile wherever they are used.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace vram {

/// Throws nlohmann::json::exception where the text is no JSON.
nlohmann::json parse_json(std::string_view text);

/// In several lines, two spaces deep, or in one. Bytes that are no UTF-8 are replaced.
enum class JsonLayout { lines, one_line };
std::string json_text(const nlohmann::json& value, JsonLayout layout = JsonLayout::lines);

}  // namespace vram
