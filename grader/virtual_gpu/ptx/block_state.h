// What the warps of one thread block share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grader/virtual_gpu/ptx/shared_race.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

/// One of the 16 barriers of a block.
struct Barrier {
    std::uint32_t arrived_without_waiting = 0;  ///< bar.arrive, in threads
    std::uint32_t expected = 0;                 ///< threads; 0: all that have not exited
    std::uint32_t waiting = 0;                  ///< groups
    std::uint32_t population = 0;               ///< of bar.red
    bool all = true;
    bool any = false;
};

struct BlockState {
    static constexpr std::size_t barrier_count = 16;

    std::uint32_t index[3] = {0, 0, 0};
    std::uint64_t number = 0;
    std::uint32_t threads = 0;
    std::unique_ptr<std::byte[]> shared;
    std::uint32_t shared_bytes = 0;
    std::uint32_t shared_capacity = 0;
    std::array<Barrier, barrier_count> barriers;
    std::vector<Warp> warps;
    std::uint64_t instructions = 0;  ///< warp instructions so far: its clock
    std::uint64_t clock_reads = 0;
    std::uint64_t prepared_for = 0;  ///< number of the launch that its warps are set up for
    int idle_passes = 0;             ///< in which its warps did nothing but wait in loops
    std::unique_ptr<SharedRaceDetector> races;  ///< only when asked for
};

}  // namespace vram::virtual_gpu::ptx
