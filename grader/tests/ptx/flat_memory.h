// Memory for tests of kernels: every allocation is a host buffer at a made-up device address.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "grader/virtual_gpu/memory/block.h"

namespace vram::virtual_gpu::ptx {

class FlatMemory : public BlockFinder {
  public:
    static constexpr std::uint64_t first_address = 0x7000'0000'0000;

    const Block* find(std::uint64_t address) const override {
        const Block* nearest = nullptr;
        for (const auto& entry : entries_) {
            const Block& block = entry->block;
            if (block.contains(address)) {
                return &block;
            }
            if (block.live && address >= block.end && address - block.end < (1 << 20) &&
                (nearest == nullptr || block.end > nearest->end)) {
                nearest = &block;
            }
        }
        return nearest;
    }

    std::uint64_t allocate(std::size_t bytes, MemoryKind kind = MemoryKind::device) {
        auto entry = std::make_unique<Entry>();
        entry->bytes.resize(bytes);
        entry->initialised.resize(bytes / 8 + 1);
        Block& block = entry->block;
        block.begin = next_;
        block.end = next_ + bytes;
        block.to_host =
            static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(entry->bytes.data()) - next_);
        block.kind = kind;
        block.live = true;
        block.id = entries_.size() + 1;
        next_ += (bytes + 4095) / 4096 * 4096 + 4096;
        entries_.push_back(std::move(entry));
        return entries_.back()->block.begin;
    }

    template <class T>
    std::uint64_t upload(const std::vector<T>& values, MemoryKind kind = MemoryKind::device) {
        const std::uint64_t address = allocate(values.size() * sizeof(T), kind);
        std::memcpy(host(address), values.data(), values.size() * sizeof(T));
        return address;
    }

    template <class T>
    std::vector<T> download(std::uint64_t address, std::size_t count) const {
        std::vector<T> values(count);
        std::memcpy(values.data(), host(address), count * sizeof(T));
        return values;
    }

    void free(std::uint64_t address) { block(address).live = false; }
    void watch_initialisation(std::uint64_t address) {
        for (const auto& entry : entries_) {
            if (entry->block.begin == address) {
                entry->block.initialised = entry->initialised.data();
            }
        }
    }
    Block& block(std::uint64_t address) const { return const_cast<Block&>(*find(address)); }
    std::byte* host(std::uint64_t address) const { return find(address)->host(address); }

  private:
    struct Entry {
        Block block;
        std::vector<std::byte> bytes;
        std::vector<std::uint8_t> initialised;
    };
    std::vector<std::unique_ptr<Entry>> entries_;
    std::uint64_t next_ = first_address;
};

}  // namespace vram::virtual_gpu::ptx
