// Cuts PTX text into tokens.
#pragma once

#include <string_view>
#include <vector>

namespace vram::virtual_gpu::ptx {

struct Token {
    std::string_view text;
    int line = 0;  ///< of the PTX text, from 1
};

/// Tokens refer into `text`, which must outlive them. `.loc` and `.file` directives, which end at
/// the end of their line, are one token each. Comments vanish. Never fails.
std::vector<Token> tokenize(std::string_view text);

}  // namespace vram::virtual_gpu::ptx
