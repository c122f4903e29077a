// Carries what the virtual GPU reports into the ledger.
#pragma once

namespace vram::runtime {

void listen_to_virtual_gpu();

}  // namespace vram::runtime
