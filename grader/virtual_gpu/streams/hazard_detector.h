// Finds accesses to the same bytes that nothing puts in order.
//
// For each range of bytes it remembers the last write and the reads since. A new access is a hazard
// when an earlier, conflicting one is not ordered before it by stream order, events, waits or
// synchronisation. That depends on the program alone, not on when the work happened to run. The
// threads of the host count as one, in the order of their calls: how they wait for each other is
// not visible here, and a missing edge must never be invented.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grader/virtual_gpu/memory/address_space.h"
#include "grader/virtual_gpu/streams/operation.h"

namespace vram::virtual_gpu {

class HazardDetector {
  public:
    explicit HazardDetector(const AddressSpace& space) : space_(space) {}

    /// Judges what an operation touched. `keep` false: the host waits for it now, so nothing later
    /// can collide with it.
    void record(const Operation& operation, const std::vector<Access>& accesses, bool keep);

    /// The host frees bytes [begin, end): reports work on them that is not ordered before `host`,
    /// and forgets them. True when there was any.
    bool host_frees(const Block& block, const VectorClock& host, const Origin& origin,
                    ReportKind kind);

    /// A stream-ordered block begins or ends; see AccessMode::allocate and release.
    void block_allocated(const Block& block, const Operation& operation);
    void block_released(const Block& block, const Operation& operation);
    /// Its bytes belong to somebody else, or to nobody, from now on.
    void forget(const Block& block);

    /// Everything that `host` covers is over: nothing later collides with it.
    void forget_covered(const VectorClock& host);

  private:
    struct Stamp {
        Epoch epoch;
        std::shared_ptr<const Origin> origin;
    };
    struct Segment {
        std::uint64_t end = 0;
        std::vector<Stamp> writers;  ///< one, or several atomics that may overlap each other
        bool atomic = false;
        std::vector<Stamp> readers;  ///< since the last plain write
    };
    struct Life {
        Stamp allocated;
        Stamp released;
        VectorClock before_release;  ///< what the release is ordered after
    };
    using Segments = std::map<std::uint64_t, Segment>;

    void check_life(const Operation& operation, const Access& access);
    void check_segment(const Operation& operation, const Access& access, std::uint64_t begin,
                       const Segment& segment);
    void update_segment(const Operation& operation, const Access& access, Segment& segment);
    void forget_bytes(std::uint64_t begin, std::uint64_t end);
    void split_at(std::uint64_t address);
    Segments::iterator first_at_or_after(std::uint64_t address);
    void report(ReportKind kind, const Stamp& caught, const Stamp& other, const Access& bytes,
                const std::string& first_line);

    const AddressSpace& space_;
    Segments segments_;
    std::unordered_map<AllocationId, Life> lives_;
    std::set<std::pair<const Origin*, const Origin*>> reported_;
    std::vector<std::shared_ptr<const Origin>> reported_origins_;  ///< keeps the addresses unique
};

}  // namespace vram::virtual_gpu
