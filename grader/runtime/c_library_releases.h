// Blocks of the runtime that a program gives to the C library: free(), delete, realloc().
#pragma once

namespace vram::runtime {

/// Whether `pointer` is the first byte of a live block that a runtime call made; memory of the
/// program that was only registered is none. Books the misuse in the ledger if so.
/// `call`: what the program called, for sentences. `frame`: the frame of what stands in for it.
bool is_runtimes_block(const void* pointer, const char* call, const void* frame);

}  // namespace vram::runtime
