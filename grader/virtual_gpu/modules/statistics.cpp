#include "grader/virtual_gpu/modules/statistics.h"

namespace vram::virtual_gpu {

void Statistics::add(const std::string& kernel, const ptx::Counters& counters,
                     std::uint64_t nanoseconds) {
    const auto [place, is_new] = index_.insert({kernel, kernels_.size()});
    if (is_new) {
        kernels_.emplace_back();
        kernels_.back().name = kernel;
    }
    KernelStatistics& entry = kernels_[place->second];
    ++entry.launches;
    entry.counters += counters;
    entry.nanoseconds += nanoseconds;
}

ptx::Counters Statistics::total() const {
    ptx::Counters sum;
    for (const KernelStatistics& entry : kernels_)
        sum += entry.counters;
    return sum;
}

void Statistics::clear() {
    kernels_.clear();
    index_.clear();
}

Statistics& statistics() {
    static Statistics* instance = new Statistics;
    return *instance;
}

}  // namespace vram::virtual_gpu
