// Finds the allocation, live or freed, that an address belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "grader/runtime/private_memory.h"
#include "grader/runtime/records.h"

namespace vram::runtime {

/// Where the record of an allocation is kept.
struct IndexedBlock {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< one past the last byte that was asked for
    AllocationId id = 0;
    std::uint32_t slot = 0;
    Family family = Family::device;

    bool contains(std::uint64_t address) const { return address - begin < end - begin; }
};

/// Live blocks never overlap; of freed ones the newest wins. Not thread-safe.
class AddressIndex {
  public:
    using Blocks = std::map<std::uint64_t, IndexedBlock, std::less<>,
                            PrivateAllocator<std::pair<const std::uint64_t, IndexedBlock>>>;

    void add_live(const IndexedBlock& block) { live_[block.begin] = block; }
    void remove_live(std::uint64_t begin) { live_.erase(begin); }
    void add_freed(const IndexedBlock& block);
    void clear_freed() { freed_.clear(); }
    void clear();

    /// The live block with the highest base not above `address`; nullptr when there is none.
    const IndexedBlock* live_at_or_below(std::uint64_t address) const;
    const IndexedBlock* live_from(std::uint64_t base) const;
    /// A live block that shares a byte with [begin, end).
    const IndexedBlock* live_overlapping(std::uint64_t begin, std::uint64_t end) const;
    const IndexedBlock* freed_containing(std::uint64_t address) const;

    const Blocks& live() const { return live_; }
    /// True once freed blocks had to be forgotten because there were too many of them.
    bool forgot_freed() const { return forgot_freed_; }

  private:
    void make_room(std::uint64_t begin, std::uint64_t end);

    Blocks live_;
    Blocks freed_;
    bool forgot_freed_ = false;
};

}  // namespace vram::runtime
