// Checks of lab 12: equal blocks from one slab of device memory.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "block_pool.h"
#include "grader/bench/pool/live_map.h"
#include "grader/checks/support/device_access.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {
namespace {

using bench::address_text;
using bench::bytes_text;
using runtime::AllocationRecord;
using runtime::CallRecord;

constexpr std::uintptr_t poison = 0xdeadbeef;

const char* name_of(PoolStatus status) {
    switch (status) {
        case PoolStatus::ok:
            return "ok";
        case PoolStatus::invalid_argument:
            return "invalid_argument";
        case PoolStatus::out_of_memory:
            return "out_of_memory";
        case PoolStatus::exhausted:
            return "exhausted";
        case PoolStatus::not_a_block:
            return "not_a_block";
        case PoolStatus::already_free:
            return "already_free";
    }
    return "a value that PoolStatus does not have";
}

std::uintptr_t address_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Adds the sentences of what the check did as steps of the story.
Story with_steps(Story story, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
        story.step(sentence);
    }
    return story;
}

/// A pool of the learner's and what was done with it. Destroyed at the end of the scope.
class PoolInUse {
  public:
    explicit PoolInUse(const BlockPoolConfig& config) : config_(config) {}
    ~PoolInUse() { destroy(nullptr); }
    PoolInUse(const PoolInUse&) = delete;
    PoolInUse& operator=(const PoolInUse&) = delete;

    /// Makes the pool; false, with a story, when that fails.
    [[nodiscard]] bool create() {
        const Moment start;
        auto* pool = reinterpret_cast<BlockPool*>(poison);
        const PoolStatus status = learner([&] { return pool_create(&config_, &pool); });
        history_.push_back(text_of_create() + " -> " + name_of(status));
        if (status != PoolStatus::ok) {
            fail(Story("wrong-status", text_of_create() + " returned " + name_of(status) + ".")
                     .steps_after(start.call())
                     .expected("ok, and a pool at *out"));
            return false;
        }
        if (pool == nullptr || pool == reinterpret_cast<BlockPool*>(poison)) {
            fail(Story("out-not-set", text_of_create() + " returned ok and left no pool at *out.")
                     .steps_after(start.call())
                     .expected("the pool's address at *out"));
            return false;
        }
        pool_ = pool;
        const auto made = start.still_live();
        if (!made.empty()) {
            slab_ = made.front();
        }
        return true;
    }

    PoolStatus acquire(void** block) {
        *block = reinterpret_cast<void*>(poison);
        const PoolStatus status = learner([&] { return pool_acquire(pool_, block); });
        history_.push_back(std::string("pool_acquire() -> ") + name_of(status) + ", " +
                           address_text(address_of(*block)));
        return status;
    }

    /// Acquires a block that has to be there; null, with a story, when it is not.
    void* acquire_one(const std::string& why) {
        const Moment start;
        void* block = nullptr;
        const PoolStatus status = acquire(&block);
        if (status == PoolStatus::ok && block != nullptr && address_of(block) != poison) {
            return block;
        }
        fail(story(status == PoolStatus::ok ? "out-not-set" : "wrong-status",
                   status == PoolStatus::ok
                       ? "pool_acquire() returned ok and left no block at *out."
                       : std::string("pool_acquire() returned ") + name_of(status) +
                             " although a block is free.")
                 .expected("ok, and the address of a free block")
                 .why(why));
        return nullptr;
    }

    /// All blocks of the pool; fewer, with a story, when one can't be had.
    std::vector<void*> acquire_all() {
        std::vector<void*> blocks;
        for (std::size_t index = 0; index < config_.block_count; ++index) {
            void* block = acquire_one("the pool has " + std::to_string(config_.block_count) +
                                      " blocks, and " + std::to_string(index) + " are in use");
            if (block == nullptr) {
                break;
            }
            blocks.push_back(block);
        }
        return blocks;
    }

    PoolStatus release(void* block) {
        const PoolStatus status = learner([&] { return pool_release(pool_, block); });
        history_.push_back("pool_release(" + address_text(address_of(block)) + ") -> " +
                           name_of(status));
        return status;
    }

    /// Releases a block that is in use; false, with a story, when that is refused.
    [[nodiscard]] bool release_one(void* block) {
        const PoolStatus status = release(block);
        if (status != PoolStatus::ok) {
            fail(story("wrong-status", std::string("pool_release() of a block in use returned ") +
                                           name_of(status) + ".")
                     .expected("ok"));
        }
        return status == PoolStatus::ok;
    }

    /// The pool's own figures; false, with a story, when it has none to give.
    [[nodiscard]] bool read_stats(BlockPoolStats* stats) {
        const PoolStatus status = learner([&] { return pool_stats(pool_, stats); });
        if (status != PoolStatus::ok) {
            fail(
                story("wrong-status", std::string("pool_stats() returned ") + name_of(status) + ".")
                    .expected("ok"));
        }
        return status == PoolStatus::ok;
    }

