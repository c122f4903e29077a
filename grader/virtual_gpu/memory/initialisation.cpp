#include "grader/virtual_gpu/memory/initialisation.h"

#include <sys/mman.h>

#include <cstring>

#include "grader/virtual_gpu/environment.h"

namespace vram::virtual_gpu {
namespace {

std::size_t map_bytes(std::size_t bytes) {
    return bytes / 8 + 1;
}

}  // namespace

bool checks_initialisation() {
    static const bool on = environment_flag("VRAM_CHECK_INIT");
    return on;
}

std::uint8_t* new_initialisation_map(std::size_t bytes) {
    if (!checks_initialisation())
        return nullptr;
    void* where = mmap(nullptr, map_bytes(bytes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return where == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(where);
}

void delete_initialisation_map(Block& block) {
    if (block.initialised)
        munmap(block.initialised, map_bytes(block.end - block.begin));
    block.initialised = nullptr;
}

void mark_initialised(const Block& block, std::uint64_t begin, std::uint64_t end) {
    if (!block.initialised)
        return;
    std::uint64_t bit = begin - block.begin;
    const std::uint64_t last = end - block.begin;
    for (; bit < last && bit % 8; ++bit)
        block.initialised[bit / 8] |= static_cast<std::uint8_t>(1u << bit % 8);
    const std::uint64_t whole = (last - bit) / 8;
    if (bit < last)
        std::memset(block.initialised + bit / 8, 0xFF, whole);
    for (bit += whole * 8; bit < last; ++bit)
        block.initialised[bit / 8] |= static_cast<std::uint8_t>(1u << bit % 8);
}

}  // namespace vram::virtual_gpu
