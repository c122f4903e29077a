// What it costs to round the sizes of a trace up: the price of size classes, before any pool's own
// losses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grader/bench/pool/trace.h"

namespace vram::bench {

/// A way to round sizes up.
struct SizeClasses {
    std::string name;
    /// Classes for each power of two; 0: a single class, that of the trace's largest request.
    std::size_t steps_per_doubling = 1;
};

/// One size for all, then 1, 2, 4, 8 and 32 classes for each power of two.
std::vector<SizeClasses> usual_size_classes();

/// The smallest class that holds `bytes`, at least the smallest block of 512 bytes.
std::size_t rounded_up(std::size_t bytes, const SizeClasses& classes, std::size_t largest_request);

struct Padding {
    std::string trace;
    std::string classes;
    /// The most bytes held at once, as a multiple of the most bytes asked for at once.
    double times_as_much = 0;
};

Padding measure_padding(const Trace& trace, const SizeClasses& classes);

/// Text as a table, a line a trace.
std::string padding_as_text(const std::vector<Padding>& paddings);
std::string padding_as_csv(const std::vector<Padding>& paddings);

}  // namespace vram::bench
