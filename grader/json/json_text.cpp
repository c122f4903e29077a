#include "grader/json/json_text.h"

namespace vram {

using nlohmann::json;

json parse_json(std::string_view text) {
    return json::parse(text);
}

std::string json_text(const json& value, JsonLayout layout) {
    const int indent = layout == JsonLayout::lines ? 2 : -1;
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace vram
