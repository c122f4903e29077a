#include "grader/proctor/text.h"

#include <algorithm>
#include <cstdio>

namespace vram::proctor {

namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";

}  // namespace

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> result;
    std::size_t begin = text.find_first_not_of(white_space);
    while (begin != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(white_space, begin), text.size());
        result.emplace_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(white_space, end);
    }
    return result;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> result;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        result.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return result;
}

std::vector<std::string> list_of(std::string_view text, char separator) {
    std::vector<std::string> result;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        const std::string_view part = trimmed(text.substr(0, end));
        if (!part.empty()) {
            result.emplace_back(part);
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return result;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(white_space);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(white_space) - begin + 1);
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    std::string result;
    for (const std::string& part : parts) {
        if (!result.empty()) {
            result += separator;
        }
        result += part;
    }
    return result;
}

std::string printable(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\t') {
            result += "    ";
        } else if (c == '\n' || (code >= 0x20 && code != 0x7f)) {
            result += c;
        } else {
            result += '?';
        }
    }
    return result;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> result;
    for (const std::string& line : lines_of(text)) {
        std::string current;
        for (const std::string& word : words(line)) {
            if (!current.empty() && columns(current) + 1 + columns(word) > width) {
                result.push_back(std::move(current));
                current.clear();
            }
            if (!current.empty()) {
                current += ' ';
            }
            current += word;
        }
        result.push_back(std::move(current));
    }
    return result;
}

std::string counted(std::size_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string number(double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.2f", value);
    std::string text = buffer;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) {
        text.pop_back();
    }
    return text;
}

}  // namespace vram::proctor
