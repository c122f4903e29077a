// Host memory that the card knows: page-locked, managed and registered blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "grader/virtual_gpu/memory/address_space.h"
#include "grader/virtual_gpu/memory/guarded_target.h"
#include "grader/virtual_gpu/variation.h"

namespace vram::virtual_gpu {

class HostMemory {
  public:
    HostMemory(AddressSpace& space, Variation& variation) : space_(space), variation_(variation) {}
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    /// Page-aligned memory of its own, or nullptr when the machine has none. `kind` is pinned or
    /// managed; `flags` are those of the call that asked.
    Block* allocate(std::size_t bytes, MemoryKind kind, unsigned flags, CallNumber call);
    /// Frees what allocate() gave. The addresses stay inaccessible for a while, so that a late use
    /// is noticed.
    void release(Block& block, CallNumber call);

    /// Memory of the program becomes known; nullptr when a part of it is known already.
    Block* enter(std::uint64_t address, std::size_t bytes, unsigned flags, CallNumber call);
    void leave(Block& block, CallNumber call);

    /// A copy that is still pending will write bytes [begin, end) of `block`. Those of its pages that
    /// hold nothing else are closed to the host until then. Registered memory is left alone: the
    /// program may give it back without a word.
    void guard_target(const Block& block, std::uint64_t begin, std::uint64_t end,
                      std::shared_ptr<const Origin> copy);
    GuardedTargets& guarded_targets() { return guarded_targets_; }

    bool is_registered(const Block& block) const;
    unsigned flags(const Block& block) const;

  private:
    struct Mapping {
        std::size_t mapped_bytes = 0;  ///< 0 for registered memory
        unsigned flags = 0;
    };
    void end_oldest_quarantine();

    AddressSpace& space_;
    Variation& variation_;
    std::unordered_map<AllocationId, Mapping> mappings_;
    std::deque<std::pair<std::uint64_t, std::size_t>> quarantined_;
    GuardedTargets guarded_targets_;
};

}  // namespace vram::virtual_gpu
