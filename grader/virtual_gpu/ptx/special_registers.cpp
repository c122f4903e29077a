#include "grader/virtual_gpu/ptx/special_registers.h"

namespace vram::virtual_gpu::ptx {

namespace {

template <class T, class F>
void fill(std::byte* registers, F value_of_lane) {
    T* values = reinterpret_cast<T*>(registers);
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        values[lane] = static_cast<T>(value_of_lane(lane));
    }
}

bool changes_with_block(SpecialRegister which) {
    return which == SpecialRegister::ctaid_x || which == SpecialRegister::ctaid_y ||
           which == SpecialRegister::ctaid_z;
}

/// Thread indices: the only ones that need division.
void fill_thread_index(const Warp& warp, std::uint32_t* values, SpecialRegister which) {
    const LaunchShape& shape = warp.worker->shape();
    std::uint32_t x = warp.thread_number(0) % shape.block[0];
    std::uint32_t y = warp.thread_number(0) / shape.block[0] % shape.block[1];
    std::uint32_t z = warp.thread_number(0) / shape.block[0] / shape.block[1];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        values[lane] = which == SpecialRegister::tid_x   ? x
                       : which == SpecialRegister::tid_y ? y
                                                         : z;
        if (++x == shape.block[0]) {
            x = 0;
            if (++y == shape.block[1]) {
                y = 0;
                ++z;
            }
        }
    }
}

std::uint32_t uniform_value(const Warp& warp, SpecialRegister which) {
    using S = SpecialRegister;
    const LaunchShape& shape = warp.worker->shape();
    const BlockState& block = *warp.block;
    const std::uint64_t workspace = warp.worker->grid_workspace_address();
    switch (which) {
        case S::ntid_x:
            return shape.block[0];
        case S::ntid_y:
            return shape.block[1];
        case S::ntid_z:
            return shape.block[2];
        case S::ctaid_x:
            return block.index[0];
        case S::ctaid_y:
            return block.index[1];
        case S::ctaid_z:
            return block.index[2];
        case S::nctaid_x:
            return shape.grid[0];
        case S::nctaid_y:
            return shape.grid[1];
        case S::nctaid_z:
            return shape.grid[2];
        case S::warpid:
            return warp.index;
        case S::nwarpid:
            return (block.threads + lanes_per_warp - 1) / lanes_per_warp;
        case S::dynamic_smem_size:
            return static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
        case S::total_smem_size:
            return block.shared_bytes;
        case S::envreg1:
            return static_cast<std::uint32_t>(workspace >> 32);
        case S::envreg2:
            return static_cast<std::uint32_t>(workspace);
        case S::dynamic_shared_base:
            return warp.worker->dynamic_shared_base();
        case S::reserved_shared_begin:
            return warp.worker->reserved_shared_base();
        case S::reserved_shared_end:
            return block.shared_bytes;
        case S::one:
            return 1;
        default:
            return 0;
    }
}

void fill_lane_dependent(const Warp& warp, std::byte* registers, SpecialRegister which) {
    using S = SpecialRegister;
    switch (which) {
        case S::tid_x:
        case S::tid_y:
        case S::tid_z:
            fill_thread_index(warp, reinterpret_cast<std::uint32_t*>(registers), which);
            break;
        case S::laneid:
            fill<std::uint32_t>(registers, [](int lane) { return lane; });
            break;
        case S::lanemask_eq:
            fill<std::uint32_t>(registers, [](int lane) { return 1u << lane; });
            break;
        case S::lanemask_lt:
            fill<std::uint32_t>(registers, [](int lane) { return (1u << lane) - 1; });
            break;
        case S::lanemask_le:
            fill<std::uint32_t>(registers, [](int lane) { return (2u << lane) - 1; });
            break;
        case S::lanemask_gt:
            fill<std::uint32_t>(registers, [](int lane) { return ~((2u << lane) - 1); });
            break;
        case S::lanemask_ge:
            fill<std::uint32_t>(registers, [](int lane) { return ~((1u << lane) - 1); });
            break;
        default:
            break;
    }
}

bool depends_on_lane(SpecialRegister which) {
    using S = SpecialRegister;
    return which == S::tid_x || which == S::tid_y || which == S::tid_z || which == S::laneid ||
           which == S::lanemask_eq || which == S::lanemask_lt || which == S::lanemask_le ||
           which == S::lanemask_gt || which == S::lanemask_ge;
}

void fill_one(const Warp& warp, Frame& frame, const SpecialSlot& slot) {
    std::byte* registers = frame.registers + slot.slot;
    if (depends_on_lane(slot.which)) {
        fill_lane_dependent(warp, registers, slot.which);
        return;
    }
    const std::uint32_t value = uniform_value(warp, slot.which);
    if (slot.width == 8) {
        fill<std::uint64_t>(registers, [value](int) { return value; });
    } else {
        fill<std::uint32_t>(registers, [value](int) { return value; });
    }
}

}  // namespace

void fill_special_registers(const Warp& warp, Frame& frame) {
    for (const SpecialSlot& slot : frame.function->special_slots) {
        fill_one(warp, frame, slot);
    }
}

void fill_block_registers(const Warp& warp, Frame& frame) {
    for (const SpecialSlot& slot : frame.function->special_slots) {
        if (changes_with_block(slot.which)) {
            fill_one(warp, frame, slot);
        }
    }
}

}  // namespace vram::virtual_gpu::ptx
