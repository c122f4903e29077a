// The machine that a benchmark ran on.
#pragma once

#include <string>

namespace vram::bench {

/// The processor's name as its maker writes it; "unknown" if the system does not say.
std::string processor_name();

}  // namespace vram::bench
