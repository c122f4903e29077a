#include "grader/checks/pool/pool_in_use.h"

#include <algorithm>
#include <utility>

#include "grader/checks/support/device_access.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {
namespace {

using bench::address_text;
using bench::bytes_text;
using bench::Stretch;

constexpr std::size_t notes_shown = 6;

std::uintptr_t address_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint32_t seed) {
    std::vector<std::uint8_t> contents(bytes);
    std::uint32_t state = seed * 2654435761u + 1;
    for (std::uint8_t& value : contents) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<std::uint8_t>(state >> 24);
    }
    return contents;
}

/// A large block is written at its beginning and at its end only.
constexpr std::size_t written_bytes = 4096;

}  // namespace

const char* name_of(PoolStatus status) {
    switch (status) {
        case PoolStatus::ok:
            return "ok";
        case PoolStatus::invalid_argument:
            return "invalid_argument";
        case PoolStatus::out_of_memory:
            return "out_of_memory";
        case PoolStatus::not_a_block:
            return "not_a_block";
    }
    return "a value that PoolStatus does not have";
}

void ArenasOfLedger::refresh() {
    static const runtime::Entry entries[] = {
        runtime::entry_of("cudaMalloc"), runtime::entry_of("cudaFree"),
        runtime::entry_of("cudaMallocAsync"), runtime::entry_of("cudaFreeAsync"),
        runtime::entry_of("cudaMallocManaged")};
    std::uint64_t calls = 0;
    for (const runtime::Entry entry : entries) {
        calls += session().count(entry);
    }
    if (calls == calls_seen_) {
        return;
    }
    calls_seen_ = calls;
    every_one_.clear();
    since_beginning_.clear();
    for (const runtime::AllocationRecord& allocation : live_allocations()) {
        if (allocation.family != runtime::Family::device) {
            continue;
        }
        const Stretch arena{allocation.base, allocation.bytes, "arena"};
        every_one_[allocation.base] = arena;
        if (allocation.made_by > beginning_.call()) {
            since_beginning_.push_back(arena);
        }
    }
    std::sort(since_beginning_.begin(), since_beginning_.end(),
              [](const Stretch& one, const Stretch& other) { return one.begin < other.begin; });
}

std::optional<Stretch> ArenasOfLedger::around(std::uintptr_t address) {
    refresh();
    const auto above = every_one_.upper_bound(address);
    if (above == every_one_.begin() || address >= std::prev(above)->second.end()) {
        return std::nullopt;
    }
    return std::prev(above)->second;
}

std::vector<Stretch> ArenasOfLedger::all() {
    refresh();
    return since_beginning_;
}

std::size_t ArenasOfLedger::reserved_bytes() {
    std::size_t bytes = 0;
    for (const Stretch& arena : all()) {
        bytes += arena.bytes;
    }
    return bytes;
}

void PoolInUse::note(const std::string& sentence) {
    if (notes_++ == 0) {
        first_note_ = sentence;
        return;
    }
    last_notes_.push_back(sentence);
    if (last_notes_.size() > notes_shown) {
        last_notes_.pop_front();
    }
}

Story PoolInUse::story(const std::string& diagnosis, const std::string& first_line) const {
    Story story(diagnosis, first_line);
    if (notes_ > 0) {
        story.step(first_note_);
    }
    if (notes_ > 1 + last_notes_.size()) {
        story.step("... " + std::to_string(notes_ - 1 - last_notes_.size()) + " more ...");
    }
    for (const std::string& sentence : last_notes_) {
        story.step(sentence);
    }
    return story;
}

Story PoolInUse::with_picture(Story story, const Stretch& stretch) {
    const auto arena = arenas_.around(stretch.begin);
    if (!arena) {
        return story;
    }
    story.step("the arena at " + address_text(arena->begin) + ", " + bytes_text(arena->bytes) +
               ":");
    for (const std::string& line : live_map_.picture(*arena, stretch)) {
        story.step("  " + line);
    }
    return story;
}

std::string PoolInUse::name_of_block(const void* block) const {
    const auto entry = live_.find(const_cast<void*>(block));
    return entry != live_.end() ? entry->second.name : address_text(address_of(block));
}

bool PoolInUse::create() {
    const Moment start;
    const std::string call = "pool_create({initial " + bytes_text(config_.initial_bytes) +
                             ", growth " + bytes_text(config_.growth_bytes) + ", limit " +
                             (config_.limit_bytes == 0 ? "none" : bytes_text(config_.limit_bytes)) +
                             "})";
    auto* pool = reinterpret_cast<Pool*>(poison);
    const PoolStatus status = learner([&] { return pool_create(&config_, &pool); });
    note(call + " -> " + name_of(status));
    if (status != PoolStatus::ok) {
        fail(Story("wrong-status", call + " returned " + name_of(status) + ".")
                 .steps_after(start.call())
                 .expected("ok, and a pool at *out"));
        return false;
    }
    if (pool == nullptr || pool == reinterpret_cast<Pool*>(poison)) {
        fail(Story("out-not-set", call + " returned ok and left no pool at *out.")
                 .steps_after(start.call())
                 .expected("the pool's address at *out"));
        return false;
    }
    pool_ = pool;
    return true;
}

