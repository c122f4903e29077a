// What address-ordered best fit makes of a trace, reckoned without a device: the yardstick for the
// memory that a pool needs.
#pragma once

#include <cstddef>

#include "grader/bench/pool/trace.h"

namespace vram::bench {

/// The most bytes that a best-fit pool reserves when it starts with an arena of `initial_bytes` and
/// grows by arenas of `growth_bytes`, or of a request's size if that is more.
std::size_t best_fit_reservation(const Trace& trace, std::size_t initial_bytes,
                                 std::size_t growth_bytes);

}  // namespace vram::bench
