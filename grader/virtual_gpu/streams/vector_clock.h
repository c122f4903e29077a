// How far each stream had come, as seen from one point of the program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vram::virtual_gpu {

/// The `tick`th piece of work of one stream; ticks count from 1. Tick 0: none.
struct Epoch {
    std::uint32_t timeline = 0;
    std::uint64_t tick = 0;
    bool operator==(const Epoch&) const = default;
};

/// A point covers an epoch when that piece of work is ordered before the point.
class VectorClock {
  public:
    bool covers(Epoch epoch) const { return at(epoch.timeline) >= epoch.tick; }
    void join(const VectorClock& other) {
        if (ticks_.size() < other.ticks_.size())
            ticks_.resize(other.ticks_.size());
        for (std::size_t i = 0; i < other.ticks_.size(); ++i)
            ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
    }
    void join(Epoch epoch) {
        if (ticks_.size() <= epoch.timeline)
            ticks_.resize(epoch.timeline + 1);
        ticks_[epoch.timeline] = std::max(ticks_[epoch.timeline], epoch.tick);
    }
    std::uint64_t at(std::uint32_t timeline) const {
        return timeline < ticks_.size() ? ticks_[timeline] : 0;
    }
    bool covers(const VectorClock& other) const {
        for (std::size_t i = 0; i < other.ticks_.size(); ++i)
            if (at(static_cast<std::uint32_t>(i)) < other.ticks_[i])
                return false;
        return true;
    }

  private:
    std::vector<std::uint64_t> ticks_;
};

}  // namespace vram::virtual_gpu
