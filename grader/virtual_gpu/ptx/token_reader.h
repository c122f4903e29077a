// A cursor over tokens, with the few questions that both readers of PTX ask.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grader/virtual_gpu/ptx/lexer.h"
#include "grader/virtual_gpu/ptx/syntax_error.h"

namespace vram::virtual_gpu::ptx {

/// A number of PTX text. `bits` holds an integer, or the pattern of a float.
struct Literal {
    std::uint64_t bits = 0;
    int float_bytes = 0;  ///< 4 for 0f..., 8 for 0d... and decimal fractions, 0 for an integer
};

class TokenReader {
  public:
    TokenReader(const std::vector<Token>& tokens, std::size_t begin, std::size_t end)
        : tokens_(tokens), position_(begin), end_(end) {}

    bool at_end() const { return position_ >= end_; }
    std::size_t position() const { return position_; }
    int line() const;
    /// Empty at the end.
    std::string_view peek(std::size_t ahead = 0) const;
    std::string_view take();
    /// Takes the next token if it is `text`.
    bool accept(std::string_view text);
    void expect(std::string_view text);
    /// Goes past the next `;`.
    void skip_statement();
    /// Goes past the `}` that closes a `{` already taken, and returns its position.
    std::size_t skip_braces();

    bool peek_is_number() const;
    /// A signed integer that fits 64 bits.
    std::int64_t take_integer();
    /// A count or a size: an integer from 0 to `most`.
    std::uint64_t take_size(std::uint64_t most);
    Literal take_literal();

    [[noreturn]] void fail(const std::string& what) const;

  private:
    const std::vector<Token>& tokens_;
    std::size_t position_;
    std::size_t end_;
};

}  // namespace vram::virtual_gpu::ptx
