#include "grader/virtual_gpu/memory/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "grader/virtual_gpu/memory/initialisation.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::size_t page_bytes = 4096;
/// Only the first part of a large block is filled: a card is larger than the machine's memory.
constexpr std::size_t filled_bytes = std::size_t{1} << 20;
constexpr std::size_t filled_tail_bytes = 4096;
/// All fills together, so that a full card of small blocks still fits on the machine.
constexpr std::size_t filled_budget = std::size_t{192} << 20;
/// Addresses at the end of the range for variables of modules.
constexpr std::size_t variable_range_bytes = std::size_t{8} << 30;
/// Far from where programs and libraries lie, and easy to recognise in a message.
constexpr std::uint64_t preferred_base = 0x200000000000;

void* map(std::uint64_t hint, std::size_t bytes, int protection) {
    void* where = mmap(reinterpret_cast<void*>(hint), bytes, protection,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return where == MAP_FAILED ? nullptr : where;
}

std::size_t context_bytes(std::size_t capacity) {
    return std::min(h200_context_bytes, capacity / 16 / chunk_bytes * chunk_bytes);
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t capacity, AddressSpace& space, Variation& variation)
    : capacity_(capacity), space_(space), variation_(variation) {
    // Several times the capacity, since freed addresses may be left unused and holes are allowed.
    std::size_t wanted = std::max(round_up(capacity, chunk_bytes) * 4, std::size_t{64} << 30);
    for (; wanted >= chunk_bytes; wanted /= 2) {
        void* addresses = map(preferred_base, wanted, PROT_NONE);
        void* contents = addresses ? map(0, wanted, PROT_READ | PROT_WRITE) : nullptr;
        if (contents) {
            base_ = reinterpret_cast<std::uint64_t>(addresses);
            contents_ = static_cast<std::byte*>(contents);
            reserved_ = wanted;
            break;
        }
        if (addresses)
            munmap(addresses, wanted);
    }
    if (!contents_) {
        std::fputs("virtual GPU: the machine gives no address range for device memory\n", stderr);
        std::abort();
    }
    // Bytes of the device never belong into a core dump.
    madvise(contents_, reserved_, MADV_DONTDUMP);
    const std::uint64_t first = round_up(base_ + chunk_bytes, chunk_bytes);
    const std::size_t for_variables =
        std::min(variable_range_bytes, reserved_ / 8 / chunk_bytes * chunk_bytes);
    const std::uint64_t last = base_ + reserved_ - for_variables;
    const std::size_t room = capacity - context_bytes(capacity);
    placement_.emplace(first, last, room, variation);
    variables_.emplace(round_up(last, chunk_bytes), base_ + reserved_, room, variation);
}

DeviceMemory::~DeviceMemory() {
    munmap(reinterpret_cast<void*>(base_), reserved_);
    munmap(contents_, reserved_);
}

Block* DeviceMemory::allocate(std::size_t bytes, MemoryKind kind, CallNumber call,
                              std::size_t pitch, std::size_t row_bytes) {
    const auto address = placement_of(kind).place(bytes);
    if (!address)
        return nullptr;
    Block& block = add_block(*address, bytes, kind, call);
    block.pitch = pitch;
    block.row_bytes = row_bytes;
    return &block;
}

Block& DeviceMemory::add_block(std::uint64_t address, std::size_t bytes, MemoryKind kind,
                               CallNumber call) {
    Block block;
    block.begin = address;
    block.end = address + bytes;
    block.to_host = reinterpret_cast<std::int64_t>(contents_) - static_cast<std::int64_t>(base_);
    block.kind = kind;
    block.made_by = call;
    block.initialised = new_initialisation_map(bytes);
    Block& added = space_.add(block);
    fill_with_garbage(added);
    return added;
}

void DeviceMemory::release(Block& block, CallNumber call) {
    forget_block(block);
    drop_contents(block.begin, block.end);
    placement_of(block.kind).release(block.begin, block.end - block.begin);
    space_.retire(block, call);
}

Placement& DeviceMemory::placement_of(MemoryKind kind) {
    const bool variable = kind == MemoryKind::global || kind == MemoryKind::constant;
    return variable ? *variables_ : *placement_;
}

std::size_t DeviceMemory::available() const {
    // The first chunk of variables counts as part of the context.
    const std::size_t variables = variables_->taken() - std::min(variables_->taken(), chunk_bytes);
    return placement_->available() - std::min(variables, placement_->available());
}

void DeviceMemory::retire_block(Block& block, CallNumber call) {
    forget_block(block);
    space_.retire(block, call);
}

void DeviceMemory::forget_block(Block& block) {
    delete_initialisation_map(block);
    filled_ -= std::min(filled_, bytes_to_fill(block.end - block.begin));
}

std::optional<std::uint64_t> DeviceMemory::reserve(std::size_t bytes) {
    return placement_->place(bytes);
}

void DeviceMemory::unreserve(std::uint64_t address, std::size_t bytes) {
    drop_contents(address, address + bytes);
    placement_->release(address, bytes);
}

std::size_t DeviceMemory::bytes_to_fill(std::size_t bytes) {
    return std::min(bytes, filled_bytes + filled_tail_bytes);
}

void DeviceMemory::drop_contents(std::uint64_t begin, std::uint64_t end) {
    std::byte* first = contents_ + (begin - base_);
    std::byte* last = contents_ + (end - base_);
    const auto page = [](std::byte* where) { return reinterpret_cast<std::uint64_t>(where); };
    const std::uint64_t first_page = round_up(page(first), page_bytes);
    const std::uint64_t last_page = page(last) / page_bytes * page_bytes;
    if (first_page < last_page)
        madvise(reinterpret_cast<void*>(first_page), last_page - first_page, MADV_DONTNEED);
}

void DeviceMemory::fill_with_garbage(const Block& block) {
    const std::size_t bytes = block.end - block.begin;
    if (filled_ + bytes_to_fill(bytes) > filled_budget)
        return;
    filled_ += bytes_to_fill(bytes);
    const std::size_t head = std::min(bytes, filled_bytes);
    std::memset(block.host(block.begin), variation_.garbage(), head);
    const std::size_t tail = std::min(bytes - head, filled_tail_bytes);
    std::memset(block.host(block.end - tail), variation_.garbage(), tail);
}

}  // namespace vram::virtual_gpu
