// Checks of lab 13: blocks of any size from arenas of device memory. Judged by behaviour alone, so
// that any design that keeps the contract passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "grader/bench/pool/best_fit.h"
#include "grader/bench/pool/generators.h"
#include "grader/checks/pool/pool_in_use.h"
#include "grader/checks/pool/pool_speed.h"
#include "grader/checks/support/device_access.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"
#include "labs/13-pool/pool.h"

namespace vram::checks {
namespace {

using bench::address_text;
using bench::bytes_text;
using bench::Stretch;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t gib = 1024 * mib;

std::uintptr_t address_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}
void* pointer_to(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}

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

bool judge_reserved(PoolInUse& pool, std::size_t wanted, const std::string& diagnosis,
                    const std::string& first_line, const std::string& why) {
    const std::size_t reserved = pool.arenas().reserved_bytes();
    if (reserved == wanted) {
        return true;
    }
    fail(pool.story(diagnosis, first_line)
             .expected(bytes_text(wanted) + " of arenas")
             .found(bytes_text(reserved))
             .why(why));
    return false;
}

bool judge_no_stale_error(const PoolInUse& pool, const std::string& call) {
    const cudaError_t code = session().last_error().code;
    if (code == cudaSuccess) {
        return true;
    }
    session().clear_last_error();
    fail(pool.story("stale-error",
                    call + " left " + error_text(code) + " in the runtime's last-error slot.")
             .expected("nothing new there: the pool dealt with it")
             .why("the next one to ask cudaGetLastError() would take it for an own failure"));
    return false;
}

/// Whether the device gives so much in one piece; nothing of it is kept.
bool device_has(std::size_t bytes) {
    void* memory = nullptr;
    const bool had = cudaMalloc(&memory, bytes) == cudaSuccess;
    cudaFree(memory);
    return had;
}

/// Makes the device refuse every allocation of more than so many bytes.
runtime::Injection refuses_more_than(std::size_t bytes) {
    runtime::Injection injection;
    injection.nth = 1;
    injection.repeat = true;
    injection.eligible = runtime::allocates;
    injection.larger_than = bytes;
    return injection;
}

// ---- blocks and sizes --------------------------------------------------------------------------

TEST(Blocks, AreAlignedAndApart) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        session().vary(seed);
        PoolInUse pool({mib, 0, mib});
        if (!pool.create()) {
            return;
        }
        std::vector<void*> blocks;
        for (const std::size_t bytes : {100, 1, 256, 257, 1000, 4096, 33333, 5, 511, 65536}) {
            void* block = pool.get(bytes, "the arena of 1 MiB is nearly empty");
            if (block == nullptr) {
                return;
            }
            blocks.push_back(block);
        }
        if (!pool.write_contents()) {
            return;
        }
        for (std::size_t index = 1; index < blocks.size(); index += 3) {
            if (!pool.give_back(blocks[index])) {
                return;
            }
        }
        // Some of these fill a freed place to its last byte, right before a block in use.
        for (const std::size_t bytes : {300, 256, 1024, 20, 70000}) {
            if (pool.get(bytes, "most of the arena of 1 MiB is free") == nullptr) {
                return;
            }
        }
        if (!pool.contents_are_kept()) {
            return;
        }
    }
}

bool judge_null_arguments() {
    const PoolConfig good{64 * kib, 0, 0};
    const PoolConfig contradiction{128 * kib, 0, 64 * kib};
    auto* pool = reinterpret_cast<Pool*>(poison);
    struct Call {
        std::string text;
        PoolStatus status;
    };
    std::vector<Call> calls;
    const Moment start;
    calls.push_back(
        {"pool_create() with a null out", learner([&] { return pool_create(&good, nullptr); })});
    calls.push_back({"pool_create() with a null configuration",
                     learner([&] { return pool_create(nullptr, &pool); })});
    const bool null_after_failure = pool == nullptr;
    calls.push_back({"pool_create() with an initial size above the limit",
                     learner([&] { return pool_create(&contradiction, &pool); })});
    void* block = nullptr;
    calls.push_back({"pool_allocate() of a null pool",
                     learner([&] { return pool_allocate(nullptr, 256, &block); })});
    for (const Call& call : calls) {
        if (call.status != PoolStatus::invalid_argument) {
            fail(Story("wrong-status", call.text + " returned " + name_of(call.status) + ".")
                     .steps_after(start.call(), 4)
                     .expected("invalid_argument"));
            return false;
        }
    }
    if (!null_after_failure || pool != nullptr) {
        fail(Story("out-not-null", "pool_create() failed and left something at *out.")
                 .expected("null at *out"));
        return false;
    }
    return judge_no_leaks(start, "the failed calls of pool_create()");
}

bool judge_zero_bytes(PoolInUse& pool) {
    void* nothing = nullptr;
    const PoolStatus status = pool.allocate(0, &nothing);
    pool.note(std::string("pool_allocate(0) -> ") + name_of(status) + ", " +
              address_text(address_of(nothing)));
    if (status != PoolStatus::ok || nothing != nullptr) {
        fail(pool.story("zero-size", "pool_allocate(0) returned " + std::string(name_of(status)) +
                                         " with " + address_text(address_of(nothing)) + " at *out.")
                 .expected("ok, and null")
                 .why("an address for no bytes is also the next block's address"));
        return false;
    }
    const PoolStatus freed = pool.free(nullptr);
    if (freed != PoolStatus::ok) {
        fail(pool.story("wrong-status",
                        std::string("pool_free() of null returned ") + name_of(freed) + ".")
                 .expected("ok, and nothing happens"));
        return false;
    }
    return true;
}

/// Whether the pool has asked for memory and for nothing else since then. One that clears its blocks
/// as well would be busy for very long with some GiB.
bool asked_for_memory_only(const Moment& start) {
    return static_cast<int>(start.calls().size()) ==
           start.count("cudaMalloc") + start.count("cudaFree") + start.count("cudaGetLastError");
}

