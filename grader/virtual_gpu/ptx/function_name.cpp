#include "grader/virtual_gpu/ptx/function_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::size_t most_template_characters = 40;
constexpr std::string_view anonymous_namespace = "(anonymous namespace)";
constexpr std::string_view call_operator = "operator()";

/// Walks over the characters that are inside no brackets.
class OuterCharacters {
  public:
    explicit OuterCharacters(std::string_view text) : text_(text) {}

    /// The next one; false at the end. Whatever is in brackets counts as its opening bracket.
    bool next() {
        at_ = end_;
        if (at_ >= text_.size()) {
            return false;
        }
        for (const std::string_view whole : {anonymous_namespace, call_operator}) {
            if (text_.substr(at_, whole.size()) == whole) {
                end_ = at_ + whole.size();
                is_whole_ = true;
                return true;
            }
        }
        is_whole_ = false;
        end_ = at_ + 1;
        int depth = opens(text_[at_]) ? 1 : 0;
        for (; depth > 0 && end_ < text_.size(); ++end_) {
            depth += opens(text_[end_]) ? 1 : closes(end_) ? -1 : 0;
        }
        return true;
    }
    bool is(char wanted) const { return !is_whole_ && text_[at_] == wanted; }
    std::size_t position() const { return at_; }
    std::string_view piece() const { return text_.substr(at_, end_ - at_); }

  private:
    static bool opens(char c) { return c == '<' || c == '(' || c == '{' || c == '['; }
    bool closes(std::size_t at) const {
        const char c = text_[at];
        const bool arrow = c == '>' && at > 0 && text_[at - 1] == '-';
        return (c == '>' && !arrow) || c == ')' || c == '}' || c == ']';
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    bool is_whole_ = false;
};

}  // namespace

std::string short_function_name(std::string_view demangled) {
    std::string name;
    OuterCharacters characters(demangled);
    while (characters.next()) {
        if (characters.is('(') && !name.empty()) {
            break;  // the parameters
        }
        if (characters.is(' ')) {
            name.clear();  // that was the return type
        } else if (characters.is('<') && characters.piece().size() > most_template_characters) {
            name += "<...>";
        } else {
            name += characters.piece();
        }
    }
    return name.empty() ? std::string(demangled) : name;
}

std::string function_name(const std::string& mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text != nullptr ? short_function_name(text.get()) : mangled;
}

}  // namespace vram::virtual_gpu::ptx
