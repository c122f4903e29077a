#include "grader/virtual_gpu/ptx/memory_port.h"

#include <algorithm>
#include <array>

#include "grader/virtual_gpu/ptx/kernel_report.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/warp.h"
#include "grader/virtual_gpu/ptx/worker.h"

namespace vram::virtual_gpu::ptx {

void MemoryPort::begin_launch(const BlockFinder& finder, const ExecutionOptions& options,
                              std::uint32_t slots) {
    finder_ = &finder;
    slots_.assign(slots, Slot{});
    if (patterns_.size() < slots) {
        patterns_.resize(slots);
    }
    check_ = options.check_accesses;
    count_ = options.count;
    track_ = options.track_ranges;
    simple_only_ = !options.check_initialised;
    check_initialised_ = options.check_initialised;
    counters = Counters{};
    read.clear();
    written.clear();
    atomic.clear();
}

TouchedBytes& MemoryPort::touched_by(Access access) {
    switch (access) {
        case Access::read:
            return read;
        case Access::write:
            return written;
        case Access::atomic:
            break;
    }
    return atomic;
}

void MemoryPort::track(Slot& slot, std::uint64_t address, std::uint64_t bytes, Access access) {
    TouchedBytes& touched = touched_by(access);
    touched.mark(address, address + bytes);
    slot.chunk_number = (address + bytes - 1) / TouchedChunk::bytes;
    slot.chunk = touched.chunk(address + bytes - 1);
}

const Block* MemoryPort::resolve(Warp& warp, int lane, const Instruction& instruction,
                                 std::uint64_t address, unsigned size, Access access) {
    Slot& slot = slots_[instruction.memory_slot];
    const Block* block = slot.block;
    if (block == nullptr || !block->live || !is_inside(*block, address, size)) {
        block = finder_->find(address);
        if (block == nullptr || !block->live || !is_inside(*block, address, size)) {
            fail_global_access(warp, lane, block, address, size, access);
        }
        slot.block = block;
    }
    if (access != Access::read && block->kind == MemoryKind::constant) {
        fail_global_access(warp, lane, block, address, size, access);
    }
    if ((address & (size - 1)) != 0 && check_) {
        fail_misaligned(warp, lane, address, size, access, "global", block->id);
    }
    return block;
}

void MemoryPort::lanes(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                       unsigned size, Access access, std::byte** host) {
    const Block* const common =
        block_of_all(warp.mask, slots_[instruction.memory_slot], addresses, size, access);
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint64_t address = addresses[lane];
        const Block* block =
            common != nullptr ? common : resolve(warp, lane, instruction, address, size, access);
        host[lane] = block->host(address);
        if (check_initialised_ && block->initialised != nullptr) {
            check_initialised(warp, lane, *block, address, size, access);
        }
    }
    if (count_ && instruction.space != Space::constant) {
        count_lanes(warp, addresses, size, access);
    }
    if (track_) {
        track_lanes(slots_[instruction.memory_slot], warp.mask, addresses, size, access);
    }
}

const Block* MemoryPort::block_of_all(std::uint32_t lanes, const Slot& slot,
                                      const std::uint64_t* addresses, unsigned size,
                                      Access access) {
    const Block* block = slot.block;
    if (block == nullptr || !block->live || block->end - block->begin < size ||
        (access != Access::read && block->kind == MemoryKind::constant)) {
        return nullptr;
    }
    const std::uint64_t last = block->end - block->begin - size;
    bool all = true;
    for (int lane : ActiveLanes{lanes}) {
        all = all && addresses[lane] - block->begin <= last && (addresses[lane] & (size - 1)) == 0;
    }
    return all ? block : nullptr;
}

void MemoryPort::track_lanes(Slot& slot, std::uint32_t lanes, const std::uint64_t* addresses,
                             unsigned size, Access access) {
    // Neighbours often lie one after another.
    std::uint64_t begin = addresses[__builtin_ctz(lanes)];
    std::uint64_t end = begin;
    for (int lane : ActiveLanes{lanes}) {
        if (addresses[lane] != end) {
            track_run(slot, begin, end - begin, access);
            begin = addresses[lane];
        }
        end = addresses[lane] + size;
    }
    track_run(slot, begin, end - begin, access);
}

