#include "grader/virtual_gpu/ptx/lexer.h"

#include <cstddef>

namespace vram::virtual_gpu::ptx {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool starts_word(char c) {
    return is_letter(c) || c == '_' || c == '$' || c == '%' || c == '.';
}

bool continues_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '.' || c == '%';
}

bool declares(std::string_view word) {
    return word == ".reg" || word == ".param" || word == ".local" || word == ".shared" ||
           word == ".global" || word == ".const";
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        while (skip_blanks_and_comments()) {
            const std::size_t begin = position_;
            const int line = line_;
            take_one();
            tokens_.push_back({text_.substr(begin, position_ - begin), line});
        }
        return std::move(tokens_);
    }

  private:
    char at(std::size_t ahead) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }

    /// False at the end of the text.
    bool skip_blanks_and_comments() {
        while (position_ < text_.size()) {
            const char c = at(0);
            if (c == '/' && at(1) == '/') {
                skip_to_end_of_line();
            } else if (c == '/' && at(1) == '*') {
                skip_block_comment();
            } else if (c == '\n') {
                ++line_;
                ++position_;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0' || c == '\v' || c == '\f') {
                ++position_;
            } else {
                return true;
            }
        }
        return false;
    }

    void skip_to_end_of_line() {
        while (position_ < text_.size() && at(0) != '\n') {
            ++position_;
        }
    }

    void skip_block_comment() {
        position_ += 2;
        while (position_ < text_.size() && !(at(0) == '*' && at(1) == '/')) {
            line_ += at(0) == '\n';
            ++position_;
        }
        position_ = position_ + 2 < text_.size() ? position_ + 2 : text_.size();
    }

    void take_one() {
        const char first = at(0);
        if (first == '"') {
            take_string();
        } else if (starts_word(first)) {
            take_word();
        } else if (is_digit(first)) {
            take_number();
        } else {
            ++position_;
        }
    }

    void take_string() {
        ++position_;
        while (position_ < text_.size() && at(0) != '"' && at(0) != '\n') {
            ++position_;
        }
        position_ += position_ < text_.size();
    }

    void take_word() {
        const std::size_t begin = position_++;
        const bool directive = text_[begin] == '.';
        for (;;) {
            if (directive && at(0) == '.' && declares(text_.substr(begin, position_ - begin))) {
                break;  // what follows is a word of its own: .reg.b32
            }
            if (continues_word(at(0))) {
                ++position_;
            } else if (at(0) == ':' && at(1) == ':' && (is_letter(at(2)) || is_digit(at(2)))) {
                position_ += 2;
            } else {
                break;
            }
        }
        const std::string_view word = text_.substr(begin, position_ - begin);
        if (directive && (word == ".loc" || word == ".file")) {
            skip_to_end_of_line();
        }
    }

    void take_number() {
        while (is_letter(at(0)) || is_digit(at(0)) || at(0) == '.') {
            ++position_;
        }
    }

    std::string_view text_;
    std::size_t position_ = 0;
    int line_ = 1;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
    return Lexer(text).run();
}

}  // namespace vram::virtual_gpu::ptx
