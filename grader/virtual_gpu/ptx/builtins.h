// Functions that device code calls and that the GPU's own library provides.
#pragma once

#include <cstddef>
#include <string>

#include "grader/virtual_gpu/ptx/instruction.h"

namespace vram::virtual_gpu::ptx {

struct Builtin {
    Operation run = nullptr;
    std::size_t arguments = 0;
    std::size_t results = 0;
};

/// vprintf, __assertfail, malloc, free; `run` is nullptr for any other name.
Builtin find_builtin(const std::string& name);

/// %clock, %clock64, %globaltimer into a register of Instruction::width bytes.
void read_clock(Warp& warp, const Instruction& instruction);

/// nanosleep: takes no time, but the warp waits for something that others must do.
void sleep_in_warp(Warp& warp, const Instruction& instruction);

/// cp.async: copies Instruction::element_count bytes at most from global to shared memory.
void copy_to_shared(Warp& warp, const Instruction& instruction);

}  // namespace vram::virtual_gpu::ptx
