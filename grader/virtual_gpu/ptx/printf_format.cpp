#include "grader/virtual_gpu/ptx/printf_format.h"

#include <cstdio>
#include <cstring>
#include <vector>

namespace vram::virtual_gpu::ptx {

namespace {

class Formatter {
  public:
    Formatter(const std::string& format, const ReadArgument& argument, const ReadString& string)
        : format_(format), argument_(argument), string_(string) {}

    FormattedText run() {
        while (position_ < format_.size()) {
            const char c = format_[position_++];
            if (c != '%') {
                result_.text += c;
            } else if (position_ < format_.size() && format_[position_] == '%') {
                result_.text += '%';
                ++position_;
            } else {
                convert();
            }
        }
        return std::move(result_);
    }

  private:
    void convert() {
        std::string specification = "%";
        bool is_long = false;
        while (position_ < format_.size()) {
            const char c = format_[position_++];
            if (std::strchr("diouxXcsaAeEfFgGp", c) != nullptr) {
                print(specification, c, is_long);
                return;
            }
            if (c == '*') {
                specification += std::to_string(static_cast<std::int32_t>(take(4)));
            } else if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
                is_long = true;
            } else if (c != 'h' && specification.size() < 32) {
                specification += c;
            }
        }
    }

    void print(std::string specification, char conversion, bool is_long) {
        ++result_.arguments;
        if (conversion == 's') {
            const std::string text = string_(take(8));
            append(specification + "s", text.c_str());
        } else if (conversion == 'p') {
            append(specification + "p", reinterpret_cast<void*>(take(8)));
        } else if (std::strchr("aAeEfFgG", conversion) != nullptr) {
            const std::uint64_t bits = take(8);
            double value;
            std::memcpy(&value, &bits, sizeof value);
            append(specification + conversion, value);
        } else if (is_long && conversion != 'c') {
            append(specification + "ll" + conversion, static_cast<long long>(take(8)));
        } else {
            append(specification + conversion, static_cast<std::int32_t>(take(4)));
        }
    }

    template <class T>
    void append(const std::string& specification, T value) {
        const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
        if (length <= 0 || length > 1 << 20) {
            return;
        }
        std::vector<char> buffer(static_cast<std::size_t>(length) + 1);
        std::snprintf(buffer.data(), buffer.size(), specification.c_str(), value);
        result_.text.append(buffer.data(), static_cast<std::size_t>(length));
    }

    std::uint64_t take(std::size_t bytes) {
        offset_ = (offset_ + bytes - 1) / bytes * bytes;
        const std::uint64_t value = argument_(offset_, bytes);
        offset_ += bytes;
        return value;
    }

    const std::string& format_;
    const ReadArgument& argument_;
    const ReadString& string_;
    std::size_t position_ = 0;
    std::size_t offset_ = 0;
    FormattedText result_;
};

}  // namespace

FormattedText format_printf(const std::string& format, const ReadArgument& argument,
                            const ReadString& string) {
    return Formatter(format, argument, string).run();
}

}  // namespace vram::virtual_gpu::ptx
