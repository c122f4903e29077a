// Carries what the virtual GPU reports into the ledger.
#pragma once

#include "grader/runtime/records.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime {

/// The record of a report, but for its allocation and frames, which need the ledger or the fault.
Misuse misuse_from(const virtual_gpu::Report& report);
void listen_to_virtual_gpu();

}  // namespace vram::runtime
