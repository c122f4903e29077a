#include "grader/bench/pool/rmm_log.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace vram::bench {
namespace {

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t comma = line.find(',');
        std::string_view field = line.substr(0, comma);
        while (!field.empty() && field.front() == ' ') {
            field.remove_prefix(1);
        }
        while (!field.empty() && field.back() == ' ') {
            field.remove_suffix(1);
        }
        fields.push_back(field);
        if (comma == std::string_view::npos) {
            return fields;
        }
        line.remove_prefix(comma + 1);
    }
}

std::optional<std::uint64_t> whole_number(std::string_view text, int base) {
    if (base == 16 && text.substr(0, 2) == "0x") {
        text.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

/// A pointer is logged in hexadecimal; "(nil)" is how some libraries print null.
std::optional<std::uint64_t> pointer_from(std::string_view text) {
    return text == "(nil)" ? std::optional<std::uint64_t>(0) : whole_number(text, 16);
}

/// More than any device has, and little enough that the sums of a trace fit into 64 bits.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48;

std::string in_quotes(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

struct LiveBlock {
    std::uint32_t slot = 0;
    std::uint64_t bytes = 0;
    std::size_t line = 0;
};

class Reader {
  public:
    explicit Reader(const std::string& name) : builder_(name) {}

    void read_line(std::string_view text, std::size_t number) {
        line_ = number;
        const std::vector<std::string_view> fields = split(text);
        if (fields.size() != 6) {
            return complain("6 fields are due, here are " + std::to_string(fields.size()));
        }
        const std::string_view action = fields[2];
        const auto bytes = whole_number(fields[4], 10);
        if (!bytes) {
            return complain("the size " + in_quotes(fields[4]) + " is no whole number");
        }
        if (action == "allocate failure") {
            ++log_.failures;
            return;
        }
        const auto pointer = pointer_from(fields[3]);
        if (!pointer) {
            return complain("the pointer " + in_quotes(fields[3]) + " is no hexadecimal number");
        }
        if (action == "allocate") {
            allocate(*pointer, *bytes, fields[3]);
        } else if (action == "free") {
            free(*pointer, *bytes, fields[3]);
        } else {
            complain("the action " + in_quotes(action) +
                     " is none of allocate, free, allocate failure");
        }
    }

    void complain(const std::string& what) {
        log_.errors.push_back("line " + std::to_string(line_) + ": " + what);
    }
    void complain_at(std::size_t number, const std::string& what) {
        line_ = number;
        complain(what);
    }

    RmmLog finish() {
        log_.trace = builder_.finish_as_it_is();
        return std::move(log_);
    }

  private:
    void allocate(std::uint64_t pointer, std::uint64_t bytes, std::string_view text) {
        if (bytes == 0) {
            ++log_.zero_sized;
            return;
        }
        if (pointer == 0) {
            return complain("an allocation of " + std::to_string(bytes) + " bytes at null");
        }
        const auto earlier = live_.find(pointer);
        if (earlier != live_.end()) {
            return complain(in_quotes(text) + " is in use since line " +
                            std::to_string(earlier->second.line));
        }
        if (bytes > most_bytes - builder_.live_bytes()) {
            return complain("with this block, more is in use than any device has");
        }
        live_[pointer] = {builder_.allocate(bytes), bytes, line_};
    }

    void free(std::uint64_t pointer, std::uint64_t bytes, std::string_view text) {
        if (bytes == 0) {
            ++log_.zero_sized;
            return;
        }
        const auto block = live_.find(pointer);
        if (block == live_.end()) {
            return complain(in_quotes(text) + " is freed, but not in use");
        }
        if (block->second.bytes != bytes) {
            return complain(in_quotes(text) + " has " + std::to_string(block->second.bytes) +
                            " bytes since line " + std::to_string(block->second.line) +
                            " and is freed with " + std::to_string(bytes));
        }
        builder_.free(block->second.slot);
        live_.erase(block);
    }

    TraceBuilder builder_;
    RmmLog log_;
    std::unordered_map<std::uint64_t, LiveBlock> live_;
    std::size_t line_ = 0;
};

}  // namespace

RmmLog read_rmm_log(std::istream& text, const std::string& name) {
    constexpr std::string_view header = "Thread,Time,Action,Pointer,Size,Stream";
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    Reader reader(name);
    std::string line;
    std::size_t number = 0;
    while (std::getline(text, line)) {
        ++number;
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        if (number == 1) {
            if (line.compare(0, byte_order_mark.size(), byte_order_mark) == 0) {
                line.erase(0, byte_order_mark.size());
            }
            if (line != header) {
                reader.complain_at(1, "the header \"" + std::string(header) + "\" is due here");
                return reader.finish();
            }
        } else if (!line.empty()) {
            reader.read_line(line, number);
        }
    }
    if (number == 0) {
        reader.complain_at(1, "the file is empty");
    }
    return reader.finish();
}

}  // namespace vram::bench