PoolStatus PoolInUse::allocate(std::size_t bytes, void** block) {
    *block = reinterpret_cast<void*>(poison);
    return learner([&] { return pool_allocate(pool_, bytes, block); });
}

void* PoolInUse::get(std::size_t bytes, const std::string& why) {
    const Moment start;
    void* block = nullptr;
    const PoolStatus status = allocate(bytes, &block);
    const std::string call = "pool_allocate(" + bytes_text(bytes) + ")";
    if (!keeps_arenas_in_use(start, call)) {
        return nullptr;
    }
    if (status != PoolStatus::ok) {
        note(call + " -> " + name_of(status));
        fail(story(status == PoolStatus::out_of_memory ? "request-refused" : "wrong-status",
                   call + " returned " + name_of(status) + ".")
                 .steps_after(start.call(), 4)
                 .expected("ok, and " + bytes_text(bytes) + " at *out")
                 .why(why));
        return nullptr;
    }
    note("block " + std::to_string(++blocks_named_) + ": " + call + " -> " +
         address_text(address_of(block)));
    if (!judge_block(block, bytes)) {
        return nullptr;
    }
    const Stretch stretch{address_of(block), bytes, "block " + std::to_string(blocks_named_)};
    live_map_.add(stretch);
    live_[block] = stretch;
    live_order_.push_back(block);
    live_bytes_ += bytes;
    most_live_bytes_ = std::max(most_live_bytes_, live_bytes_);
    return block;
}

void* PoolInUse::get_without_call(std::size_t bytes, const std::string& why) {
    const Moment start;
    void* block = get(bytes, why);
    if (block == nullptr || start.calls().empty()) {
        return block;
    }
    fail(story("unneeded-call", "pool_allocate(" + bytes_text(bytes) +
                                    ") went to the device although the arenas could serve it.")
             .steps_after(start.call(), 4)
             .expected("no runtime call")
             .why(why));
    return nullptr;
}

bool PoolInUse::keeps_arenas_in_use(const Moment& start, const std::string& call) {
    for (const runtime::CallRecord& made : start.calls()) {
        if (!runtime::releases(made.entry) || made.allocation == 0) {
            continue;
        }
        const runtime::AllocationRecord arena = session().allocation(made.allocation);
        const auto block = live_.lower_bound(reinterpret_cast<void*>(arena.base));
        if (block != live_.end() && block->second.begin < arena.base + arena.bytes) {
            fail(story("arena-in-use-released",
                       call + " gave an arena back in which " + block->second.name + " is in use.")
                     .steps_after(start.call(), 4)
                     .expected("an arena stays as long as a block of it is in use"));
            return false;
        }
    }
    return true;
}

bool PoolInUse::judge_block(void* block, std::size_t bytes) {
    const std::uintptr_t address = address_of(block);
    const Stretch stretch{address, bytes, "block " + std::to_string(blocks_named_)};
    const std::string request = "pool_allocate(" + bytes_text(bytes) + ")";
    if (block == nullptr || address == poison) {
        fail(story("out-not-set", request + " returned ok and left no block at *out.")
                 .expected("the block's address at *out"));
        return false;
    }
    const auto arena = arenas_.around(address);
    if (!arena) {
        const auto other = session().allocation(session().classify(block).allocation);
        const bool is_live = other.state == runtime::AllocationState::live;
        fail(story("block-outside-arenas",
                   request + " handed out " + address_text(address) + ", which lies in no arena.")
                 .expected("an address in memory that the pool holds from cudaMalloc")
                 .found(other.id == 0 ? ""
                                      : "an address in " + session().describe(other) +
                                            (is_live ? "" : " that was given back")));
        return false;
    }
    if (!arena->contains(stretch)) {
        const auto next = arenas_.around(arena->end());
        fail(with_picture(
                 story(next ? "block-across-arenas" : "block-outside-arenas",
                       request + (next ? " handed out a block that begins in one arena and ends in "
                                         "the next."
                                       : " handed out a block that ends behind its arena.")),
                 stretch)
                 .expected("all bytes of a block within one arena")
                 .found(bytes_text(stretch.end() - arena->end()) + " of it lie behind the arena")
                 .why(next ? "the two only happen to be neighbours: each came from a cudaMalloc of "
                             "its own, and goes back to the device by itself"
                           : ""));
        return false;
    }
    if (const auto other = live_map_.overlapping(stretch)) {
        fail(with_picture(story("blocks-overlap", "Two blocks in use share bytes: " + request +
                                                      " handed out a part of " + other->name + "."),
                          stretch)
                 .expected("bytes that nobody else has"));
        return false;
    }
    if (address % pool_alignment != 0) {
        fail(with_picture(
                 story("block-misaligned", request + " handed out " + address_text(address) +
                                               ", which is no multiple of 256."),
                 stretch)
                 .expected("each address a multiple of pool_alignment")
                 .found(std::to_string(address % pool_alignment) + " bytes behind one"));
        return false;
    }
    return true;
}

