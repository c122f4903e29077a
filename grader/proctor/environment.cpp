#include "grader/proctor/environment.h"

#include <unistd.h>

#include <algorithm>

#include "grader/proctor/commands/arguments.h"
#include "grader/proctor/suggestion.h"
#include "grader/proctor/text.h"
#include "grader/settings/values.h"
#include "grader/settings/variables.h"

namespace vram::proctor {

namespace {

/// The largest check plays a trace with 2.4 GiB live; a wasteful solution needs a multiple of that.
constexpr std::size_t smallest_graded_card = std::size_t{8} << 30;

void refuse_bad_name(const std::string& name) {
    const auto known = settings::variable_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) {
        return;
    }
    const std::string suggestion = did_you_mean(name, {known.begin(), known.end()});
    if (!suggestion.empty()) {
        throw UsageError("There is no variable " + name + "." + suggestion);
    }
}

}  // namespace

void refuse_bad_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    refuse_bad_environment(variables);
}

void refuse_bad_environment(const std::vector<std::string>& variables) {
    for (const std::string& variable : variables) {
        if (!variable.starts_with("VRAM_")) {
            continue;
        }
        const std::size_t equals = variable.find('=');
        const std::string name = variable.substr(0, equals);
        const std::string value = equals == variable.npos ? "" : variable.substr(equals + 1);
        refuse_bad_name(name);
        if (const auto words = settings::refusal(name, value)) {
            throw UsageError(printable(*words) + ".");
        }
    }
}

void refuse_too_small_a_card(const char* memory) {
    const auto bytes = settings::memory_size_from(memory != nullptr ? memory : "");
    if (bytes && *bytes < smallest_graded_card) {
        throw UsageError("VRAM_MEMORY is \"" + std::string(memory) +
                         "\"; the checks need a card of at least 8GiB.");
    }
}

}  // namespace vram::proctor