/// Sizes and places beyond 4 GiB, where the device has so much: in 32 bits they would be small ones.
bool judge_beyond_4_gib() {
    constexpr std::size_t whole = 4 * gib + 64 * kib;
    if (!device_has(whole)) {
        return true;
    }
    PoolInUse pool({whole, 0, whole});
    if (!pool.create()) {
        return false;
    }
    void* all = pool.get(whole, "the arena has exactly this size");
    if (all == nullptr || !pool.give_back(all)) {
        return false;
    }
    for (const std::size_t bytes : {2 * gib, 2 * gib, std::size_t{32 * kib}, std::size_t{300}}) {
        if (pool.get(bytes, "the arena has 4 GiB and 64 KiB") == nullptr) {
            return false;
        }
    }
    return pool.give_all_back();
}

/// The limit has more than 32 bits, and the pool needs next to nothing of it.
bool judge_large_limit() {
    PoolInUse pool({0, 0, 4 * gib + 64 * kib});
    return pool.create() && pool.get(128 * kib, "the limit is above 4 GiB") != nullptr;
}

/// Zero bytes take nothing, so that they are to be had even where nothing is.
bool judge_zero_bytes_of_nothing() {
    PoolInUse pool({0, 64 * kib, 0});
    if (!pool.create()) {
        return false;
    }
    session().inject(refuses_more_than(0));
    const bool right = judge_zero_bytes(pool);
    session().stop_injecting();
    session().clear_last_error();
    return right;
}

TEST(Sizes, ZeroAndHuge) {
    const Moment start;
    if (!judge_null_arguments()) {
        return;
    }
    for (const std::size_t limit : {std::size_t{0}, 256 * kib}) {
        PoolInUse pool({64 * kib, 0, limit});
        if (!pool.create() || !judge_zero_bytes(pool)) {
            return;
        }
        if (pool.get(1000, "the arena of 64 KiB is empty") == nullptr || !judge_zero_bytes(pool)) {
            return;
        }
        session().clear_last_error();
        const std::size_t reserved = pool.arenas().reserved_bytes();
        std::vector<std::size_t> too_large = {
            SIZE_MAX,       SIZE_MAX - 1,     SIZE_MAX - 254,   SIZE_MAX - 255,      SIZE_MAX - 256,
            SIZE_MAX - 510, SIZE_MAX - 65535, SIZE_MAX / 2 + 1, std::size_t{1} << 61};
        if (limit != 0) {
            too_large.insert(too_large.end(), {4 * gib + 1000, 8 * gib, 1024 * gib + 512});
        }
        for (const std::size_t bytes : too_large) {
            if (!pool.refuses(bytes, limit != 0
                                         ? "the limit is 256 KiB; in 32 bits, the size may be a "
                                           "small one"
                                         : "no device has so much; rounded up, the size may wrap "
                                           "to a small one") ||
                !judge_no_stale_error(pool, "the refused request")) {
                return;
            }
            if (!judge_reserved(pool, reserved, "wrapped-size",
                                "A request that can't be served changed what the pool reserves.",
                                "the size that reached cudaMalloc was another one")) {
                return;
            }
        }
        if (pool.get(1000, "the refused requests took nothing") == nullptr) {
            return;
        }
    }
    for (const std::size_t odd : {1000, 1023, 1024, 1025, 1}) {
        PoolInUse pool({odd, odd, odd});
        if (!pool.create() ||
            pool.get_without_call(odd,
                                  "a request of initial_bytes succeeds, and both sizes in the "
                                  "configuration are rounded up alike") == nullptr) {
            return;
        }
    }
    (void)(judge_zero_bytes_of_nothing() && judge_large_limit() &&
           (!asked_for_memory_only(start) || judge_beyond_4_gib()));
}

// ---- reuse and merging -------------------------------------------------------------------------

TEST(Reuse, FreedMemoryServesAgain) {
    constexpr std::size_t whole = 64 * kib;
    PoolInUse pool({whole, 0, whole});
    if (!pool.create()) {
        return;
    }
    for (int round = 0; round < 3; ++round) {
        void* all = pool.get_without_call(whole, "the arena has exactly this size and is free");
        if (all == nullptr || !pool.give_back(all)) {
            return;
        }
    }
    std::array<void*, 4> quarters{};
    for (void*& quarter : quarters) {
        quarter = pool.get_without_call(whole / 4, "four such blocks fill the arena exactly");
        if (quarter == nullptr) {
            return;
        }
    }
    for (const std::size_t chosen : {1, 3, 0, 2}) {
        if (!pool.give_back(quarters[chosen])) {
            return;
        }
        quarters[chosen] = pool.get_without_call(
            whole / 4, "a block of exactly this size was freed, and nothing else was taken");
        if (quarters[chosen] == nullptr) {
            return;
        }
    }
    if (!pool.give_back(quarters[2])) {
        return;
    }
    for (int part = 0; part < 4; ++part) {
        if (pool.get_without_call(whole / 16, "the freed quarter holds four such blocks") ==
            nullptr) {
            return;
        }
    }
    if (!pool.give_all_back()) {
        return;
    }
    for (int round = 0; round < 200; ++round) {
        const std::size_t bytes = 1 + static_cast<std::size_t>(round) * 97 % (whole / 4);
        void* first = pool.get_without_call(bytes, "the arena is free");
        void* second =
            first != nullptr ? pool.get_without_call(bytes, "the arena is nearly free") : nullptr;
        if (second == nullptr || !pool.give_back(first) || !pool.give_back(second)) {
            return;
        }
    }
}

/// With everything freed, the arena is one place again.
bool judge_whole_arena(PoolInUse& pool, std::size_t whole, const std::string& how) {
    void* all = nullptr;
    const Moment start;
    const PoolStatus status = pool.allocate(whole, &all);
    if (status == PoolStatus::ok && start.calls().empty()) {
        return pool.free(all) == PoolStatus::ok;
    }
    fail(pool.with_picture(pool.story("not-merged", "After all blocks were freed, " + how +
                                                        ", the arena is not whole: " +
                                                        "pool_allocate(" + bytes_text(whole) +
                                                        ") returned " + name_of(status) + "."),
                           {pool.arenas().all().empty() ? 0 : pool.arenas().all().front().begin,
                            whole, "asked for"})
             .steps_after(start.call(), 2)
             .expected("ok, without a runtime call")
             .why("freed neighbours have to become one place again, to both sides"));
    return false;
}

