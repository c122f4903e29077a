// The two sides that a runtime call can go to: NVIDIA's library or the virtual GPU.
#pragma once

#include <cstddef>
#include <string>

#include "grader/runtime/session.h"

namespace vram::runtime {

/// Chooses the side from VRAM_DEVICE, loads it and fills the table behind the trampolines. A side
/// that was asked for and cannot be had ends the process with exit status 87 and one line.
void open_side();

Device chosen_device();
/// "virtual GPU", or the name of the GPU that the real runtime calls device 0.
const std::string& chosen_device_name();
/// The side's own function for an entry, below the ledger; nullptr when it has none.
void* side_function(std::size_t entry);
/// The same, or a function that says that the call is missing.
void* callable_side_function(std::size_t entry);

}  // namespace vram::runtime
