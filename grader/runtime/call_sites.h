// Where in the program a call was made.
#pragma once

#include <cstdint>

#include "grader/runtime/records.h"

namespace vram::runtime {

/// Finds the main executable's bounds. Called once, before any of the functions below.
void locate_program();

/// True for an address of the main executable's code.
bool in_program_code(std::uintptr_t address);
/// True for static storage of the main executable or of a library loaded at start.
bool in_static_storage(std::uintptr_t address);
/// An address of the main executable as an offset from its load base.
std::uint64_t program_offset(std::uintptr_t address);

/// Follows frame pointers from `frame` up to `stack_end`. Return addresses outside the main
/// executable are left out; a 0 follows the last one.
void walk_frames(const void* frame, std::uintptr_t stack_end, std::uint64_t (&frames)[max_frames]);

/// Where a thread stands: what its registers for the instruction, the stack and the frame hold.
struct ExecutionPoint {
    std::uintptr_t instruction = 0;
    std::uintptr_t stack = 0;
    std::uintptr_t frame = 0;
};

/// The instruction first, then its callers. Inside a library (memcpy, say), which may keep no frames,
/// the first one is the place in the program that called it.
void frames_at(const ExecutionPoint& point, std::uintptr_t stack_end,
               std::uint64_t (&frames)[max_frames]);

}  // namespace vram::runtime