TEST(Merge, NeighboursBecomeOne) {
    constexpr std::size_t whole = 64 * kib;
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    do {
        PoolInUse pool({whole, 0, whole});
        if (!pool.create()) {
            return;
        }
        std::array<void*, 4> blocks{};
        std::string freed = "in the order";
        for (void*& block : blocks) {
            block = pool.get(whole / 4, "four such blocks fill the arena exactly");
            if (block == nullptr) {
                return;
            }
        }
        for (const std::size_t chosen : order) {
            freed += " " + std::to_string(chosen + 1);
            if (!pool.give_back(blocks[chosen])) {
                return;
            }
        }
        if (!judge_whole_arena(pool, whole, freed)) {
            return;
        }
    } while (std::next_permutation(order.begin(), order.end()));

    // Many blocks of odd sizes, some of them out twice, freed in any order.
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        PoolInUse pool({mib, 0, mib});
        if (!pool.create()) {
            return;
        }
        std::uint32_t random = seed * 2654435761u;
        const auto draw = [&](std::uint32_t below) {
            random = random * 1664525u + 1013904223u;
            return (random >> 8) % below;
        };
        for (int turn = 0; turn < 300; ++turn) {
            const bool free = !pool.live().empty() && (pool.live_bytes() > 200 * kib || draw(2));
            if (free && !pool.give_back(pool.live()[draw(pool.live().size())])) {
                return;
            }
            if (!free &&
                pool.get(1 + draw(12000), "four fifths of the arena are free") == nullptr) {
                return;
            }
        }
        while (!pool.live().empty()) {
            if (!pool.give_back(pool.live()[draw(pool.live().size())])) {
                return;
            }
        }
        if (!judge_whole_arena(pool, mib, "300 operations later")) {
            return;
        }
    }
}

/// Fills three arenas with halves and frees all halves but the lowest and the highest.
bool judge_borders(std::size_t arena_bytes, std::uint64_t seed, bool* were_neighbours) {
    session().vary(seed);
    PoolInUse pool({arena_bytes, arena_bytes, 3 * arena_bytes});
    if (!pool.create()) {
        return false;
    }
    for (int half = 0; half < 6; ++half) {
        if (pool.get(arena_bytes / 2, "the limit allows three arenas, each of two such blocks") ==
            nullptr) {
            return false;
        }
    }
    const std::vector<Stretch> arenas = pool.arenas().all();
    for (std::size_t index = 1; index < arenas.size(); ++index) {
        *were_neighbours |= arenas[index - 1].end() == arenas[index].begin;
    }
    std::vector<void*> blocks = pool.live();
    std::sort(blocks.begin(), blocks.end());
    for (const std::size_t freed : {2, 1, 4, 3}) {
        if (!pool.give_back(blocks[freed])) {
            return false;
        }
    }
    // The upper half of the first arena, all of the second, the lower half of the third are free.
    const std::size_t across = arena_bytes / 2 + 256;
    void* in_the_middle =
        pool.get(arena_bytes, "the second arena is free, and it has exactly this size");
    if (in_the_middle == nullptr ||
        !pool.refuses(across,
                      "the largest free place in one arena has " + bytes_text(arena_bytes / 2)) ||
        !pool.give_all_back()) {
        return false;
    }
    // Two arenas together are no place either: they go back, and one of this size comes.
    if (pool.get(2 * arena_bytes, "all arenas are idle and can be given back for a larger one") ==
        nullptr) {
        return false;
    }
    const Moment end;
    return pool.destroy(nullptr) == PoolStatus::ok && !failed() &&
           judge_no_leaks(end, "pool_destroy()");
}

TEST(Merge, NeverAcrossArenas) {
    bool were_neighbours = false;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        for (const std::size_t arena_bytes : {64 * kib, 2 * mib}) {
            const Moment start;
            if (!judge_borders(arena_bytes, seed, &were_neighbours) ||
                !judge_no_leaks(start, "pool_destroy()",
                                "each arena goes back at the address that cudaMalloc gave")) {
                return;
            }
        }
    }
    if (!were_neighbours) {
        remark("no two arenas were neighbours on this device");
    }
}

// ---- misuse ------------------------------------------------------------------------------------

bool same(const PoolStats& a, const PoolStats& b) {
    return a.live_blocks == b.live_blocks && a.live_bytes == b.live_bytes &&
           a.peak_live_bytes == b.peak_live_bytes && a.arenas == b.arenas &&
           a.reserved_bytes == b.reserved_bytes && a.peak_reserved_bytes == b.peak_reserved_bytes &&
           a.largest_free_bytes == b.largest_free_bytes && a.failed_requests == b.failed_requests;
}

std::string text_of(const PoolStats& stats) {
    return std::to_string(stats.live_blocks) + " blocks, " + std::to_string(stats.live_bytes) +
           " bytes live, " + std::to_string(stats.reserved_bytes) + " reserved, largest free " +
           std::to_string(stats.largest_free_bytes) + ", " + std::to_string(stats.failed_requests) +
           " failed requests";
}

bool judge_refused_free(PoolInUse& pool, void* pointer, const std::string& what,
                        const std::string& diagnosis) {
    PoolStats before;
    PoolStats after;
    if (!pool.read_stats(&before)) {
        return false;
    }
    const Moment start;
    const PoolStatus status = pool.free(pointer);
    pool.note("pool_free(" + address_text(address_of(pointer)) + ", " + what + ") -> " +
              name_of(status));
    if (status != PoolStatus::not_a_block) {
        fail(pool.with_picture(
                     pool.story(status == PoolStatus::ok ? diagnosis : "wrong-status",
                                "pool_free() of " + what + " returned " + name_of(status) + "."),
                     {address_of(pointer), 1, "the address freed"})
                 .steps_after(start.call(), 2)
                 .expected("not_a_block")
                 .why("what is taken back by mistake is handed out to somebody else later"));
        return false;
    }
    if (!start.calls().empty()) {
        fail(pool.story("runtime-call", "pool_free() of " + what + " made a runtime call.")
                 .steps_after(start.call(), 2)
                 .expected("no runtime call"));
        return false;
    }
    if (!pool.read_stats(&after)) {
        return false;
    }
    if (!same(before, after)) {
        fail(pool.story("state-changed",
                        "pool_free() refused " + what + " and changed the pool's figures.")
                 .expected(text_of(before))
                 .found(text_of(after)));
        return false;
    }
    return true;
}

