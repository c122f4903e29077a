#include "grader/virtual_gpu/ptx/addresses.h"

#include <cstring>

#include "grader/virtual_gpu/ptx/block_state.h"
#include "grader/virtual_gpu/ptx/kernel_report.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/worker.h"

namespace vram::virtual_gpu::ptx {

namespace {

std::uint64_t address_of(const Warp& warp, const Instruction& instruction, int lane) {
    const std::uint64_t base = instruction.address_width == 8
                                   ? warp.source<std::uint64_t>(instruction.a)[lane]
                                   : warp.source<std::uint32_t>(instruction.a)[lane];
    return base + static_cast<std::uint64_t>(instruction.immediate);
}

std::byte* resolve_local(Warp& warp, int lane, std::uint64_t offset, unsigned size, Access access) {
    const std::uint64_t top =
        warp.frame->local_base + std::uint64_t{warp.frame->function->local_bytes};
    if (offset > top || top - offset < size) {
        fail_local_access(warp, lane, offset, size, access);
    }
    if ((offset & (size - 1)) != 0) {
        fail_misaligned(warp, lane, offset, size, access, "local", 0);
    }
    return warp.local + std::size_t{static_cast<unsigned>(lane)} * warp.local_stride + offset;
}

std::byte* resolve_parameter(Warp& warp, int lane, std::uint64_t offset, unsigned size,
                             Access access) {
    const std::uint64_t bytes = warp.worker->argument_bytes();
    if (access != Access::read || offset > bytes || bytes - offset < size) {
        fail_global_access(warp, lane, nullptr, parameter_window + offset, size, access);
    }
    return const_cast<std::byte*>(warp.arguments) + offset;
}

SharedAccess shared_access(const Warp& warp, Access access) {
    const bool strong = warp.current != nullptr && warp.current->volatile_;
    if (access == Access::read) {
        return strong ? SharedAccess::strong_read : SharedAccess::read;
    }
    if (access == Access::write) {
        return strong ? SharedAccess::strong_write : SharedAccess::write;
    }
    return SharedAccess::atomic;
}

void check_race(Warp& warp, int lane, std::uint32_t offset, unsigned size, Access access) {
    const SharedAccess kind = shared_access(warp, access);
    SharedRaceDetector& races = *warp.block->races;
    const std::uint32_t thread = warp.thread_number(lane);
    const auto collision = races.access(thread, offset, size, kind);
    races.synchronise(thread, shared_window + offset, kind);
    if (!collision) {
        return;
    }
    Report report = kernel_report(
        warp, lane, ReportKind::kernel_shared_race,
        describe_access(access, size) + " of shared memory at byte " + std::to_string(offset) +
            " that thread number " + std::to_string(collision->other_thread) + " " +
            (collision->other_wrote ? "wrote" : "read") + " with no barrier in between");
    report.address = offset;
    warp.worker->add_report_once(warp, std::move(report));
}

/// Words of global memory may order accesses to shared memory too.
void note_strong_addresses(Warp& warp, const std::uint64_t* addresses, Access access) {
    if (!warp.block->races) {
        return;
    }
    for (int lane : ActiveLanes{warp.mask}) {
        warp.block->races->synchronise(warp.thread_number(lane), addresses[lane],
                                       shared_access(warp, access));
    }
}

/// Sorts the lanes of a generic access by the window that their address lies in.
class GenericAccess {
  public:
    GenericAccess(Warp& warp, const Instruction& instruction, unsigned size, Access access,
                  std::byte** host)
        : warp_(warp), instruction_(instruction), size_(size), access_(access), host_(host) {}

    void resolve_all() {
        for (int lane : ActiveLanes{warp_.mask}) {
            addresses_[lane] = address_of(warp_, instruction_, lane);
            sort(lane);
        }
        const std::uint32_t all = warp_.mask;
        if (shared_lanes_ != 0) {
            warp_.mask = shared_lanes_;
            resolve_shared(warp_, offsets_, size_, access_, host_);
        }
        if (global_lanes_ != 0) {
            warp_.mask = global_lanes_;
            warp_.memory->lanes(warp_, instruction_, addresses_, size_, access_, host_);
            note_strong_addresses(warp_, addresses_, access_);
        }
        warp_.mask = all;
    }

