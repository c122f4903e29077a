// Formats what device-side printf prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace vram::virtual_gpu::ptx {

/// Reads `bytes` bytes of the packed arguments, `offset` from their begin.
using ReadArgument = std::function<std::uint64_t(std::size_t offset, std::size_t bytes)>;
/// Reads the string at a device address.
using ReadString = std::function<std::string(std::uint64_t address)>;

struct FormattedText {
    std::string text;
    int arguments = 0;  ///< conversions that consumed one
};

/// Never reads an argument that the format does not ask for.
FormattedText format_printf(const std::string& format, const ReadArgument& argument,
                            const ReadString& string);

}  // namespace vram::virtual_gpu::ptx