bool judge_strangers(PoolInUse& pool, PoolInUse& other, const std::vector<void*>& blocks) {
    const DeviceBytes of_harness(4096);
    std::vector<char> on_the_heap(512);
    char on_the_stack = 0;
    const std::uintptr_t first = address_of(blocks.front());
    const Stretch arena = *pool.arenas().around(first);
    struct Stranger {
        void* pointer;
        const char* what;
        const char* diagnosis;
    };
    const Stranger strangers[] = {
        {pointer_to(first + 1), "the second byte of a block", "interior-accepted"},
        {pointer_to(first + 256), "an aligned address inside a block", "interior-accepted"},
        {pointer_to(address_of(blocks[2]) + 4096), "the middle of a block", "interior-accepted"},
        {pointer_to(arena.end()), "the end of the arena", "foreign-accepted"},
        {pointer_to(arena.end() - 256), "a free place of the arena", "foreign-accepted"},
        {pointer_to(arena.begin - 256), "an address before the arena", "foreign-accepted"},
        {other.live().front(), "a block of another pool", "foreign-accepted"},
        {pointer_to(first + 4 * gib), "an address 4 GiB behind a block", "foreign-accepted"},
        {pointer_to(first + 1024 * gib), "an address 1 TiB behind a block", "foreign-accepted"},
        {of_harness.get(), "memory from cudaMalloc that is no pool's", "foreign-accepted"},
        {on_the_heap.data(), "host memory", "foreign-accepted"},
        {&on_the_stack, "a host variable", "foreign-accepted"},
        {pointer_to(256), "the address 256", "foreign-accepted"},
        {pointer_to(UINTPTR_MAX - 255), "an address at the end of the address space",
         "foreign-accepted"},
    };
    return std::all_of(std::begin(strangers), std::end(strangers), [&](const Stranger& stranger) {
        return judge_refused_free(pool, stranger.pointer, stranger.what, stranger.diagnosis);
    });
}

TEST(Misuse, IsRefused) {
    PoolInUse other({64 * kib, 0, 64 * kib});
    PoolInUse pool({128 * kib, 0, 128 * kib});
    if (!other.create() || !pool.create() ||
        other.get(4096, "the other pool is empty") == nullptr) {
        return;
    }
    std::vector<void*> blocks;
    for (int count = 0; count < 6; ++count) {
        blocks.push_back(pool.get(8 * kib, "less than half of the arena is in use"));
        if (blocks.back() == nullptr) {
            return;
        }
    }
    const Stretch arena = *pool.arenas().around(address_of(blocks.front()));
    if (!pool.write_contents() || !judge_strangers(pool, other, blocks)) {
        return;
    }
    // A second free: at once, after others, and after its place was merged.
    const auto twice = [&](std::size_t chosen, const std::string& when) {
        return judge_refused_free(pool, blocks[chosen], "a block that was freed " + when,
                                  "double-free-accepted");
    };
    if (!pool.give_back(blocks[1]) || !twice(1, "just before") || !pool.give_back(blocks[3]) ||
        !twice(1, "before the last one") || !twice(3, "just before") ||
        !pool.give_back(blocks[2]) || !twice(2, "between free neighbours") ||
        !twice(3, "and then merged") || !twice(1, "and then merged")) {
        return;
    }
    // Whoever counts a block as free twice hands it out twice.
    for (int count = 0; count < 3; ++count) {
        if (pool.get(8 * kib, "three such blocks were freed, each once with success") == nullptr) {
            return;
        }
    }
    if (!pool.contents_are_kept() || !pool.give_all_back()) {
        return;
    }
    // The dangerous one: cudaFree would take the first block's address, for it is the arena's.
    (void)(judge_refused_free(pool, pointer_to(arena.begin),
                              "the arena's own address, with no block there",
                              "double-free-accepted") &&
           judge_whole_arena(pool, 128 * kib, "with some refused frees in between"));
}

// ---- statistics --------------------------------------------------------------------------------

/// What the figures have to be, kept by the check.
struct Books {
    std::size_t peak_reserved = 0;
    std::size_t failed = 0;

    void look_at(PoolInUse& pool) {
        peak_reserved = std::max(peak_reserved, pool.arenas().reserved_bytes());
    }
};

bool judge_statistics(PoolInUse& pool, Books& books) {
    PoolStats stats;
    if (!pool.read_stats(&stats)) {
        return false;
    }
    books.look_at(pool);
    return judge_figure(pool, stats.live_blocks, pool.live().size(), "live_blocks",
                        "blocks handed out and not freed") &&
           judge_figure(pool, stats.live_bytes, pool.live_bytes(), "live_bytes",
                        "the sum of the sizes asked for, not rounded") &&
           judge_figure(pool, stats.peak_live_bytes, pool.most_live_bytes(), "peak_live_bytes",
                        "the largest value that live_bytes ever had") &&
           judge_figure(pool, stats.arenas, pool.arenas().all().size(), "arenas",
                        "what the pool holds from cudaMalloc") &&
           judge_figure(pool, stats.reserved_bytes, pool.arenas().reserved_bytes(),
                        "reserved_bytes", "what was asked of cudaMalloc and not given back") &&
           judge_figure(pool, stats.peak_reserved_bytes, books.peak_reserved, "peak_reserved_bytes",
                        "the largest value that reserved_bytes ever had") &&
           judge_figure(pool, stats.failed_requests, books.failed, "failed_requests",
                        "calls of pool_allocate() that returned out_of_memory");
}

/// A request of largest_free_bytes has to succeed, and one of 256 bytes more has to fail. The device
/// refuses to give more meanwhile.
bool judge_largest_free(PoolInUse& pool, Books& books) {
    PoolStats stats;
    if (!pool.read_stats(&stats) ||
        !pool.refuses(stats.largest_free_bytes + pool_alignment,
                      "pool_stats() says that the largest free place has " +
                          std::to_string(stats.largest_free_bytes) +
                          " bytes, and the device gives no more")) {
        return false;
    }
    ++books.failed;
    // An arena that lay idle was given back for the sake of that request.
    if (!judge_statistics(pool, books) || !pool.read_stats(&stats)) {
        return false;
    }
    if (stats.largest_free_bytes == 0) {
        return true;
    }
    void* largest = pool.get_without_call(stats.largest_free_bytes,
                                          "pool_stats() says that so much is free in one place");
    return largest != nullptr && judge_statistics(pool, books) && pool.give_back(largest) &&
           judge_statistics(pool, books);
}