  private:
    void sort(int lane) {
        const std::uint64_t address = addresses_[lane];
        if (address < shared_window || address >= grid_window + window_bytes) {
            global_lanes_ |= 1u << lane;
        } else if (address - shared_window < window_bytes) {
            offsets_[lane] = static_cast<std::uint32_t>(address - shared_window);
            shared_lanes_ |= 1u << lane;
        } else if (address - local_window < window_bytes) {
            host_[lane] = resolve_local(warp_, lane, address - local_window, size_, access_);
        } else if (address - parameter_window < window_bytes) {
            host_[lane] =
                resolve_parameter(warp_, lane, address - parameter_window, size_, access_);
        } else if (std::byte* workspace = warp_.worker->grid_bytes(address, size_)) {
            host_[lane] = workspace;
        } else {
            global_lanes_ |= 1u << lane;
        }
    }

    Warp& warp_;
    const Instruction& instruction_;
    unsigned size_;
    Access access_;
    std::byte** host_;
    std::uint64_t addresses_[lanes_per_warp];
    std::uint32_t offsets_[lanes_per_warp];
    std::uint32_t shared_lanes_ = 0;
    std::uint32_t global_lanes_ = 0;
};

}  // namespace

void note_strong_access(Warp& warp, const Instruction& instruction, Access access) {
    std::uint64_t addresses[lanes_per_warp];
    for (int lane : ActiveLanes{warp.mask}) {
        addresses[lane] = address_of(warp, instruction, lane);
    }
    note_strong_addresses(warp, addresses, access);
}

void resolve_shared(Warp& warp, const std::uint32_t* offsets, unsigned size, Access access,
                    std::byte** host) {
    BlockState& block = *warp.block;
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint32_t offset = offsets[lane];
        if (offset > block.shared_bytes || block.shared_bytes - offset < size) {
            fail_shared_access(warp, lane, offset, size, access);
        }
        if ((offset & (size - 1)) != 0) {
            fail_misaligned(warp, lane, offset, size, access, "shared", 0);
        }
        host[lane] = block.shared.get() + offset;
        if (block.races) {
            check_race(warp, lane, offset, size, access);
        }
    }
    if (warp.memory->counting()) {
        warp.memory->count_shared(warp, offsets, size);
    }
}

void resolve(Warp& warp, const Instruction& instruction, unsigned size, Access access,
             std::byte** host) {
    switch (instruction.space) {
        case Space::shared: {
            std::uint32_t offsets[lanes_per_warp];
            for (int lane : ActiveLanes{warp.mask}) {
                offsets[lane] = static_cast<std::uint32_t>(address_of(warp, instruction, lane));
            }
            resolve_shared(warp, offsets, size, access, host);
            return;
        }
        case Space::local:
            for (int lane : ActiveLanes{warp.mask}) {
                host[lane] =
                    resolve_local(warp, lane, address_of(warp, instruction, lane), size, access);
            }
            return;
        case Space::parameter:
            for (int lane : ActiveLanes{warp.mask}) {
                host[lane] = resolve_parameter(warp, lane, address_of(warp, instruction, lane),
                                               size, access);
            }
            return;
        case Space::global:
        case Space::constant: {
            std::uint64_t addresses[lanes_per_warp];
            for (int lane : ActiveLanes{warp.mask}) {
                addresses[lane] = address_of(warp, instruction, lane);
            }
            warp.memory->lanes(warp, instruction, addresses, size, access, host);
            note_strong_addresses(warp, addresses, access);
            return;
        }
        case Space::generic:
            GenericAccess(warp, instruction, size, access, host).resolve_all();
            return;
    }
}

const char* readable(Warp& warp, int lane, std::uint64_t address, unsigned bytes) {
    if (address - shared_window < window_bytes &&
        address - shared_window + bytes <= warp.block->shared_bytes) {
        return reinterpret_cast<const char*>(warp.block->shared.get() + (address - shared_window));
    }
    if (address - local_window < window_bytes) {
        return reinterpret_cast<const char*>(
            resolve_local(warp, lane, address - local_window, bytes, Access::read));
    }
    const Block* block = warp.worker->finder().find(address);
    if (block == nullptr || !block->live || !block->contains(address) ||
        block->end - address < bytes) {
        fail_global_access(warp, lane, block, address, bytes, Access::read);
    }
    return reinterpret_cast<const char*>(block->host(address));
}

const char* readable_string(Warp& warp, int lane, std::uint64_t address) {
    for (std::uint64_t at = address;; ++at) {
        if (*readable(warp, lane, at, 1) == '\0') {
            return readable(warp, lane, address, 1);
        }
    }
}

}  // namespace vram::virtual_gpu::ptx