void MemoryPort::check_initialised(Warp& warp, int lane, const Block& block, std::uint64_t address,
                                   unsigned size, Access access) {
    const std::uint64_t first = address - block.begin;
    bool all = true;
    for (std::uint64_t byte = first; byte < first + size; ++byte) {
        std::uint8_t& bits = block.initialised[byte / 8];
        const std::uint8_t bit = static_cast<std::uint8_t>(1u << (byte % 8));
        all = all && (bits & bit) != 0;
        if (access != Access::read) {
            bits |= bit;
        }
    }
    if (all || access == Access::write) {
        return;
    }
    Report report =
        kernel_report(warp, lane, ReportKind::kernel_uninitialised_read,
                      describe_access(access, size) + " of allocation " + std::to_string(block.id) +
                          " at byte " + std::to_string(first) + " that nobody has written");
    report.address = address;
    report.allocation = block.id;
    warp.worker->add_report_once(warp, std::move(report));
}

namespace {

/// Counts distinct values of a small set that arrives roughly in order.
class DistinctCounter {
  public:
    void add(std::uint64_t value) {
        for (int at = count_ - 1; at >= 0; --at) {
            if (seen_[at] == value) {
                return;
            }
        }
        seen_[count_++] = value;
    }
    int count() const { return count_; }

  private:
    std::array<std::uint64_t, 2 * lanes_per_warp> seen_;
    int count_ = 0;
};

}  // namespace

void MemoryPort::count_lanes(const Warp& warp, const std::uint64_t* addresses, unsigned size,
                             Access access) {
    const std::uint64_t bytes = std::uint64_t{size} * __builtin_popcount(warp.mask);
    const std::uint64_t base = addresses[__builtin_ctz(warp.mask)] / 32;
    std::uint64_t near = 0;  // one bit a sector, for those within 64 of the first lane's
    DistinctCounter far;
    for (int lane : ActiveLanes{warp.mask}) {
        // An access is aligned to its size, which is at most 32 bytes; so it lies in one sector.
        const std::uint64_t distance = addresses[lane] / 32 - base + 32;
        if (distance < 64) {
            near |= std::uint64_t{1} << distance;
        } else {
            far.add(distance);
        }
        if ((addresses[lane] + size - 1) / 32 != addresses[lane] / 32) {
            far.add(distance + 1);
        }
    }
    add_request(__builtin_popcountll(near) + far.count(), bytes, access);
}

void MemoryPort::count_shared(const Warp& warp, const std::uint32_t* offsets, unsigned size) {
    // Wide accesses are served in parts: 16 lanes at a time for 8 bytes, 8 lanes for 16 bytes.
    const int lanes_at_once = size <= 4 ? 32 : size == 8 ? 16 : 8;
    std::uint64_t waves = 0;
    for (int begin = 0; begin < lanes_per_warp; begin += lanes_at_once) {
        std::array<std::array<std::uint32_t, 32>, 32> words;
        std::array<int, 32> used{};
        int most = 0;
        for (int lane = begin; lane < begin + lanes_at_once; ++lane) {
            if (((warp.mask >> lane) & 1u) == 0) {
                continue;
            }
            for (std::uint32_t word = offsets[lane] / 4; word <= (offsets[lane] + size - 1) / 4;
                 ++word) {
                auto& bank = words[word % 32];
                int& count = used[word % 32];
                if (std::find(bank.begin(), bank.begin() + count, word) == bank.begin() + count) {
                    bank[count++] = word;
                    most = std::max(most, count);
                }
            }
        }
        waves += most;
    }
    counters.shared_requests += 1;
    counters.shared_waves += waves;
}

}  // namespace vram::virtual_gpu::ptx