/// Zero bytes change no figure, nor does null, and a size that can't be rounded up fails like any
/// other. What such calls return is another check's matter: here it ends the judging.
bool judge_statistics_of_nothing() {
    PoolInUse pool({4 * kib, 4 * kib, 0});
    Books books;
    void* block = nullptr;
    if (!pool.create()) {
        return false;
    }
    if (pool.allocate(0, &block) != PoolStatus::ok || block != nullptr ||
        pool.free(nullptr) != PoolStatus::ok) {
        return true;
    }
    pool.note("pool_allocate(0) -> ok, null");
    pool.note("pool_free(null) -> ok");
    if (!judge_statistics(pool, books)) {
        return false;
    }
    const PoolStatus status = pool.allocate(SIZE_MAX, &block);
    session().clear_last_error();
    if (status != PoolStatus::out_of_memory) {
        return true;
    }
    pool.note("pool_allocate(SIZE_MAX) -> out_of_memory");
    ++books.failed;
    return judge_statistics(pool, books);
}

TEST(Statistics, AreTrue) {
    if (!judge_statistics_of_nothing()) {
        return;
    }
    // Another pool has figures of its own.
    PoolInUse other({1000, 0, 0});
    Books books_of_other;
    PoolStats of_other;
    if (!other.create() || other.get(300, "1000 bytes are free") == nullptr ||
        !judge_statistics(other, books_of_other) || !other.read_stats(&of_other)) {
        return;
    }
    PoolInUse pool({64 * kib, 64 * kib, 0});
    Books books;
    if (!pool.create() || !judge_statistics(pool, books)) {
        return;
    }
    std::vector<void*> blocks;
    for (const std::size_t bytes : {1000, 40000, 1, 20000, 10000, 300}) {
        blocks.push_back(pool.get(bytes, "there is no limit"));
        if (blocks.back() == nullptr || !judge_statistics(pool, books)) {
            return;
        }
    }
    session().inject(refuses_more_than(0));
    bool all_true = judge_largest_free(pool, books);
    for (const std::size_t freed : {1, 3, 4, 2}) {
        all_true = all_true && pool.give_back(blocks[freed]) && judge_statistics(pool, books) &&
                   judge_largest_free(pool, books);
    }
    session().stop_injecting();
    if (!all_true) {
        return;
    }
    PoolStats of_other_now;
    if (!other.read_stats(&of_other_now)) {
        return;
    }
    if (!same(of_other, of_other_now)) {
        fail(pool.story("state-changed", "What was done with one pool shows in another's figures.")
                 .expected(text_of(of_other))
                 .found(text_of(of_other_now))
                 .why("a program may have several pools, and each has books of its own"));
        return;
    }
    const PoolStatus for_null = learner([&] { return pool_stats(pool.get(), nullptr); });
    if (for_null != PoolStatus::invalid_argument) {
        fail(pool.story("wrong-status", std::string("pool_stats() with a null out returned ") +
                                            name_of(for_null) + ".")
                 .expected("invalid_argument"));
    }
}

// ---- growth ------------------------------------------------------------------------------------

bool judge_odd_growth() {
    PoolInUse pool({0, 1000, 0});
    return pool.create() && pool.get(100, "the pool may grow without limit") != nullptr &&
           judge_reserved(pool, 1024, "arena-size",
                          "The first arena does not have the size of the growth, rounded up.",
                          "1000 bytes are 1024 when rounded up to a multiple of 256");
}

bool judge_many_arenas() {
    constexpr int arenas = 200;
    PoolInUse pool({0, 4 * kib, 0});
    if (!pool.create()) {
        return false;
    }
    for (int arena = 0; arena < arenas; ++arena) {
        if (pool.get(4 * kib,
                     "each block fills an arena, and the pool may have any number of them") ==
            nullptr) {
            return false;
        }
    }
    return pool.give_all_back();
}

