// The ledger's records in words.
#pragma once

#include <string>

#include "grader/runtime/ledger.h"
#include "grader/runtime/records.h"

namespace vram::runtime {

/// What a program calls it: "cudaMemcpy" for cudaMemcpy_ptds, "A kernel launch".
std::string call_name(const CallRecord& call);
/// "cudaMalloc(1048576 bytes) -> 0x200000000400", "cudaFree(0x...) -> cudaErrorInvalidValue".
/// Takes the ledger's lock for the name of a kernel.
std::string describe_call(Ledger& ledger, const CallRecord& call);
/// "a 4096-byte block from cudaMalloc".
std::string describe_allocation(const AllocationRecord& allocation);
/// "stream", "event" or "memory pool".
const char* handle_name(HandleKind kind);
/// "host to device" and so on.
const char* copy_kind_name(int kind);
/// "1 byte", "4096 bytes".
std::string bytes_text(std::uint64_t bytes);
/// "0x200000000400".
std::string hexadecimal(std::uint64_t value);

}  // namespace vram::runtime