bool PoolInUse::refuses(std::size_t bytes, const std::string& why) {
    const Moment start;
    void* block = nullptr;
    const PoolStatus status = allocate(bytes, &block);
    const std::string call = "pool_allocate(" + std::to_string(bytes) + ")";
    note(call + " -> " + name_of(status));
    if (!keeps_arenas_in_use(start, call)) {
        return false;
    }
    constexpr std::size_t more_than_any_device = std::size_t{1} << 48;
    if (status == PoolStatus::ok && block != nullptr && bytes < more_than_any_device) {
        ++blocks_named_;
        if (!judge_block(block, bytes)) {
            return false;
        }
    }
    if (status != PoolStatus::out_of_memory) {
        fail(story("wrong-status", call + " returned " + name_of(status) + ".")
                 .steps_after(start.call(), 4)
                 .expected("out_of_memory")
                 .why(why));
        return false;
    }
    if (block != nullptr) {
        fail(story("out-not-null",
                   call + " failed and left " + address_text(address_of(block)) + " at *out.")
                 .expected("null at *out")
                 .why("a caller who overlooks the status would use whatever is there"));
        return false;
    }
    return true;
}

PoolStatus PoolInUse::free(void* block) {
    return learner([&] { return pool_free(pool_, block); });
}

bool PoolInUse::give_back(void* block) {
    const Moment start;
    const std::string name = name_of_block(block);
    const PoolStatus status = free(block);
    note("pool_free(" + name + ") -> " + name_of(status));
    if (status != PoolStatus::ok) {
        fail(story("wrong-status", "pool_free() of " + name + ", which is in use, returned " +
                                       name_of(status) + ".")
                 .expected("ok"));
        return false;
    }
    const auto entry = live_.find(block);
    live_bytes_ -= entry->second.bytes;
    live_map_.remove(entry->second.begin);
    live_.erase(entry);
    written_.erase(block);
    live_order_.erase(std::find(live_order_.begin(), live_order_.end(), block));
    return keeps_arenas_in_use(start, "pool_free(" + name + ")");
}

bool PoolInUse::give_all_back() {
    while (!live_.empty()) {
        if (!give_back(live_.begin()->first)) {
            return false;
        }
    }
    return true;
}

bool PoolInUse::read_stats(PoolStats* stats) {
    const PoolStatus status = learner([&] { return pool_stats(pool_, stats); });
    if (status != PoolStatus::ok) {
        fail(story("wrong-status", std::string("pool_stats() returned ") + name_of(status) + ".")
                 .expected("ok"));
    }
    return status == PoolStatus::ok;
}

PoolStatus PoolInUse::trim(std::size_t* released_bytes) {
    const PoolStatus status = learner([&] { return pool_trim(pool_, released_bytes); });
    note(std::string("pool_trim() -> ") + name_of(status));
    return status;
}

PoolStatus PoolInUse::destroy(PoolLeaks* leaks) {
    if (pool_ == nullptr) {
        return PoolStatus::ok;
    }
    Pool* pool = std::exchange(pool_, nullptr);
    const PoolStatus status = learner([&] { return pool_destroy(pool, leaks); });
    note(std::string("pool_destroy() -> ") + name_of(status));
    return status;
}

bool PoolInUse::write_contents() {
    for (const auto& [block, stretch] : live_) {
        const std::uint32_t seed = ++patterns_;
        const std::size_t bytes = std::min(stretch.bytes, written_bytes);
        const auto contents = pattern(bytes, seed);
        auto* end = static_cast<std::byte*>(block) + (stretch.bytes - bytes);
        if (!write_device(end, contents.data(), bytes) ||
            !write_device(block, contents.data(), bytes)) {
            fail(story("block-outside-arenas", stretch.name + " can't be written.")
                     .expected(bytes_text(stretch.bytes) + " of device memory"));
            return false;
        }
        written_[block] = seed;
    }
    return true;
}

bool PoolInUse::contents_are_kept() {
    for (const auto& [block, seed] : written_) {
        const Stretch& stretch = live_.at(block);
        const std::size_t bytes = std::min(stretch.bytes, written_bytes);
        if (read_device_array<std::uint8_t>(block, bytes) != pattern(bytes, seed)) {
            fail(with_picture(story("contents-lost", "The contents of " + stretch.name +
                                                         " changed while it was in use."),
                              stretch)
                     .expected("what its owner wrote"));
            return false;
        }
    }
    return true;
}

}  // namespace vram::checks
