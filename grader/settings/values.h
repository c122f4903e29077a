// Values as people write them, in variables of the environment and in options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vram::settings {

/// "1", "true", "yes" and "on"; "0", "false", "no" and "off".
std::optional<bool> flag_from(std::string_view text);

/// Decimal digits and nothing else.
std::optional<std::uint64_t> whole_number_from(std::string_view text);

/// A duration above zero, such as "2.5".
std::optional<double> seconds_from(std::string_view text);

/// Bytes of a card's memory, between 4 MiB and 1 TiB: "10GiB", "512 MiB", "1.5G", "80GB", "8388608".
std::optional<std::size_t> memory_size_from(std::string_view text);

}  // namespace vram::settings
