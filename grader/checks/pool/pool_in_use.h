// A pool of the learner's under observation: each block that it hands out is compared with those
// that are out already and with the arenas that the ledger knows.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/bench/pool/live_map.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/story.h"
#include "labs/13-pool/pool.h"

namespace vram::checks {

const char* name_of(PoolStatus status);

/// What out-parameters hold before a call, so that an untouched one shows.
constexpr std::uintptr_t poison = 0xdeadbeef;

/// The learner's live allocations from cudaMalloc, whoever made them. What was there before this
/// object counts as memory that a block can lie in, and not as something that the pool at hand holds:
/// an arena that an earlier pool never gave back is the earlier pool's.
class ArenasOfLedger {
  public:
    /// The arena that the address lies in.
    std::optional<bench::Stretch> around(std::uintptr_t address);
    /// Those made since this object was, lowest address first.
    std::vector<bench::Stretch> all();
    std::size_t reserved_bytes();

  private:
    void refresh();
    Moment beginning_;
    std::uint64_t calls_seen_ = UINT64_MAX;
    std::map<std::uintptr_t, bench::Stretch> every_one_;
    std::vector<bench::Stretch> since_beginning_;
};

class PoolInUse {
  public:
    explicit PoolInUse(const PoolConfig& config) : config_(config) {}
    ~PoolInUse() { destroy(nullptr); }
    PoolInUse(const PoolInUse&) = delete;
    PoolInUse& operator=(const PoolInUse&) = delete;

    // Functions that return bool or a pointer: false or null means that the running check has
    // failed, with a story.

    [[nodiscard]] bool create();

    /// Asks the learner's pool, and judges nothing. *block is poisoned before.
    PoolStatus allocate(std::size_t bytes, void** block);
    /// A request that has to succeed: the block is judged and counted as live. `why` it has to.
    [[nodiscard]] void* get(std::size_t bytes, const std::string& why);
    /// A request that has to succeed without a runtime call.
    [[nodiscard]] void* get_without_call(std::size_t bytes, const std::string& why);
    /// A request that has to fail with out_of_memory and null.
    [[nodiscard]] bool refuses(std::size_t bytes, const std::string& why);

    PoolStatus free(void* block);
    /// Frees a live block, which has to succeed.
    [[nodiscard]] bool give_back(void* block);
    /// Frees all live blocks, lowest address first.
    [[nodiscard]] bool give_all_back();

    [[nodiscard]] bool read_stats(PoolStats* stats);
    PoolStatus trim(std::size_t* released_bytes);
    PoolStatus destroy(PoolLeaks* leaks);

    /// Whether no arena with a live block was given back since then, by this call of the pool.
    [[nodiscard]] bool keeps_arenas_in_use(const Moment& start, const std::string& call);

    /// Fills all live blocks with a pattern of their own; later the contents are judged.
    [[nodiscard]] bool write_contents();
    [[nodiscard]] bool contents_are_kept();

    Pool* get() const { return pool_; }
    const std::vector<void*>& live() const { return live_order_; }
    std::size_t live_bytes() const { return live_bytes_; }
    std::size_t most_live_bytes() const { return most_live_bytes_; }
    ArenasOfLedger& arenas() { return arenas_; }

    /// Begins with what was done with the pool last.
    Story story(const std::string& diagnosis, const std::string& first_line) const;
    /// The surroundings of an address in its arena, as steps.
    Story with_picture(Story story, const bench::Stretch& stretch);
    /// A sentence for later stories.
    void note(const std::string& sentence);
    std::string name_of_block(const void* block) const;

  private:
    [[nodiscard]] bool judge_block(void* block, std::size_t bytes);

    PoolConfig config_;
    Pool* pool_ = nullptr;
    ArenasOfLedger arenas_;
    bench::LiveMap live_map_;
    std::map<void*, bench::Stretch> live_;
    std::vector<void*> live_order_;  ///< oldest first
    std::size_t live_bytes_ = 0;
    std::size_t most_live_bytes_ = 0;
    std::size_t blocks_named_ = 0;
    std::size_t notes_ = 0;
    std::string first_note_;
    std::deque<std::string> last_notes_;
    std::map<void*, std::uint32_t> written_;  ///< the pattern's seed
    std::uint32_t patterns_ = 0;
};

}  // namespace vram::checks
