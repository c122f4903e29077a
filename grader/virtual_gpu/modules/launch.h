// Launches: checked when they are called, run when their stream comes to them.
#pragma once

#include <cuda_runtime_api.h>

#include "grader/virtual_gpu/modules/kernel_table.h"

namespace vram::virtual_gpu {

/// Limits of the card that launches are checked against.
constexpr std::size_t shared_bytes_without_opt_in = std::size_t{48} << 10;
constexpr std::size_t shared_bytes_with_opt_in = std::size_t{227} << 10;
constexpr std::size_t shared_bytes_per_multiprocessor = std::size_t{228} << 10;
constexpr std::size_t shared_bytes_reserved_per_block = 1024;
constexpr int multiprocessors = 132;
constexpr int threads_per_multiprocessor = 2048;
constexpr int blocks_per_multiprocessor = 32;

struct LaunchConfiguration {
    dim3 grid;
    dim3 block;
    std::size_t dynamic_shared_bytes = 0;
    cudaStream_t stream = nullptr;
    bool cooperative = false;
};

/// Enqueues a launch. `call` is the name of the runtime call, for reports.
cudaError_t launch(Card& card, const void* function, const LaunchConfiguration& configuration,
                   void** arguments);

/// Dynamic shared memory that a block of the prepared kernel may have, in bytes.
std::size_t dynamic_shared_limit(const KernelEntry& entry);
/// Blocks of so many threads that one multiprocessor can hold at a time.
int active_blocks(const ptx::KernelAttributes& attributes, int block_threads,
                  std::size_t dynamic_shared_bytes);

}  // namespace vram::virtual_gpu