    PoolStatus destroy(std::size_t* blocks_in_use) {
        if (pool_ == nullptr) {
            return PoolStatus::ok;
        }
        BlockPool* pool = std::exchange(pool_, nullptr);
        return learner([&] { return pool_destroy(pool, blocks_in_use); });
    }

    /// A story that begins with the last things that were done with the pool.
    Story story(const std::string& diagnosis, const std::string& first_line) const {
        constexpr std::size_t most_steps = 6;
        const std::size_t skipped = history_.size() > most_steps ? history_.size() - most_steps : 0;
        std::vector<std::string> sentences;
        if (skipped > 0) {
            sentences.push_back(history_.front());
            sentences.push_back("... " + std::to_string(skipped - 1) + " more ...");
        }
        sentences.insert(sentences.end(), history_.begin() + static_cast<long>(skipped),
                         history_.end());
        return with_steps(Story(diagnosis, first_line), sentences);
    }

    std::string text_of_create() const {
        return "pool_create({" + std::to_string(config_.block_bytes) + " bytes, " +
               std::to_string(config_.block_count) + " blocks, alignment " +
               std::to_string(config_.alignment) + "})";
    }
    BlockPool* get() const { return pool_; }
    const BlockPoolConfig& config() const { return config_; }
    const AllocationRecord& slab() const { return slab_; }

  private:
    BlockPoolConfig config_;
    BlockPool* pool_ = nullptr;
    AllocationRecord slab_;
    std::vector<std::string> history_;
};

bool judge_figure(const PoolInUse& pool, std::size_t actual, std::size_t wanted,
                  const std::string& name, const std::string& why) {
    if (actual == wanted) {
        return true;
    }
    fail(pool.story("wrong-statistics", "pool_stats() says " + name + " = " +
                                            std::to_string(actual) + "; it is " +
                                            std::to_string(wanted) + ".")
             .expected(std::to_string(wanted))
             .found(std::to_string(actual))
             .why(why));
    return false;
}

// ---- blocks ------------------------------------------------------------------------------------

bool judge_block_place(const PoolInUse& pool, void* block) {
    const BlockPoolConfig& config = pool.config();
    const std::uintptr_t address = address_of(block);
    if (address % config.alignment != 0) {
        fail(pool.story("block-misaligned", "A block begins at " + address_text(address) +
                                                ", which is no multiple of " +
                                                std::to_string(config.alignment) + ".")
                 .step("the slab begins at " + address_text(pool.slab().base) + ", " +
                       std::to_string(address - pool.slab().base) + " bytes before the block")
                 .expected("each address a multiple of the alignment")
                 .found(std::to_string(address % config.alignment) + " bytes behind one")
                 .why("cudaMalloc promises multiples of 256 and no more, so an offset in the slab "
                      "that is aligned gives no aligned address"));
        return false;
    }
    const std::uintptr_t slab_end = pool.slab().base + pool.slab().bytes;
    if (address < pool.slab().base || address + config.block_bytes > slab_end) {
        fail(pool.story("block-outside-slab", "A block of " + bytes_text(config.block_bytes) +
                                                  " at " + address_text(address) +
                                                  " does not lie in the slab.")
                 .step(pool.slab().made_by)
                 .expected("the whole block between " + address_text(pool.slab().base) + " and " +
                           address_text(slab_end))
                 .found("the block ends at " + address_text(address + config.block_bytes)));
        return false;
    }
    return true;
}

bool judge_blocks_apart(const PoolInUse& pool, const std::vector<void*>& blocks) {
    std::vector<std::uintptr_t> addresses;
    for (void* block : blocks) {
        addresses.push_back(address_of(block));
    }
    std::sort(addresses.begin(), addresses.end());
    for (std::size_t index = 1; index < addresses.size(); ++index) {
        const std::size_t distance = addresses[index] - addresses[index - 1];
        if (distance >= pool.config().block_bytes) {
            continue;
        }
        fail(pool.story("blocks-overlap",
                        distance == 0 ? "Two owners have the same block, at " +
                                            address_text(addresses[index]) + "."
                                      : "Two blocks in use share bytes: one begins " +
                                            std::to_string(distance) + " bytes behind the other.")
                 .expected("blocks in use at least " + std::to_string(pool.config().block_bytes) +
                           " bytes apart")
                 .found(address_text(addresses[index - 1]) + " and " +
                        address_text(addresses[index])));
        return false;
    }
    return true;
}

