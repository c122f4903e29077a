#include "grader/proctor/hints.h"

#include <cctype>
#include <optional>

#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

/// The text behind "3. " or "3) " at the beginning of a line.
std::optional<std::string_view> numbered_item(std::string_view line) {
    std::size_t digits = 0;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits]))) {
        ++digits;
    }
    if (digits == 0 || digits + 1 >= line.size() || (line[digits] != '.' && line[digits] != ')') ||
        line[digits + 1] != ' ') {
        return std::nullopt;
    }
    return trimmed(line.substr(digits + 1));
}

}  // namespace

std::map<std::string, std::vector<std::string>> parse_hints(std::string_view markdown) {
    std::map<std::string, std::vector<std::string>> hints;
    std::vector<std::string>* steps = nullptr;
    for (const std::string& line : lines_of(markdown)) {
        const std::string_view text = trimmed(line);
        if (text.starts_with("## ")) {
            std::string check(trimmed(text.substr(3)));
            std::erase(check, '`');
            steps = &hints[check];
        } else if (text.starts_with('#')) {
            steps = nullptr;
        } else if (steps != nullptr && !text.empty()) {
            if (const auto item = numbered_item(text)) {
                steps->emplace_back(*item);
            } else if (!steps->empty()) {
                steps->back() += " " + std::string(text);
            }
        }
    }
    return hints;
}

}  // namespace vram::proctor
