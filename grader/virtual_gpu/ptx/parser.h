// Reads the module level of PTX: directives, variables, and the headers of functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grader/virtual_gpu/ptx/module.h"
#include "grader/virtual_gpu/ptx/token_reader.h"

namespace vram::virtual_gpu::ptx {

/// A variable declaration of any state space.
struct Declaration {
    std::string name;
    Type type = Type::none;
    std::uint64_t bytes = 0;  ///< 0 for an array of unknown length
    std::uint32_t alignment = 1;
    bool managed = false;
    std::vector<std::byte> initial;
    struct Reference {
        std::uint32_t offset;
        std::string symbol;
    };
    std::vector<Reference> references;
};

/// Reads from after the state space to before the `;`, `,` or `)`.
Declaration read_declaration(TokenReader& reader);

/// Fills `module` from its tokens; function bodies are only located. Throws SyntaxError.
void parse_module(Module& module);

}  // namespace vram::virtual_gpu::ptx
