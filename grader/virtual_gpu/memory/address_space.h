// All blocks that kernels and copies can reach, live and freed, by address.
#pragma once

#include <deque>
#include <map>
#include <shared_mutex>
#include <vector>

#include "grader/virtual_gpu/memory/block.h"

namespace vram::virtual_gpu {

class AddressSpace final : public BlockFinder {
  public:
    /// Enters a live block; its id is set here. The reference stays valid.
    Block& add(Block block);
    /// Marks a block freed and remembers it for reports.
    void retire(Block& block, CallNumber freed_by);
    /// Takes a freed block out of the memory of reports: its addresses belong to somebody else now.
    void forget_range(std::uint64_t begin, std::uint64_t end);

    const Block* find(std::uint64_t address) const override;
    /// The live block that contains `address`, or nullptr.
    Block* find_live(std::uint64_t address) const;
    /// The live block that begins at `address`, or nullptr.
    Block* find_base(std::uint64_t address) const;
    /// The live block that begins within `reach` bytes above `address`, or nullptr.
    Block* find_next(std::uint64_t address, std::uint64_t reach) const;

    std::vector<Block*> live_blocks() const;
    /// The same as find(), for a signal handler: nullptr when the table is being changed.
    const Block* try_find(std::uint64_t address) const;
    const Block* try_find_next(std::uint64_t address, std::uint64_t reach) const;

  private:
    struct FreedRange {
        std::uint64_t end = 0;
        Block* block = nullptr;
    };

    Block* next_above(std::uint64_t address, std::uint64_t reach) const;
    Block* live_at(std::uint64_t address) const;
    Block* freed_at(std::uint64_t address) const;
    const Block* find_unlocked(std::uint64_t address) const;
    void clear_freed(std::uint64_t begin, std::uint64_t end);
    void drop_piece(Block* block);

    mutable std::shared_mutex mutex_;
    std::deque<Block> blocks_;
    std::vector<Block*> unused_;  ///< freed blocks that no address refers to any more
    std::map<std::uint64_t, Block*> live_;
    std::map<std::uint64_t, FreedRange> freed_;  ///< disjoint; the block freed last owns an address
    std::map<Block*, int> freed_pieces_;
    AllocationId last_id_ = 0;
};

}  // namespace vram::virtual_gpu
