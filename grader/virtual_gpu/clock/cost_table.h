// What calls and work cost on the measured H200, in nanoseconds of virtual time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grader/virtual_gpu/ptx/kernel_execution.h"

namespace vram::virtual_gpu::cost {

constexpr std::uint64_t small_call = 50;               ///< cudaGetLastError
constexpr std::uint64_t launch = 4'500;                ///< an empty launch
constexpr std::uint64_t memory_info = 6'200;           ///< cudaMemGetInfo
constexpr std::uint64_t free_async = 700;              ///< cudaFreeAsync
constexpr std::uint64_t pool_hit = 1'300;              ///< cudaMallocAsync from reserved memory
constexpr std::uint64_t synchronise = 1'100;           ///< of an idle stream
constexpr std::uint64_t enqueue_copy = 5'000;          ///< cudaMemcpyAsync returns
constexpr std::uint64_t create_handle = 10'000;        ///< streams, events
constexpr std::uint64_t page_locked_call = 1'000'000;  ///< cudaMallocHost of 4 KB

std::uint64_t allocate(std::size_t bytes, bool chunk_is_mapped);
std::uint64_t release(std::size_t bytes, bool chunk_stays_mapped);
/// Growing or shrinking a pool by so many bytes.
std::uint64_t reserve(std::size_t bytes);

enum class Path : std::uint8_t { to_device, to_host, on_device, on_host, set };
std::uint64_t copy(Path path, std::size_t bytes);
std::uint64_t kernel(const ptx::Counters& counters);

}  // namespace vram::virtual_gpu::cost
