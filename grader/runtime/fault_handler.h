// Explains the fault of a program that touches device memory from the host, and lets it die.
#pragma once

namespace vram::runtime {

void install_fault_handler();
/// Gives the calling thread a stack for the handler.
void use_alternate_signal_stack();

}  // namespace vram::runtime
