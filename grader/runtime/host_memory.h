// Questions about addresses of this process that must not fault, whatever the address.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vram::runtime {

/// Opens what the functions below need. Called once.
void open_host_memory_probe();

/// Copies `bytes` (at most 64) from `address`; false when they cannot be read.
bool read_safely(std::uint64_t address, void* to, std::size_t bytes);
/// True when the bytes at `address` can be read and written. They keep their values.
bool is_writable(std::uint64_t address, std::size_t bytes);
bool is_readable(std::uint64_t address);

}  // namespace vram::runtime
