#include "grader/bench/pool/padding.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace vram::bench {

namespace {

constexpr std::size_t smallest_block = 512;

std::string line_of(const char* form, const Padding& row) {
    char line[160];
    std::snprintf(line, sizeof line, form, row.trace.c_str(), row.classes.c_str(),
                  row.times_as_much);
    return line;
}

}  // namespace

std::vector<SizeClasses> usual_size_classes() {
    return {{"one size for all", 0},    {"powers of two", 1},       {"2 for each doubling", 2},
            {"4 for each doubling", 4}, {"8 for each doubling", 8}, {"32 for each doubling", 32}};
}

std::size_t rounded_up(std::size_t bytes, const SizeClasses& classes, std::size_t largest_request) {
    const bool one_size = classes.steps_per_doubling == 0;
    const std::size_t wanted = std::max<std::size_t>(one_size ? largest_request : bytes, 1);
    const std::size_t blocks = (wanted - 1) / smallest_block + 1;
    if (one_size || blocks <= classes.steps_per_doubling) {
        return blocks * smallest_block;
    }
    // Of the numbers in (2^k, 2^(k+1)], each multiple of the step is a class.
    const std::size_t step =
        std::max<std::size_t>(std::bit_floor(blocks - 1) / classes.steps_per_doubling, 1);
    return (blocks + step - 1) / step * step * smallest_block;
}

Padding measure_padding(const Trace& trace, const SizeClasses& classes) {
    std::vector<std::size_t> held_in_slot(trace.slots, 0);
    std::size_t held = 0;
    std::size_t most_held = 0;
    for (const Operation& operation : trace.operations) {
        std::size_t& bytes = held_in_slot[operation.slot];
        if (operation.kind == Operation::Kind::allocate) {
            bytes = rounded_up(operation.bytes, classes, trace.largest_request);
            held += bytes;
            most_held = std::max(most_held, held);
        } else {
            held -= bytes;
        }
    }
    return {trace.name, classes.name,
            static_cast<double>(most_held) / static_cast<double>(trace.most_live_bytes)};
}

std::string padding_as_text(const std::vector<Padding>& paddings) {
    std::string text = "The most bytes held at once, as a multiple of those asked for:\n";
    for (std::size_t index = 0; index < paddings.size(); ++index) {
        if (index > 0 && paddings[index].trace != paddings[index - 1].trace) {
            text += "\n";
        }
        text += line_of("%-12s %-22s %6.2f\n", paddings[index]);
    }
    return text;
}

std::string padding_as_csv(const std::vector<Padding>& paddings) {
    std::string text = "trace,size_classes,times_as_much\n";
    for (const Padding& row : paddings) {
        text += line_of("%s,%s,%.2f\n", row);
    }
    return text;
}

}  // namespace vram::bench
