// From the address operand of an instruction to bytes in this process, for every state space.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grader/virtual_gpu/ptx/memory_port.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

/// Fills `host` for the active lanes. Checks, counts and records; throws Fault.
void resolve(Warp& warp, const Instruction& instruction, unsigned size, Access access,
             std::byte** host);

/// The same for shared memory at known offsets.
void resolve_shared(Warp& warp, const std::uint32_t* offsets, unsigned size, Access access,
                    std::byte** host);

/// Tells the detector of races in shared memory about a strong access of the active lanes to another
/// memory, which may order accesses to shared memory too. There must be a detector.
void note_strong_access(Warp& warp, const Instruction& instruction, Access access);

/// Host address of `bytes` readable bytes at a generic address, for device-side printf and assert.
const char* readable(Warp& warp, int lane, std::uint64_t address, unsigned bytes);
/// A zero-terminated string at a generic address.
const char* readable_string(Warp& warp, int lane, std::uint64_t address);

}  // namespace vram::virtual_gpu::ptx
