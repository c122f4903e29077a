// Page-locked memory that a pending copy still has to write. Until the copy has run, its pages are
// closed to the host, so that code which reads the target too early is caught in the act.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "grader/virtual_gpu/streams/operation.h"

namespace vram::virtual_gpu {

/// Whole pages [begin, end) that belong to the target of one copy and to nothing else.
struct GuardedTarget {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::shared_ptr<const Origin> origin;
};

/// Has a lock of its own: the handler of a fault can't wait for the lock of the card.
class GuardedTargets {
  public:
    GuardedTargets() = default;
    ~GuardedTargets();
    GuardedTargets(const GuardedTargets&) = delete;
    GuardedTargets& operator=(const GuardedTargets&) = delete;

    /// Closes the pages; both addresses are multiples of a page.
    void guard(std::uint64_t begin, std::uint64_t end, std::shared_ptr<const Origin> origin);
    /// The copy was done, or never will be: opens its pages.
    void land(const Origin& origin);
    /// The pages are no longer a target, and their protection is somebody else's business.
    void forget(std::uint64_t begin, std::uint64_t end);
    /// The host touched `address`: opens the targets there and gives the copy that was to write it.
    /// nullptr when no target is there (any more).
    std::shared_ptr<const Origin> touch(std::uint64_t address);
    /// A page that was a target and is still mapped: a fault there came too late to be one, and the
    /// access will succeed when it is repeated.
    bool was_target(std::uint64_t address);

    /// Between the two everything is open: the card, or a host function of a stream, works on memory.
    /// Pairs may be nested.
    void suspend();
    void resume();

  private:
    std::mutex mutex_;
    void close(const GuardedTarget& target);

    std::vector<GuardedTarget> targets_;
    std::map<std::uint64_t, std::uint64_t> ever_closed_;  ///< begin to end of pages still mapped
    int suspended_ = 0;
};

}  // namespace vram::virtual_gpu