/// Every owner writes its block to the last byte, and finds it as it was when all have written.
bool judge_contents_are_kept(const PoolInUse& pool, const std::vector<void*>& blocks) {
    const std::size_t bytes = pool.config().block_bytes;
    const auto pattern = [&](std::size_t index) {
        std::vector<std::uint8_t> contents(bytes);
        for (std::size_t at = 0; at < bytes; ++at) {
            contents[at] = static_cast<std::uint8_t>(at * 7 + index * 31 + 1);
        }
        return contents;
    };
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        if (!write_device(blocks[index], pattern(index).data(), bytes)) {
            fail(pool.story("block-outside-slab", "A block of the pool can't be written.")
                     .expected(bytes_text(bytes) + " of device memory at " +
                               address_text(address_of(blocks[index]))));
            return false;
        }
    }
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        const auto contents = read_device_array<std::uint8_t>(blocks[index], bytes);
        if (contents != pattern(index)) {
            fail(pool.story("blocks-overlap", "A block was changed by the owner of another one.")
                     .found("the contents of " + address_text(address_of(blocks[index])) +
                            " are not what was written there"));
            return false;
        }
    }
    return true;
}

TEST(Create, AsksForOneSlab) {
    const Moment start;
    PoolInUse pool({1000, 100, 256});
    if (!pool.create()) {
        return;
    }
    constexpr std::size_t least = 99 * 1024 + 1000;
    constexpr std::size_t most = 100 * 1024 + 256;
    if (start.count_allocations() != 1 || start.count("cudaMalloc") != 1) {
        fail(Story(start.count_allocations() == 0 ? "no-slab" : "many-allocations",
                   "pool_create() made " + std::to_string(start.count_allocations()) +
                       " allocations; one cudaMalloc is due.")
                 .steps_after(start.call())
                 .expected("one cudaMalloc for all blocks")
                 .why("a call of cudaMalloc for each block is what the pool is there to save"));
        return;
    }
    if (pool.slab().bytes < least || pool.slab().bytes > most) {
        fail(Story("slab-size", "The slab has " + std::to_string(pool.slab().bytes) +
                                    " bytes for 100 blocks of 1000 that are aligned to 256.")
                 .step(pool.slab().made_by)
                 .expected(std::to_string(least) + " to " + std::to_string(most) + " bytes")
                 .why("1000 rounded up to the alignment is 1024, times 100"));
        return;
    }
    BlockPoolStats stats;
    if (!pool.read_stats(&stats)) {
        return;
    }
    (void)(judge_figure(pool, stats.blocks_total, 100, "blocks_total", "") &&
           judge_figure(pool, stats.blocks_in_use, 0, "blocks_in_use", "nothing was acquired") &&
           judge_figure(pool, stats.most_in_use, 0, "most_in_use", "nothing was acquired") &&
           judge_figure(pool, stats.slab_bytes, pool.slab().bytes, "slab_bytes",
                        "so much was asked of cudaMalloc"));
}

/// Whether all that the pool has asked of the runtime since then is memory. A pool that clears its
/// blocks as well would be busy for very long with a slab of some GiB.
bool asked_for_memory_only(const Moment& start) {
    return static_cast<int>(start.calls().size()) ==
           start.count("cudaMalloc") + start.count("cudaFree") + start.count("cudaGetLastError");
}

/// A slab above 4 GiB, where the device has so much: an offset in 32 bits would be a small one.
bool judge_large_slab() {
    const BlockPoolConfig config{64 * 1024 * 1024, 65, 256};
    void* memory = nullptr;
    const bool had =
        cudaMalloc(&memory, config.block_bytes * (config.block_count + 1)) == cudaSuccess;
    cudaFree(memory);
    if (!had) {
        return true;
    }
    PoolInUse pool(config);
    if (!pool.create()) {
        return false;
    }
    const std::vector<void*> blocks = pool.acquire_all();
    return blocks.size() == config.block_count &&
           std::all_of(blocks.begin(), blocks.end(),
                       [&](void* block) { return judge_block_place(pool, block); }) &&
           judge_blocks_apart(pool, blocks) &&
           std::all_of(blocks.begin(), blocks.end(),
                       [&](void* block) { return pool.release_one(block); });
}

