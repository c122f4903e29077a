#include "grader/virtual_gpu/ptx/token_reader.h"

#include <cstdlib>
#include <cstring>

namespace vram::virtual_gpu::ptx {

int TokenReader::line() const {
    if (tokens_.empty()) {
        return 0;
    }
    return tokens_[position_ < tokens_.size() ? position_ : tokens_.size() - 1].line;
}

std::string_view TokenReader::peek(std::size_t ahead) const {
    return position_ + ahead < end_ ? tokens_[position_ + ahead].text : std::string_view();
}

std::string_view TokenReader::take() {
    if (at_end()) {
        fail("the text ends too early");
    }
    return tokens_[position_++].text;
}

bool TokenReader::accept(std::string_view text) {
    if (at_end() || tokens_[position_].text != text) {
        return false;
    }
    ++position_;
    return true;
}

void TokenReader::expect(std::string_view text) {
    if (!accept(text)) {
        fail("expected '" + std::string(text) + "', found '" + std::string(peek()) + "'");
    }
}

void TokenReader::skip_statement() {
    while (take() != ";") {
    }
}

std::size_t TokenReader::skip_braces() {
    for (int depth = 1; depth > 0;) {
        const std::string_view text = take();
        depth += (text == "{") - (text == "}");
    }
    return position_ - 1;
}

bool TokenReader::peek_is_number() const {
    std::string_view text = peek();
    if (text == "-") {
        text = peek(1);
    }
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

std::int64_t TokenReader::take_integer() {
    const Literal literal = take_literal();
    if (literal.float_bytes != 0) {
        fail("expected an integer");
    }
    return static_cast<std::int64_t>(literal.bits);
}

std::uint64_t TokenReader::take_size(std::uint64_t most) {
    const std::int64_t value = take_integer();
    if (value < 0 || static_cast<std::uint64_t>(value) > most) {
        fail("a size is out of range");
    }
    return static_cast<std::uint64_t>(value);
}

Literal TokenReader::take_literal() {
    const bool negative = accept("-");
    if (!peek_is_number() || peek() == "-") {
        fail("expected a number, found '" + std::string(peek()) + "'");
    }
    const std::string text(take());
    const char kind = text.size() > 2 && text[0] == '0' ? text[1] : '\0';
    if (kind == 'f' || kind == 'F') {
        std::uint64_t bits = std::strtoull(text.c_str() + 2, nullptr, 16) & 0xffffffffu;
        return {negative ? bits ^ 0x80000000u : bits, 4};
    }
    if (kind == 'd' || kind == 'D') {
        std::uint64_t bits = std::strtoull(text.c_str() + 2, nullptr, 16);
        return {negative ? bits ^ (std::uint64_t{1} << 63) : bits, 8};
    }
    if (text.find('.') != std::string::npos) {
        double value = std::strtod(text.c_str(), nullptr);
        value = negative ? -value : value;
        Literal literal{0, 8};
        std::memcpy(&literal.bits, &value, sizeof value);
        return literal;
    }
    const std::uint64_t value = std::strtoull(text.c_str(), nullptr, 0);
    return {negative ? 0 - value : value, 0};
}

void TokenReader::fail(const std::string& what) const {
    throw SyntaxError("PTX line " + std::to_string(line()) + ": " + what);
}

}  // namespace vram::virtual_gpu::ptx
