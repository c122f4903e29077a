// The variables of the environment that a person may set, and what each of them can be. A value that
// means nothing is refused, not passed over: whoever wrote it meant something by it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vram::settings {

/// The names, of those too whose value is a file or a folder.
std::vector<std::string_view> variable_names();

/// What to say of a value that the variable can't have: `VRAM_DEVICE is "cpu"; it can be auto,
/// virtual or gpu`. nullopt for a good value, for an empty one (as good as none) and for a variable
/// that is not ours.
std::optional<std::string> refusal(std::string_view name, std::string_view value);

/// The refusal of the first variable that has one. `value_of` reads the environment; "" for unset.
std::optional<std::string> first_refusal(std::string (*value_of)(const char* name));

}  // namespace vram::settings