TEST(Acquire, BlocksAreApartAndAligned) {
    constexpr std::size_t sizes[] = {1000, 1, 31, 255, 256, 257, 5000};
    constexpr std::size_t alignments[] = {256, 1, 8, 32, 128, 512, 4096, 65536};
    const Moment start;
    std::uint64_t seed = 1;
    for (const std::size_t alignment : alignments) {
        for (const std::size_t bytes : sizes) {
            session().vary(seed++);
            PoolInUse pool({bytes, 7, alignment});
            if (!pool.create()) {
                return;
            }
            const std::size_t step = std::max<std::size_t>(alignment, 256);
            const std::size_t most = 7 * ((bytes + step - 1) / step * step) + step;
            BlockPoolStats stats;
            if (!pool.read_stats(&stats) ||
                !judge_figure(pool, stats.slab_bytes, pool.slab().bytes, "slab_bytes",
                              "so much was asked of cudaMalloc")) {
                return;
            }
            const std::vector<void*> blocks = pool.acquire_all();
            if (blocks.size() < 7) {
                return;
            }
            for (void* block : blocks) {
                if (!judge_block_place(pool, block)) {
                    return;
                }
            }
            if (!judge_blocks_apart(pool, blocks) || !judge_contents_are_kept(pool, blocks)) {
                return;
            }
            if (pool.slab().bytes > most) {
                fail(Story("slab-size", "The slab has " + std::to_string(pool.slab().bytes) +
                                            " bytes for 7 blocks of " + std::to_string(bytes) +
                                            " that are aligned to " + std::to_string(alignment) +
                                            ".")
                         .step(pool.slab().made_by)
                         .expected("at most " + std::to_string(most) + " bytes"));
                return;
            }
        }
    }
    if (asked_for_memory_only(start)) {
        (void)judge_large_slab();
    }
}

TEST(Acquire, SaysWhenItIsExhausted) {
    PoolInUse pool({4096, 5, 256});
    if (!pool.create()) {
        return;
    }
    const std::vector<void*> blocks = pool.acquire_all();
    if (blocks.size() < 5) {
        return;
    }
    for (int attempt = 1; attempt <= 3; ++attempt) {
        const Moment start;
        void* block = nullptr;
        const PoolStatus status = pool.acquire(&block);
        if (status != PoolStatus::exhausted) {
            fail(pool.story("wrong-status",
                            std::string("All 5 blocks are in use, and pool_acquire() returned ") +
                                name_of(status) + ".")
                     .expected("exhausted")
                     .why("whoever gets no block has to learn it from this very call"));
            return;
        }
        if (block != nullptr) {
            fail(pool.story("out-not-null", "pool_acquire() returned exhausted and left " +
                                                address_text(address_of(block)) + " at *out.")
                     .expected("null at *out")
                     .why("a caller who overlooks the status would use whatever is there"));
            return;
        }
        BlockPoolStats stats;
        if (!pool.read_stats(&stats) ||
            !judge_figure(pool, stats.refused_acquires, static_cast<std::size_t>(attempt),
                          "refused_acquires", "so many calls returned exhausted") ||
            !judge_figure(pool, stats.blocks_in_use, 5, "blocks_in_use",
                          "a refused call hands out nothing") ||
            !judge_figure(pool, stats.most_in_use, 5, "most_in_use",
                          "a refused call hands out nothing")) {
            return;
        }
    }
    if (!pool.release_one(blocks[2])) {
        return;
    }
    void* again = pool.acquire_one("one block was released after the pool was exhausted");
    if (again != nullptr && again != blocks[2]) {
        fail(pool.story("blocks-overlap", "The only free block was not the one handed out.")
                 .expected(address_text(address_of(blocks[2])))
                 .found(address_text(address_of(again))));
    }
}

// ---- releases ----------------------------------------------------------------------------------

TEST(Release, BlocksComeBack) {
    constexpr std::size_t count = 61;
    PoolInUse pool({768, count, 256});
    if (!pool.create()) {
        return;
    }
    std::vector<void*> in_use;
    std::size_t most = 0;
    std::uint32_t random = 12345;
    for (int turn = 0; turn < 3000; ++turn) {
        random = random * 1664525u + 1013904223u;
        const bool rising = turn / 200 % 2 == 0;
        const bool acquire = in_use.empty() ||
                             (in_use.size() < count && (random >> 16) % 100 < (rising ? 70u : 30u));
        if (acquire) {
            void* block = pool.acquire_one(std::to_string(in_use.size()) + " of " +
                                           std::to_string(count) + " blocks are in use");
            if (block == nullptr) {
                return;
            }
            in_use.push_back(block);
            most = std::max(most, in_use.size());
            if (!judge_block_place(pool, block) || !judge_blocks_apart(pool, in_use)) {
                return;
            }
        } else {
            std::swap(in_use[(random >> 8) % in_use.size()], in_use.back());
            void* block = in_use.back();
            in_use.pop_back();
            if (!pool.release_one(block)) {
                return;
            }
        }
    }
    BlockPoolStats stats;
    if (!pool.read_stats(&stats)) {
        return;
    }
    (void)(judge_figure(pool, stats.blocks_in_use, in_use.size(), "blocks_in_use",
                        "acquired less released") &&
           judge_figure(pool, stats.most_in_use, most, "most_in_use",
                        "it is a high-water mark: it never sinks"));
}

bool same(const BlockPoolStats& a, const BlockPoolStats& b) {
    return a.blocks_total == b.blocks_total && a.blocks_in_use == b.blocks_in_use &&
           a.most_in_use == b.most_in_use && a.refused_acquires == b.refused_acquires &&
           a.slab_bytes == b.slab_bytes;
}

