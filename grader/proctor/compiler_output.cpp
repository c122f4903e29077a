#include "grader/proctor/compiler_output.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "grader/proctor/text.h"

namespace vram::proctor {

std::vector<CompilerError> compiler_errors(std::string_view output) {
    // nvcc's own front end:  file.cu(12): error: text    file.cu(12): catastrophic error: text
    static const std::regex front_end(
        R"(^(.+)\((\d+)\): (?:catastrophic )?error(?: #[^:]*)?: (.*)$)");
    // the host compiler:     file.cu:12:7: error: text   file.cu:12:7: fatal error: text
    static const std::regex host(R"(^(.+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$)");
    std::vector<CompilerError> result;
    for (const std::string& line : lines_of(output)) {
        std::smatch parts;
        if (line.size() < 4096 &&
            (std::regex_match(line, parts, front_end) || std::regex_match(line, parts, host))) {
            result.push_back({std::filesystem::path(parts[1].str()).filename(),
                              std::stoi(parts[2].str().substr(0, 9)), parts[3]});
        }
    }
    return result;
}

std::vector<std::string> undefined_names(std::string_view linker_output) {
    static const std::regex bfd(R"(^.*undefined reference to [`'](.*)'$)");
    static const std::regex lld(R"(^.*error: undefined symbol: (.*)$)");
    std::vector<std::string> result;
    for (const std::string& line : lines_of(linker_output)) {
        std::smatch parts;
        if (line.size() < 4096 &&
            (std::regex_match(line, parts, bfd) || std::regex_match(line, parts, lld)) &&
            std::find(result.begin(), result.end(), parts[1].str()) == result.end()) {
            result.push_back(parts[1]);
        }
    }
    return result;
}

std::vector<std::string> dependencies(std::string_view makefile_rule) {
    std::vector<std::string> result;
    const std::size_t colon = makefile_rule.find(": ");
    if (colon == std::string_view::npos) {
        return result;
    }
    std::string name;
    const auto finish = [&] {
        if (!name.empty()) {
            result.push_back(std::move(name));
            name.clear();
        }
    };
    const std::string_view list = makefile_rule.substr(colon + 1);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const char next = i + 1 < list.size() ? list[i + 1] : '\0';
        if (list[i] == '\\' && next == '\n') {
            ++i;
            finish();
        } else if (list[i] == '\\' && (next == ' ' || next == '#')) {
            name += list[++i];
        } else if (list[i] == '$' && next == '$') {
            name += list[++i];
        } else if (list[i] == ' ' || list[i] == '\n' || list[i] == '\t') {
            finish();
        } else {
            name += list[i];
        }
    }
    finish();
    return result;
}

}  // namespace vram::proctor
