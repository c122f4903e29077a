#include "grader/proctor/call_sites.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <set>

#include "grader/proctor/text.h"
#include "grader/proctor/tool.h"

namespace vram::proctor {

namespace {

constexpr std::string_view token_begin = "{site:";

std::string hex(std::uint64_t value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
    return buffer;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
    if (text.starts_with("0x")) {
        text.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

/// A return address lies behind its call, maybe on the next line's code already.
std::uint64_t call_address(std::uint64_t return_address) {
    return return_address - 1;
}

/// Calls `found(begin, end, address)` for each token of the text.
template <typename Found>
void each_token(std::string_view text, Found found) {
    std::size_t begin = text.find(token_begin);
    while (begin != std::string_view::npos) {
        const std::size_t value = begin + token_begin.size();
        const std::size_t end = text.find('}', value);
        if (end == std::string_view::npos) {
            return;
        }
        if (const auto address = parse_hex(text.substr(value, end - value))) {
            found(begin, end + 1, *address);
        }
        begin = text.find(token_begin, end);
    }
}

Site parse_place(const std::string& function, const std::string& place) {
    Site site;
    // "/path/file.cu:31 (discriminator 2)", "??:0", "file.cu:?"
    const std::string text = place.substr(0, place.find(" (discriminator"));
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return site;
    }
    site.file = std::filesystem::path(text.substr(0, colon)).filename();
    site.line = std::atoi(text.c_str() + colon + 1);
    site.function = function == "??" ? "" : short_function(function);
    return site;
}

SiteTable ask_addr2line(const std::filesystem::path& program,
                        const std::vector<std::uint64_t>& return_addresses) {
    if (return_addresses.empty()) {
        return {};
    }
    std::string input;
    for (const std::uint64_t address : return_addresses) {
        input += hex(call_address(address)) + "\n";
    }
    return parse_addr2line(
        run_tool({"addr2line", "-a", "-f", "-C", "-i", "-e", program}, "/", input).output);
}

/// Function templates are demangled with what they return: "cudaError allocate<float>".
std::string without_return_type(const std::string& name) {
    if (name.find("operator") != std::string::npos) {
        return name;
    }
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < name.size(); ++at) {
        depth += name[at] == '<' ? 1 : name[at] == '>' ? -1 : 0;
        if (depth == 0 && name[at] == ' ') {
            begin = at + 1;
        }
    }
    return name.substr(begin);
}

}  // namespace

std::string place_text(const Site& site) {
    return site.file + ":" + std::to_string(site.line);
}

std::string short_function(std::string_view demangled) {
    std::string name(demangled.substr(0, demangled.find(" [clone")));
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    for (std::size_t at = name.find(anonymous); at != std::string::npos;
         at = name.find(anonymous)) {
        name.erase(at, anonymous.size());
    }
    const bool call_operator = name.find("operator()(") != std::string::npos;
    name = name.substr(0, call_operator ? name.find("operator()(") + 10 : name.find('('));
    return without_return_type(name);
}

SiteTable parse_addr2line(std::string_view output) {
    SiteTable table;
    std::vector<Site>* sites = nullptr;
    std::optional<std::string> function;
    for (const std::string& line : lines_of(output)) {
        if (const auto address = line.starts_with("0x") ? parse_hex(line) : std::nullopt) {
            sites = &table[*address];
            function.reset();
        } else if (!function) {
            function = line;
        } else if (sites != nullptr) {
            sites->push_back(parse_place(*function, line));
            function.reset();
        }
    }
    return table;
}

CallSites::CallSites(SiteTable table, std::string learner_file)
    : table_(std::move(table)), learner_file_(std::move(learner_file)) {}

CallSites::CallSites(const std::filesystem::path& program, std::string learner_file,
                     const std::vector<std::uint64_t>& return_addresses)
    : CallSites(ask_addr2line(program, return_addresses), std::move(learner_file)) {}

Site CallSites::of(const std::vector<std::uint64_t>& return_addresses) const {
    for (const std::uint64_t address : return_addresses) {
        const auto sites = table_.find(call_address(address));
        if (sites == table_.end()) {
            continue;
        }
        const auto found = std::find_if(
            sites->second.begin(), sites->second.end(),
            [&](const Site& site) { return site.known() && site.file == learner_file_; });
        if (found != sites->second.end()) {
            return *found;
        }
    }
    return {};
}

std::string CallSites::with_sites(std::string_view text) const {
    std::string result;
    std::size_t copied = 0;
    each_token(text, [&](std::size_t begin, std::size_t end, std::uint64_t address) {
        result += text.substr(copied, begin - copied);
        const Site site = of({address});
        result += site.known() ? place_text(site) : "outside of " + learner_file_;
        copied = end;
    });
    return result + std::string(text.substr(copied));
}

std::vector<std::uint64_t> return_addresses_in(const std::vector<protocol::CheckResult>& results) {
    std::set<std::uint64_t> addresses;
    const auto add_tokens = [&](std::string_view text) {
        each_token(text, [&](std::size_t, std::size_t, std::uint64_t address) {
            addresses.insert(address);
        });
    };
    for (const protocol::CheckResult& result : results) {
        add_tokens(result.remark);
        for (const protocol::Finding& finding : result.findings) {
            for (const std::string* text : {&finding.first_line, &finding.note, &finding.expected,
                                            &finding.found, &finding.why}) {
                add_tokens(*text);
            }
            for (const protocol::Step& step : finding.steps) {
                add_tokens(step.text);
                addresses.insert(step.frames.begin(), step.frames.end());
            }
        }
    }
    addresses.erase(0);
    return {addresses.begin(), addresses.end()};
}

}  // namespace vram::proctor