/// Releases what the pool has to refuse with `wanted`; false, with a story, when it does not.
bool judge_refusal(PoolInUse& pool, void* pointer, const std::string& what, PoolStatus wanted,
                   const std::string& accepted_diagnosis) {
    BlockPoolStats before;
    BlockPoolStats after;
    if (!pool.read_stats(&before)) {
        return false;
    }
    const PoolStatus status = pool.release(pointer);
    if (status != wanted) {
        fail(pool.story(status == PoolStatus::ok ? accepted_diagnosis : "wrong-status",
                        std::string("pool_release() of ") + what + " returned " + name_of(status) +
                            ".")
                 .expected(name_of(wanted))
                 .why("what is put on the free list by mistake is handed out as a block later"));
        return false;
    }
    if (!pool.read_stats(&after)) {
        return false;
    }
    if (!same(before, after)) {
        fail(pool.story("state-changed",
                        "pool_release() refused " + what + " and changed the pool's figures.")
                 .expected("blocks_in_use = " + std::to_string(before.blocks_in_use))
                 .found("blocks_in_use = " + std::to_string(after.blocks_in_use)));
        return false;
    }
    return true;
}

TEST(Release, RefusesStrangers) {
    PoolInUse other({3000, 4, 4096});
    PoolInUse pool({3000, 4, 4096});
    if (!other.create() || !pool.create()) {
        return;
    }
    std::vector<void*> blocks = pool.acquire_all();
    void* of_other = other.acquire_one("nothing was acquired from this pool");
    if (blocks.size() < 4 || of_other == nullptr) {
        return;
    }
    std::sort(blocks.begin(), blocks.end());
    if (!pool.release_one(blocks[1])) {
        return;
    }
    BlockPoolStats stats;
    const PoolStatus for_null = pool.release(nullptr);
    if (for_null != PoolStatus::ok) {
        fail(pool.story("null-refused",
                        std::string("pool_release() of null returned ") + name_of(for_null) + ".")
                 .expected("ok, and nothing happens"));
        return;
    }
    if (!pool.read_stats(&stats) || !judge_figure(pool, stats.blocks_in_use, 3, "blocks_in_use",
                                                  "4 blocks were acquired, one was released, and "
                                                  "null is none")) {
        return;
    }
    const DeviceBytes of_harness(4096);
    std::vector<char> on_the_heap(64);
    char on_the_stack = 0;
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
    const std::uintptr_t first = address_of(blocks.front());
    const std::uintptr_t last = address_of(blocks.back());
    const std::uintptr_t slab = pool.slab().base;
    struct Stranger {
        void* pointer;
        std::string what;
    };
    std::vector<Stranger> strangers = {
        {at(first + 1), "the second byte of a block"},
        {at(first + 256), "an address inside a block"},
        {at(last + 2999), "the last byte of a block"},
        {at(address_of(blocks[1]) + 16), "an address inside a free block"},
        {at(last + 4096), "the address where a block behind the last one would be"},
        {at(first - 4096), "the address where a block before the first one would be"},
        {at(slab + pool.slab().bytes), "the end of the slab"},
        {at(first + (std::uintptr_t{1} << 32)), "an address 4 GiB behind a block"},
        {at(first + (std::uintptr_t{1} << 40)), "an address 1 TiB behind a block"},
        {of_other, "a block of another pool"},
        {of_harness.get(), "memory from cudaMalloc that is no pool's"},
        {on_the_heap.data(), "host memory"},
        {&on_the_stack, "a host variable"},
        {at(1), "the address 1"},
        {at(UINTPTR_MAX - 4095), "an address at the end of the address space"},
    };
    if (slab != first) {
        strangers.push_back({at(slab), "the slab's first byte, which is no block here"});
    }
    const Moment start;
    for (const Stranger& stranger : strangers) {
        if (!judge_refusal(pool, stranger.pointer, stranger.what, PoolStatus::not_a_block,
                           "stranger-accepted")) {
            return;
        }
    }
    if (!start.calls().empty()) {
        fail(pool.story("runtime-call", "Refused releases made runtime calls.")
                 .steps_after(start.call())
                 .expected("no runtime call"));
        return;
    }
    void* again = pool.acquire_one("the refused releases changed nothing, so one block is free");
    if (again != nullptr && again != blocks[1]) {
        fail(
            pool.story("state-changed",
                       "After refused releases the pool hands out another block than the free one.")
                .expected(address_text(address_of(blocks[1])))
                .found(address_text(address_of(again))));
    }
}

