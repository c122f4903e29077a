// The virtual GPU's own entry points beside the runtime calls, below the ledger. Each does nothing,
// or answers 0, where the virtual GPU was not linked in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grader/runtime/session.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime::controls {

void set_observer(virtual_gpu::Observer* observer);
const char* diagnosis_id(virtual_gpu::ReportKind kind);
/// Safe in a signal handler.
bool is_device_address(std::uint64_t address);

}  // namespace vram::runtime::controls
