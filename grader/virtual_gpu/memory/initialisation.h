// Which bytes of a block were written since it was made: one bit a byte, kept only on request.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grader/virtual_gpu/memory/block.h"

namespace vram::virtual_gpu {

/// True when VRAM_CHECK_INIT=1 was set at start.
bool checks_initialisation();

/// All bits clear; nullptr unless checks_initialisation(). Sparse: costs memory as it is written.
std::uint8_t* new_initialisation_map(std::size_t bytes);
void delete_initialisation_map(Block& block);
/// Bytes [begin, end) of the block were written by a copy or a set.
void mark_initialised(const Block& block, std::uint64_t begin, std::uint64_t end);

}  // namespace vram::virtual_gpu