TEST(Release, RefusesTheSecondTime) {
    PoolInUse pool({512, 6, 256});
    if (!pool.create()) {
        return;
    }
    std::vector<void*> blocks = pool.acquire_all();
    if (blocks.size() < 6) {
        return;
    }
    for (const std::size_t released : {1, 4, 3}) {
        if (!pool.release_one(blocks[released])) {
            return;
        }
    }
    for (const std::size_t again : {4, 1, 3, 3}) {
        if (!judge_refusal(pool, blocks[again], "a block that was released before",
                           PoolStatus::already_free, "second-release-accepted")) {
            return;
        }
    }
    // Whoever keeps a free block twice hands it out twice.
    std::vector<void*> in_use = {blocks[0], blocks[2], blocks[5]};
    for (int turn = 0; turn < 3; ++turn) {
        void* block = pool.acquire_one("3 blocks were released, each once with success");
        if (block == nullptr) {
            return;
        }
        in_use.push_back(block);
    }
    if (!judge_blocks_apart(pool, in_use)) {
        return;
    }
    // A block that has never been out is no block to release either. Its address is known from the
    // others': in a fresh pool of the same shape, the first acquire leaves all but one free.
    PoolInUse fresh({512, 2, 256});
    if (!fresh.create()) {
        return;
    }
    void* first = fresh.acquire_one("nothing was acquired yet");
    if (first == nullptr) {
        return;
    }
    const std::uintptr_t place = address_of(first);
    const std::uintptr_t slab_end = fresh.slab().base + fresh.slab().bytes;
    const bool room_behind = place + 1024 <= slab_end;
    void* never_out = reinterpret_cast<void*>(room_behind ? place + 512 : place - 512);
    const PoolStatus status = fresh.release(never_out);
    if (status == PoolStatus::ok) {
        fail(fresh
                 .story("second-release-accepted",
                        "pool_release() of a block that was never acquired returned ok.")
                 .expected("already_free"));
        return;
    }
    void* second = fresh.acquire_one("one of two blocks is in use");
    if (second == nullptr || !judge_blocks_apart(fresh, {first, second}) || second != never_out) {
        return;
    }
    if (status != PoolStatus::already_free) {
        fail(fresh
                 .story("wrong-status",
                        std::string("pool_release() of a block that was never acquired returned ") +
                            name_of(status) + ".")
                 .expected("already_free"));
        return;
    }
    if (fresh.release_one(second)) {
        (void)judge_refusal(fresh, second, "a free block", PoolStatus::already_free,
                            "second-release-accepted");
    }
}

// ---- cost --------------------------------------------------------------------------------------

double thread_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// A pool of which so many blocks are in use, and a round of releases and acquires on it.
class BusyPool {
  public:
    BusyPool(std::size_t blocks, std::size_t in_use) : pool_({256, blocks, 256}), count_(in_use) {}

    /// Acquires the blocks, or as many as a search allows in its time.
    [[nodiscard]] bool fill() {
        if (!pool_.create()) {
            return false;
        }
        constexpr double longest = 1e9;
        constexpr std::size_t look_at_the_clock_after = 256;
        std::vector<void*> blocks(count_);
        std::size_t in_use = 0;
        const double start = thread_nanoseconds();
        const bool all = learner([&] {
            bool went_well = true;
            while (
                went_well && in_use < count_ &&
                (in_use % look_at_the_clock_after != 0 || thread_nanoseconds() - start < longest)) {
                went_well = pool_acquire(pool_.get(), &blocks[in_use]) == PoolStatus::ok;
                in_use += went_well;
            }
            return went_well;
        });
        if (!all) {
            fail(pool_.story("wrong-status", "pool_acquire() failed with " +
                                                 std::to_string(in_use) + " of " +
                                                 std::to_string(count_) + " blocks in use."));
            return false;
        }
        for (std::size_t index = 0; index < moving; ++index) {
            moving_[index] = blocks[(index * 2654435761u + in_use - 1) % in_use];
        }
        return true;
    }

    /// Releases some blocks from all over the slab and acquires as many; nanoseconds a call.
    double round() {
        const double start = thread_nanoseconds();
        const bool went_well = learner([&] {
            bool all = true;
            for (int turn = 0; turn < turns; ++turn) {
                for (void* block : moving_) {
                    all &= pool_release(pool_.get(), block) == PoolStatus::ok;
                }
                for (void*& block : moving_) {
                    all &= pool_acquire(pool_.get(), &block) == PoolStatus::ok;
                }
            }
            return all;
        });
        if (!went_well && !failed()) {
            fail(pool_
                     .story("wrong-status",
                            "Releasing and acquiring blocks of a busy pool was refused.")
                     .expected("ok from each call"));
        }
        return (thread_nanoseconds() - start) / (2.0 * moving * turns);
    }

    const PoolInUse& pool() const { return pool_; }

  private:
    static constexpr std::size_t moving = 16;
    static constexpr int turns = 4;
    PoolInUse pool_;
    std::size_t count_;
    void* moving_[moving] = {};
};