TEST(Growth, AddsWhatIsNeeded) {
    PoolInUse pool({0, 64 * kib, 0});
    if (!pool.create() || !judge_reserved(pool, 0, "early-arena",
                                          "pool_create() asked for memory with initial_bytes = 0.",
                                          "0 means: no arena until it is needed")) {
        return;
    }
    void* small = pool.get(1000, "the pool may grow without limit");
    if (small == nullptr || !judge_reserved(pool, 64 * kib, "arena-size",
                                            "The first arena does not have the size of the growth.",
                                            "the request needs less than growth_bytes")) {
        return;
    }
    void* large = pool.get(100'000, "the pool may grow without limit");
    constexpr std::size_t large_arena = 100'096;
    if (large == nullptr ||
        !judge_reserved(pool, 64 * kib + large_arena, "arena-size",
                        "The arena for a request above the growth does not have its size.",
                        "100000 bytes are 100096 when rounded up to a multiple of 256")) {
        return;
    }
    if (!pool.write_contents() || !pool.contents_are_kept() || !pool.give_back(large)) {
        return;
    }
    // From now on all of this fits into what the pool has.
    for (int round = 1; round <= 20; ++round) {
        const std::string why = "round " + std::to_string(round) +
                                ": a block of this size was freed in the second arena";
        void* again = pool.get_without_call(100'000, why);
        if (again == nullptr || !pool.give_back(again)) {
            return;
        }
        for (int part = 0; part < 5; ++part) {
            if (pool.get_without_call(10'000, "the second arena is free") == nullptr) {
                return;
            }
        }
        while (pool.live().size() > 1) {
            if (!pool.give_back(pool.live().back())) {
                return;
            }
        }
    }
    (void)(pool.contents_are_kept() && judge_odd_growth() && judge_many_arenas());
}

/// Makes the device refuse every allocation until the learner's code has freed something.
runtime::Injection refuses_until_a_free() {
    static const runtime::Entry free = runtime::entry_of("cudaFree");
    runtime::Injection injection = refuses_more_than(0);
    injection.eligible = [frees = session().count(free)](runtime::Entry entry) {
        return runtime::allocates(entry) && session().count(free) == frees;
    };
    return injection;
}

bool gives_an_arena_back(const runtime::CallRecord& call) {
    return runtime::releases(call.entry) && call.allocation != 0;
}

bool judge_not_given_back_early(const PoolInUse& pool, bool early, const Moment& start,
                                const std::string& why) {
    if (early) {
        fail(pool.story("given-back-early", "The pool gave an idle arena back without need.")
                 .steps_after(start.call(), 4)
                 .expected("first to ask for growth_bytes, then for the request's size")
                 .why(why + "; what was given back has to be asked for again, which is slow"));
    }
    return !early;
}

/// The limit has room for a request only without what lies idle.
bool judge_idle_arenas_make_room(std::size_t growth) {
    PoolInUse pool({64 * kib, growth, 160 * kib});
    if (!pool.create()) {
        return false;
    }
    std::vector<void*> halves;
    for (int half = 0; half < 4; ++half) {
        halves.push_back(pool.get(32 * kib, "the limit allows 160 KiB"));
        if (halves.back() == nullptr) {
            return false;
        }
    }
    return pool.write_contents() && pool.give_back(halves[2]) && pool.give_back(halves[3]) &&
           pool.get(90 * kib,
                    "of 128 KiB that are reserved, 64 KiB lie idle; without them the limit leaves "
                    "room") != nullptr &&
           pool.contents_are_kept();
}

/// A request comes that an idle arena is too small for, and the device has room for another one.
bool judge_idle_arena_is_kept(const PoolConfig& config, const std::string& why) {
    constexpr std::size_t wanted = 100 * kib;
    constexpr std::size_t largest_had = mib;
    PoolInUse pool(config);
    void* all =
        pool.create() ? pool.get(config.initial_bytes, "the arena has exactly this size") : nullptr;
    if (all == nullptr || !pool.give_back(all)) {
        return false;
    }
    const Moment start;
    session().inject(refuses_more_than(largest_had));
    void* block = pool.get(wanted, why);
    session().stop_injecting();
    if (block == nullptr) {
        return false;
    }
    const auto calls = start.calls();
    const bool released = std::any_of(calls.begin(), calls.end(), gives_an_arena_back);
    return judge_not_given_back_early(pool, released, start, why) &&
           pool.get_without_call(config.initial_bytes, "the idle arena is still there") != nullptr;
}

/// The device is full, and an idle arena is what it lacks.
bool judge_full_device() {
    PoolInUse pool({64 * kib, 0, 0});
    void* all = pool.create() ? pool.get(64 * kib, "the arena has exactly this size") : nullptr;
    if (all == nullptr || !pool.give_back(all)) {
        return false;
    }
    session().clear_last_error();
    const Moment start;
    session().inject(refuses_until_a_free());
    void* block =
        pool.get(80 * kib,
                 "the device is full, and an arena of this pool lies idle: given back, it "
                 "makes room");
    session().stop_injecting();
    if (block == nullptr || !judge_no_stale_error(pool, "the request that was served after all")) {
        return false;
    }
    const auto calls = start.calls();
    const auto first_release = std::find_if(calls.begin(), calls.end(), gives_an_arena_back);
    const bool asked_before =
        std::any_of(calls.begin(), first_release,
                    [](const runtime::CallRecord& call) { return runtime::allocates(call.entry); });
    return judge_not_given_back_early(pool, !asked_before, start,
                                      "the device was not asked before the arena went");
}

TEST(Growth, BacksOff) {
    // The limit leaves less than the growth, but enough for the request.
    PoolInUse limited({64 * kib, mib, 128 * kib});
    if (!limited.create() || limited.get(64 * kib, "the arena has exactly this size") == nullptr ||
        limited.get(16 * kib,
                    "the limit leaves 64 KiB, which is less than growth_bytes and more "
                    "than the request") == nullptr) {
        return;
    }
    if (limited.arenas().reserved_bytes() > 128 * kib) {
        fail(limited.story("above-limit", "The pool reserves more than its limit.")
                 .expected("at most 128 KiB")
                 .found(bytes_text(limited.arenas().reserved_bytes())));
        return;
    }
    // The device refuses large arenas.
    PoolInUse refused({0, 16 * mib, 0});
    if (!refused.create()) {
        return;
    }
    session().clear_last_error();
    session().inject(refuses_more_than(mib));
    void* block = refused.get(100 * kib, "cudaMalloc refuses 16 MiB here, and would give 100 KiB");
    session().stop_injecting();
    if (block == nullptr ||
        !judge_no_stale_error(refused, "the request that was served after all")) {
        return;
    }
    // Idle arenas go before a request fails, but not before it has to.
    (void)(judge_idle_arenas_make_room(64 * kib) && judge_idle_arenas_make_room(mib) &&
           judge_full_device() &&
           judge_idle_arena_is_kept({64 * kib, 64 * kib, 0}, "there is no limit") &&
           judge_idle_arena_is_kept(
               {64 * kib, mib, 256 * kib},
               "the limit stands against growth_bytes, and leaves room for the "
               "request") &&
           judge_idle_arena_is_kept({64 * kib, 16 * mib, 0},
                                    "cudaMalloc refuses growth_bytes here, and would give the "
                                    "request's size"));
}

TEST(Growth, FailureChangesNothing) {
    for (const auto destination :
         {runtime::Injection::Destination::null, runtime::Injection::Destination::untouched}) {
        runtime::Injection injection = refuses_more_than(0);
        injection.destination = destination;
        PoolInUse pool({64 * kib, 64 * kib, 0});
        if (!pool.create()) {
            return;
        }
        for (int part = 0; part < 4; ++part) {
            if (pool.get(16 * kib, "four such blocks fill the arena exactly") == nullptr) {
                return;
            }
        }
        PoolStats before;
        PoolStats after;
        if (!pool.write_contents() || !pool.read_stats(&before)) {
            return;
        }
        session().clear_last_error();
        session().inject(injection);
        const bool refused = pool.refuses(32 * kib, "the arena is full and the device refuses") &&
                             pool.refuses(256, "the arena is full and the device refuses");
        session().stop_injecting();
        if (!refused || !judge_no_stale_error(pool, "pool_allocate()") ||
            !pool.read_stats(&after)) {
            return;
        }
        before.failed_requests += 2;
        if (!same(before, after)) {
            fail(pool.story("state-changed",
                            "A failed request changed more of the figures than failed_requests.")
                     .expected(text_of(before))
                     .found(text_of(after)));
            return;
        }
        if (!pool.contents_are_kept() ||
            pool.get(32 * kib, "the device gives memory again") == nullptr ||
            !pool.give_all_back()) {
            return;
        }
        const Moment start;
        session().inject(injection);
        const PoolConfig config{64 * kib, 0, 0};
        auto* out = reinterpret_cast<Pool*>(poison);
        const PoolStatus status = learner([&] { return pool_create(&config, &out); });
        session().stop_injecting();
        if (status != PoolStatus::out_of_memory || out != nullptr) {
            fail(Story(status != PoolStatus::out_of_memory ? "wrong-status" : "out-not-null",
                       std::string("pool_create() on a full device returned ") + name_of(status) +
                           (out != nullptr ? " and left something at *out." : "."))
                     .steps_after(start.call())
                     .expected("out_of_memory, and null at *out"));
            return;
        }
        if (!judge_no_stale_error(pool, "pool_create()") ||
            !judge_no_leaks(start, "pool_create()")) {
            return;
        }
    }
}

// ---- giving back -------------------------------------------------------------------------------

bool judge_trim(PoolInUse& pool, Books& books, std::size_t reserved_wanted,
                const std::string& why) {
    // Not by pool_stats(), which may put the pool's books in order first.
    books.look_at(pool);
    const std::size_t reserved_before = pool.arenas().reserved_bytes();
    std::size_t released = 77;
    const Moment start;
    const PoolStatus status = pool.trim(&released);
    if (status != PoolStatus::ok) {
        fail(
            pool.story("wrong-status", std::string("pool_trim() returned ") + name_of(status) + ".")
                .expected("ok"));
        return false;
    }
    if (!pool.keeps_arenas_in_use(start, "pool_trim()")) {
        return false;
    }
    if (pool.arenas().reserved_bytes() != reserved_wanted) {
        fail(pool.story("wrong-trim", "After pool_trim() the pool holds " +
                                          bytes_text(pool.arenas().reserved_bytes()) + ".")
                 .steps_after(start.call(), 4)
                 .expected(bytes_text(reserved_wanted))
                 .why(why));
        return false;
    }
    const std::size_t gave_back = reserved_before - pool.arenas().reserved_bytes();
    if (released != gave_back) {
        fail(pool.story("wrong-report", "pool_trim() reports " + std::to_string(released) +
                                            " bytes released; it gave back " +
                                            std::to_string(gave_back) + ".")
                 .steps_after(start.call(), 4)
                 .expected(std::to_string(gave_back))
                 .found(std::to_string(released)));
        return false;
    }
    return judge_statistics(pool, books);
}

/// One arena, cut into four blocks of which some stay in use. It is idle when none does, whatever
/// place is the first, the last, the largest one that is free.
bool judge_partly_used_arenas() {
    constexpr std::size_t arena_bytes = 64 * kib;
    constexpr std::array<std::size_t, 4> sizes = {32 * kib, 16 * kib, 8 * kib, 8 * kib};
    constexpr unsigned all = (1U << sizes.size()) - 1;
    PoolInUse pool({0, arena_bytes, 0});
    Books books;
    if (!pool.create()) {
        return false;
    }
    for (unsigned stay = 1; stay <= all; ++stay) {
        std::array<void*, sizes.size()> blocks{};
        for (std::size_t index = 0; index < sizes.size(); ++index) {
            blocks[index] = pool.get(sizes[index], "four such blocks fill an arena exactly");
            if (blocks[index] == nullptr) {
                return false;
            }
        }
        std::sort(blocks.begin(), blocks.end());
        for (std::size_t index = 0; index < blocks.size(); ++index) {
            if ((stay >> index & 1U) == 0 && !pool.give_back(blocks[index])) {
                return false;
            }
        }
        if (!judge_trim(pool, books, arena_bytes,
                        "a part of the arena is free, a part is in use") ||
            !pool.give_all_back() ||
            !judge_trim(pool, books, 0, "no block of the arena is in use any more")) {
            return false;
        }
    }
    return true;
}

TEST(Trim, GivesBackIdleArenas) {
    if (!judge_partly_used_arenas()) {
        return;
    }
    PoolInUse pool({128 * kib, 64 * kib, 0});
    Books books;
    if (!pool.create()) {
        return;
    }
    void* in_first = pool.get(128 * kib, "the arena has exactly this size");
    void* in_second = in_first != nullptr ? pool.get(64 * kib, "there is no limit") : nullptr;
    void* in_third = in_second != nullptr ? pool.get(16 * kib, "there is no limit") : nullptr;
    if (in_third == nullptr || !pool.write_contents() ||
        !judge_trim(pool, books, 256 * kib, "each arena has a block in use")) {
        return;
    }
    if (!pool.give_back(in_second) ||
        !judge_trim(pool, books, 192 * kib, "one arena of 64 KiB has no block in use") ||
        !pool.give_back(in_first) ||
        !judge_trim(pool, books, 64 * kib,
                    "the first arena has no block in use, and it is no exception") ||
        !judge_trim(pool, books, 64 * kib, "nothing more is idle") || !pool.contents_are_kept()) {
        return;
    }
    // What is gone is in no book: new requests come from new arenas, old addresses are strangers.
    if (!judge_refused_free(pool, in_first, "a block whose arena was given back",
                            "double-free-accepted") ||
        !pool.give_back(in_third) || !judge_trim(pool, books, 0, "no block is in use") ||
        pool.get(1000, "the pool may grow again") == nullptr || !pool.give_all_back()) {
        return;
    }
    const PoolStatus without_report = pool.trim(nullptr);
    const PoolStatus without_pool = learner([&] { return pool_trim(nullptr, nullptr); });
    if (without_report != PoolStatus::ok || without_pool != PoolStatus::invalid_argument) {
        fail(pool.story("wrong-status", std::string("pool_trim() with a null report returned ") +
                                            name_of(without_report) + ", of a null pool " +
                                            name_of(without_pool) + ".")
                 .expected("ok, and invalid_argument"));
    }
}

bool judge_destroy(PoolInUse& pool, const Moment& start) {
    const PoolLeaks wanted{pool.live().size(), pool.live_bytes()};
    PoolLeaks leaks{77, 77};
    const PoolStatus status = pool.destroy(&leaks);
    if (status != PoolStatus::ok) {
        fail(pool.story("wrong-status",
                        std::string("pool_destroy() returned ") + name_of(status) + ".")
                 .expected("ok"));
        return false;
    }
    if (leaks.blocks != wanted.blocks || leaks.bytes != wanted.bytes) {
        fail(pool.story("wrong-report", "pool_destroy() reports " + std::to_string(leaks.blocks) +
                                            " blocks and " + std::to_string(leaks.bytes) +
                                            " bytes still out.")
                 .expected(std::to_string(wanted.blocks) + " blocks, " +
                           std::to_string(wanted.bytes) + " bytes")
                 .why("a block that is still out at the end was leaked by somebody"));
        return false;
    }
    return judge_no_leaks(start, "pool_destroy()",
                          "the arenas are the pool's, whoever still has a block of them");
}

TEST(Destroy, ReportsAndGivesBack) {
    for (const int still_out : {0, 2}) {
        const Moment start;
        PoolInUse pool({64 * kib, 32 * kib, 0});
        if (!pool.create()) {
            return;
        }
        for (const std::size_t bytes : {30'000, 20'000, 30'000, 1'000, 25'000, 50'000}) {
            if (pool.get(bytes, "there is no limit") == nullptr) {
                return;
            }
        }
        while (pool.live().size() > static_cast<std::size_t>(still_out)) {
            if (!pool.give_back(pool.live()[pool.live().size() / 2])) {
                return;
            }
        }
        if (!judge_destroy(pool, start)) {
            return;
        }
    }
    const Moment start;
    PoolInUse empty({0, 0, 0});
    if (!empty.create() || !judge_destroy(empty, start)) {
        return;
    }
    PoolLeaks leaks{77, 77};
    const PoolStatus for_null = learner([&] { return pool_destroy(nullptr, &leaks); });
    if (for_null != PoolStatus::ok || leaks.blocks != 0 || leaks.bytes != 0) {
        fail(Story("wrong-status", std::string("pool_destroy() of null returned ") +
                                       name_of(for_null) + " and reports " +
                                       std::to_string(leaks.blocks) + " blocks.")
                 .expected("ok, and nothing still out"));
        return;
    }
    PoolInUse unreported({4096, 0, 0});
    if (unreported.create() && unreported.get(100, "the pool is empty") != nullptr) {
        (void)unreported.destroy(nullptr);
        (void)judge_no_leaks(start, "pool_destroy() with a null report");
    }
}

// ---- traces ------------------------------------------------------------------------------------

constexpr std::size_t growth_parts = 64;

/// Plays a trace and judges each block. Returns the most bytes that the pool reserved; 0 when the
/// check has failed.
std::size_t judge_trace(const bench::Trace& trace) {
    PoolInUse pool({trace.most_live_bytes, trace.most_live_bytes / growth_parts, 0});
    if (!pool.create()) {
        return 0;
    }
    pool.note("the trace \"" + trace.name + "\": " + std::to_string(trace.operations.size()) +
              " operations, at most " + std::to_string(trace.most_live_blocks) + " blocks and " +
              bytes_text(trace.most_live_bytes) + " live");
    std::vector<void*> blocks(trace.slots, nullptr);
    std::size_t reserved = pool.arenas().reserved_bytes();
    std::size_t number = 0;
    for (const bench::Operation& operation : trace.operations) {
        ++number;
        void*& block = blocks[operation.slot];
        if (operation.kind == bench::Operation::Kind::free) {
            if (!pool.give_back(block)) {
                return 0;
            }
            continue;
        }
        block =
            pool.get(operation.bytes, "operation " + std::to_string(number) + " of the trace \"" +
                                          trace.name + "\"; the pool may grow without limit");
        if (block == nullptr) {
            return 0;
        }
        reserved = std::max(reserved, pool.arenas().reserved_bytes());
    }
    return reserved;
}

std::string percent_text(double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
}

TEST(Traces, UseMemoryWell) {
    session().set_recording(false);
    const bench::TraceSize size{400, 3200, 7};
    std::vector<bench::Trace> traces = bench::general_traces(size);
    traces.pop_back();  // the uniform mix wants more memory than many a device has
    double ratio_sum = 0;
    double worst_ratio = 2;
    std::string worst;
    for (const bench::Trace& trace : traces) {
        const std::size_t reserved = judge_trace(trace);
        if (reserved == 0) {
            return;
        }
        const auto live = static_cast<double>(trace.most_live_bytes);
        const auto best = static_cast<double>(bench::best_fit_reservation(
            trace, trace.most_live_bytes, trace.most_live_bytes / growth_parts));
        const double ratio = best / static_cast<double>(reserved);
        ratio_sum += std::min(1.0, ratio);
        if (ratio < worst_ratio) {
            worst_ratio = ratio;
            worst = trace.name + ": " + percent_text(live / static_cast<double>(reserved)) +
                    " of what was reserved is in use at the busiest moment, " +
                    percent_text(live / best) + " with best fit";
        }
    }
    const double ratio = ratio_sum / static_cast<double>(traces.size());
    // Nearly as good as best fit is good enough; a pool that holds twice as much as best fit earns
    // nothing here.
    constexpr double full = 0.95;
    constexpr double none = 0.5;
    const double share = std::clamp((ratio - none) / (full - none), 0.0, 1.0);
    award(share);
    if (share == 0) {
        fail(Story("memory-wasted", "The pool reserves more than twice as much as best fit needs.")
                 .step(worst)
                 .expected("about as much as best fit, on average over the traces")
                 .found(percent_text(ratio) + " as good as best fit")
                 .why("freed memory is not used again, or blocks are rounded up far"));
    } else if (share < 1) {
        remark("memory: " + worst);
    }
}

TEST(Traces, StayFast) {
    session().set_recording(false);
    judge_speed();
}

}  // namespace
}  // namespace vram::checks
