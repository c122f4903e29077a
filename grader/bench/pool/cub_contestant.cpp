#include <cuda_runtime.h>

#include <cub/util_allocator.cuh>

#include "grader/bench/pool/backing.h"
#include "grader/bench/pool/contestants.h"

namespace vram::bench {
namespace {

class CachingAllocator {
  public:
    void* allocate(std::size_t bytes) {
        void* block = nullptr;
        return allocator_.DeviceAllocate(&block, bytes) == cudaSuccess ? block : nullptr;
    }
    void free(void* block) { allocator_.DeviceFree(block); }

  private:
    static constexpr unsigned bin_growth = 2;
    static constexpr unsigned smallest_bin = 8;  ///< 256 bytes
    static constexpr unsigned largest_bin = 36;  ///< 64 GiB: everything is cached
    cub::CachingDeviceAllocator allocator_{bin_growth, smallest_bin, largest_bin};
};

class CubContestant final : public Contestant {
  public:
    std::string name() const override { return "cub"; }
    Replay run(const Trace& trace) const override {
        reset_backing_figures();
        CachingAllocator allocator;
        return replay(trace, allocator);
    }
};

}  // namespace

std::unique_ptr<Contestant> cub_contestant() {
    return std::make_unique<CubContestant>();
}

}  // namespace vram::bench