/// Compares a small pool with a large one; `few_in_use` and `many_in_use` of their blocks are out.
bool judge_growth(std::size_t few_in_use, std::size_t many_in_use, const std::string& filling) {
    constexpr std::size_t few = 300;
    constexpr std::size_t many = 300'000;
    BusyPool small(few, few_in_use);
    BusyPool large(many, many_in_use);
    if (!small.fill() || !large.fill()) {
        return false;
    }
    const Moment start;
    double small_cost = small.round();
    double large_cost = large.round();
    if (failed()) {
        return false;
    }
    if (!start.calls().empty()) {
        fail(Story("runtime-call", "pool_acquire() and pool_release() made " +
                                       std::to_string(start.calls().size()) + " runtime calls.")
                 .steps_after(start.call(), 4)
                 .expected("none between pool_create() and pool_destroy()"));
        return false;
    }
    // The least of some rounds is what the work itself costs; the rest is the machine's.
    constexpr int rounds = 12;
    for (int round = 0; round < rounds; ++round) {
        small_cost = std::min(small_cost, small.round());
        large_cost = std::min(large_cost, large.round());
    }
    // A search grows by a factor of 1000 here, or of 30 and more if it looks at many blocks at once;
    // caches make constant work up to five times slower.
    constexpr double surely_constant = 12;
    constexpr double surely_growing = 30;
    const double growth = large_cost / std::max(small_cost, 1.0);
    char found[128];
    std::snprintf(found, sizeof found, "%.0f ns a call with %zu blocks, %.0f ns with %zu",
                  small_cost, few, large_cost, many);
    if (growth > surely_growing) {
        fail(Story("cost-grows",
                   "A call takes longer the more blocks the pool has: it searches for something.")
                 .step("a pool of " + std::to_string(few) + " blocks, " + filling)
                 .step("a pool of " + std::to_string(many) + " blocks, " + filling)
                 .expected("about the same time for a call in both")
                 .found(found));
        return false;
    }
    if (growth > surely_constant) {
        inconclusive(std::string("the time of a call can't be told apart from a search: ") + found);
    }
    return growth <= surely_constant;
}

