#include "grader/settings/variables.h"

#include "grader/settings/values.h"

namespace vram::settings {
namespace {

constexpr std::uint64_t most_workers = 1024;
constexpr double longest_check = 24 * 3600;

bool is_device(std::string_view text) {
    return text == "auto" || text == "virtual" || text == "gpu";
}

bool is_memory_size(std::string_view text) {
    return memory_size_from(text).has_value();
}

bool is_whole_number(std::string_view text) {
    return whole_number_from(text).has_value();
}

bool is_count(std::string_view text) {
    return whole_number_from(text).value_or(0) > 0;
}

bool is_number_of_workers(std::string_view text) {
    return whole_number_from(text).value_or(most_workers + 1) <= most_workers;
}

bool is_check_time(std::string_view text) {
    return seconds_from(text).value_or(2 * longest_check) <= longest_check;
}

bool is_flag(std::string_view text) {
    return flag_from(text).has_value();
}

/// What becomes of files and folders is seen when they are opened.
bool is_anything(std::string_view) {
    return true;
}

struct Variable {
    const char* name;
    bool (*can_be)(std::string_view value);
    const char* in_words;
};

constexpr Variable variables[] = {
    {"VRAM_DEVICE", is_device, "auto, virtual or gpu"},
    {"VRAM_MEMORY", is_memory_size, "a size from 4 MiB to 1 TiB, for example 10GiB"},
    {"VRAM_SEED", is_whole_number, "a whole number, for example 7"},
    {"VRAM_CHECK_ACCESSES", is_flag, "1 or 0"},
    {"VRAM_CHECK_INIT", is_flag, "1 or 0"},
    {"VRAM_CHECK_RACES", is_flag, "1 or 0"},
    {"VRAM_CHECK_SECONDS", is_check_time, "a number of seconds up to a day, for example 20"},
    {"VRAM_INSTRUCTION_LIMIT", is_count, "a whole number above 0"},
    {"VRAM_SUMMARY", is_flag, "1 or 0"},
    {"VRAM_WORKERS", is_number_of_workers, "a number of threads up to 1024, or 0 for one a core"},
    {"VRAM_BUILD", is_anything, ""},
    {"VRAM_CACHE", is_anything, ""},
    {"VRAM_REPORT", is_anything, ""},
};

}  // namespace

std::vector<std::string_view> variable_names() {
    std::vector<std::string_view> names;
    for (const Variable& variable : variables)
        names.emplace_back(variable.name);
    return names;
}

std::optional<std::string> refusal(std::string_view name, std::string_view value) {
    for (const Variable& variable : variables)
        if (variable.name == name && !value.empty() && !variable.can_be(value))
            return std::string(name) + " is \"" + std::string(value) + "\"; it can be " +
                   variable.in_words;
    return std::nullopt;
}

std::optional<std::string> first_refusal(std::string (*value_of)(const char* name)) {
    for (const Variable& variable : variables)
        if (auto words = refusal(variable.name, value_of(variable.name)))
            return words;
    return std::nullopt;
}

}  // namespace vram::settings
