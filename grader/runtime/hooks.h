// The hooks: what stands between a trampoline and its side for the calls that pass the ledger.
#pragma once

#include <cstddef>

namespace vram::runtime {

/// The hook of an entry; nullptr for a call that goes straight to its side.
void* hook_of(std::size_t entry);
/// A function that says that the virtual GPU lacks this call, and returns cudaErrorNotSupported.
void* missing_function(std::size_t entry);

}  // namespace vram::runtime
