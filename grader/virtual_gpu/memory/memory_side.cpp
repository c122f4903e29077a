#include "grader/virtual_gpu/memory/memory_side.h"

namespace vram::virtual_gpu {
namespace {

MemoryClass class_of(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::pinned:
            return MemoryClass::pinned;
        case MemoryKind::managed:
            return MemoryClass::managed;
        default:
            return MemoryClass::device;
    }
}

bool add(std::uint64_t a, std::uint64_t b, std::uint64_t& sum) {
    return !__builtin_add_overflow(a, b, &sum);
}

bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
    return !__builtin_mul_overflow(a, b, &product);
}

}  // namespace

std::uint64_t Box::end() const {
    std::uint64_t rows = 0, slices = 0, last = address;
    const bool fits = multiply(pitch, height - 1, rows) && multiply(slice, depth - 1, slices) &&
                      add(last, rows, last) && add(last, slices, last) && add(last, width, last);
    return fits ? last : 0;
}

void MemorySide::append_accesses(AccessMode mode, std::vector<Access>& accesses) const {
    if (pageable())
        return;
    box.for_each_run([&](std::uint64_t address, std::size_t bytes) {
        accesses.push_back({address, address + bytes, mode});
    });
}

bool find_side(Card& card, const Box& box, MemorySide& side) {
    const std::uint64_t end = box.end();
    if (box.address == 0 || end == 0)
        return false;
    side.box = box;
    side.block = card.space.find_live(box.address);
    if (!side.block)
        return !card.is_device_address(box.address);
    side.block_id = side.block->id;
    side.memory_class = class_of(side.block->kind);
    return end <= side.block->end;
}

}  // namespace vram::virtual_gpu