TEST(Cost, NoCallAndNoSearch) {
    (void)(judge_growth(300, 300'000, "all in use") &&
           judge_growth(100, 100, "nearly all of them free"));
}

// ---- making and ending -------------------------------------------------------------------------

bool judge_creation_fails(const BlockPoolConfig* config, const std::string& what,
                          PoolStatus wanted) {
    const Moment start;
    session().clear_last_error();
    auto* pool = reinterpret_cast<BlockPool*>(poison);
    const PoolStatus status = learner([&] { return pool_create(config, &pool); });
    session().stop_injecting();
    const std::string call = "pool_create() with " + what;
    if (status != wanted) {
        fail(Story("wrong-status", call + " returned " + name_of(status) + ".")
                 .steps_after(start.call())
                 .expected(name_of(wanted)));
        return false;
    }
    if (pool != nullptr) {
        fail(Story("out-not-null", call + " failed and left something at *out.")
                 .steps_after(start.call())
                 .expected("null at *out"));
        return false;
    }
    if (session().last_error().code != cudaSuccess) {
        fail(Story("stale-error", call + " left " + error_text(session().last_error().code) +
                                      " in the runtime's last-error slot.")
                 .steps_after(start.call())
                 .expected("nothing new there: the failure was reported by the status")
                 .why("the next one to ask cudaGetLastError() would take it for an own failure"));
        session().clear_last_error();
        return false;
    }
    return judge_no_leaks(start, call);
}

bool judge_null_arguments() {
    PoolInUse pool({1024, 8, 256});
    if (!pool.create()) {
        return false;
    }
    const BlockPoolConfig good{1024, 8, 256};
    void* block = nullptr;
    BlockPoolStats stats;
    struct Call {
        const char* text;
        PoolStatus status;
    };
    const Call calls[] = {
        {"pool_create() with a null out", learner([&] { return pool_create(&good, nullptr); })},
        {"pool_acquire() of a null pool", learner([&] { return pool_acquire(nullptr, &block); })},
        {"pool_acquire() with a null out",
         learner([&] { return pool_acquire(pool.get(), nullptr); })},
        {"pool_stats() of a null pool", learner([&] { return pool_stats(nullptr, &stats); })},
        {"pool_stats() with a null out", learner([&] { return pool_stats(pool.get(), nullptr); })},
    };
    for (const Call& call : calls) {
        if (call.status != PoolStatus::invalid_argument) {
            fail(Story("wrong-status",
                       std::string(call.text) + " returned " + name_of(call.status) + ".")
                     .expected("invalid_argument"));
            return false;
        }
    }
    return pool.read_stats(&stats) &&
           judge_figure(pool, stats.blocks_in_use, 0, "blocks_in_use",
                        "calls that were refused for their arguments change nothing") &&
           judge_figure(pool, stats.refused_acquires, 0, "refused_acquires",
                        "calls that were refused for their arguments are not `exhausted`");
}

TEST(Create, RefusesWhatCannotBe) {
    struct Wrong {
        BlockPoolConfig config;
        const char* what;
        PoolStatus wanted;
    };
    const Wrong configs[] = {
        {{0, 10, 256}, "blocks of 0 bytes", PoolStatus::invalid_argument},
        {{100, 0, 256}, "0 blocks", PoolStatus::invalid_argument},
        {{100, 10, 0}, "an alignment of 0", PoolStatus::invalid_argument},
        {{100, 10, 3}, "an alignment of 3", PoolStatus::invalid_argument},
        {{100, 10, 384}, "an alignment of 384", PoolStatus::invalid_argument},
        {{100, 10, 131072}, "an alignment of 131072", PoolStatus::invalid_argument},
        {{SIZE_MAX, 1, 256}, "a block of SIZE_MAX bytes", PoolStatus::out_of_memory},
        {{SIZE_MAX - 100, 1, 256}, "a block of SIZE_MAX - 100 bytes", PoolStatus::out_of_memory},
        {{256, SIZE_MAX / 256 + 2, 256},
         "more bytes than size_t can count",
         PoolStatus::out_of_memory},
        {{4096, SIZE_MAX / 2, 4096}, "SIZE_MAX / 2 blocks", PoolStatus::out_of_memory},
    };
    if (!judge_creation_fails(nullptr, "a null configuration", PoolStatus::invalid_argument)) {
        return;
    }
    for (const Wrong& wrong : configs) {
        if (!judge_creation_fails(&wrong.config, wrong.what, wrong.wanted)) {
            return;
        }
    }
    const BlockPoolConfig good{1024, 8, 256};
    if (!judge_null_arguments()) {
        return;
    }
    for (const auto destination :
         {runtime::Injection::Destination::null, runtime::Injection::Destination::untouched}) {
        runtime::Injection injection;
        injection.nth = 1;
        injection.destination = destination;
        injection.eligible = runtime::allocates;
        session().inject(injection);
        if (!judge_creation_fails(&good, "a device that is full", PoolStatus::out_of_memory)) {
            return;
        }
    }
}

bool judge_destroy(PoolInUse& pool, std::size_t wanted, const Moment& start) {
    std::size_t reported = 77;
    const PoolStatus status = pool.destroy(&reported);
    if (status != PoolStatus::ok) {
        fail(pool.story("wrong-status",
                        std::string("pool_destroy() returned ") + name_of(status) + ".")
                 .expected("ok"));
        return false;
    }
    if (reported != wanted) {
        fail(pool.story("wrong-report", "pool_destroy() reports " + std::to_string(reported) +
                                            " blocks in use; there are " + std::to_string(wanted) +
                                            ".")
                 .expected(std::to_string(wanted))
                 .why("a block that is still out at the end was leaked by somebody"));
        return false;
    }
    return judge_no_leaks(start, "pool_destroy()",
                          "the slab is the pool's, whoever still has a block of it");
}

TEST(Destroy, ReturnsTheSlab) {
    // Large alignments are tried at several addresses: a slab's base can have them by chance.
    std::uint64_t seed = 0;
    for (const std::size_t alignment : {256, 65536, 65536, 65536, 65536}) {
        session().vary(++seed);
        for (const std::size_t out : {std::size_t{0}, std::size_t{3}}) {
            const Moment start;
            PoolInUse pool({5000, 9, alignment});
            if (!pool.create()) {
                return;
            }
            std::vector<void*> blocks = pool.acquire_all();
            if (blocks.size() < 9) {
                return;
            }
            for (std::size_t index = out; index < blocks.size(); ++index) {
                if (!pool.release_one(blocks[index])) {
                    return;
                }
            }
            if (!judge_destroy(pool, out, start)) {
                return;
            }
        }
    }
    const Moment start;
    std::size_t reported = 77;
    const PoolStatus for_null = learner([&] { return pool_destroy(nullptr, &reported); });
    if (for_null != PoolStatus::ok || reported != 0) {
        fail(Story("wrong-status", std::string("pool_destroy() of null returned ") +
                                       name_of(for_null) + " and reports " +
                                       std::to_string(reported) + " blocks.")
                 .expected("ok, and 0 blocks"));
        return;
    }
    PoolInUse pool({100, 2, 256});
    if (pool.create()) {
        (void)pool.destroy(nullptr);
        (void)judge_no_leaks(start, "pool_destroy() with a null report");
    }
}

}  // namespace
}  // namespace vram::checks
