// What each kernel did, summed over its launches.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/control.h"

namespace vram::virtual_gpu {

class Statistics {
  public:
    void add(const std::string& kernel, const ptx::Counters& counters, std::uint64_t nanoseconds);
    std::vector<KernelStatistics> all() const { return kernels_; }
    ptx::Counters total() const;
    void clear();

  private:
    std::vector<KernelStatistics> kernels_;
    std::unordered_map<std::string, std::size_t> index_;
};

/// Of this process. Expects the lock of the card to be held.
Statistics& statistics();

}  // namespace vram::virtual_gpu
