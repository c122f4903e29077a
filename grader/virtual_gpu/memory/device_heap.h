// Memory for malloc and free in kernels: one stretch of device memory, handed out in parts.
//
// Kernels call it from many threads while the thread that launched holds the lock of the card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "grader/virtual_gpu/card.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"

namespace vram::virtual_gpu {

class DeviceHeapMemory final : public ptx::DeviceHeap {
  public:
    std::uint64_t allocate(std::size_t bytes) override;
    bool release(std::uint64_t address) override;

    std::size_t limit() const { return limit_; }
    /// Bytes of the heap, as cudaDeviceSetLimit sets them; false once a kernel has used it.
    bool set_limit(std::size_t bytes);
    /// The card was reset: whatever was allocated is gone.
    void forget();

  private:
    bool reserve();

    std::mutex mutex_;
    std::size_t limit_ = std::size_t{8} << 20;
    std::map<std::uint64_t, std::size_t> holes_;
    std::uint64_t begin_ = 0;  ///< 0: not reserved yet
};

DeviceHeapMemory& device_heap();

}  // namespace vram::virtual_gpu
