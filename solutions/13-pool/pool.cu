#include "pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

// A two-level segregated fit. Each arena is a row of blocks without gaps, each of which knows its
// neighbours, so that a freed block merges with free ones at once. Free blocks hang in bins by
// size, and two levels of bitmaps find a bin that fits in a few instructions.

namespace {

/// Sizes are counted in units of pool_alignment bytes: 32 bits reach a terabyte.
using Units = std::uint32_t;
constexpr std::size_t max_bytes = std::size_t{UINT32_MAX} * pool_alignment;

/// Rounded up; what no device has room for becomes the largest number of units.
constexpr Units units_for(std::size_t bytes) {
    return static_cast<Units>(bytes > max_bytes ? UINT32_MAX
                                                : (bytes + pool_alignment - 1) / pool_alignment);
}

using BlockIndex = std::uint32_t;
/// Block 0 stands for "no block". It is never free and may be written to, so that the links at the
/// ends of arenas and lists need no special case.
constexpr BlockIndex nobody = 0;

enum class State : std::uint8_t { in_use, parked, free };

/// A stretch of an arena, described in host memory: two of them fill a cache line.
struct alignas(32) Block {
    std::uintptr_t address = 0;
    Units size = 0;
    BlockIndex before = nobody;  ///< the neighbour at lower addresses of the same arena
    BlockIndex after = nobody;
    BlockIndex previous = nobody;  ///< in its bin, while it is free
    BlockIndex next = nobody;      ///< in its bin, or in its chain of the map while it is in use
    std::uint16_t bin = 0;         ///< while it is free
    State state = State::in_use;
    std::uint8_t unused_bytes = 0;  ///< size in bytes less what was asked for
};
static_assert(sizeof(Block) == 32, "two blocks fill a cache line");

struct Arena {
    std::uintptr_t base = 0;  ///< 0: given back, the entry can be used again
    Units size = 0;
    BlockIndex first = nobody;
};

/// The books on all blocks, in one array; entries of vanished blocks are used again.
class BlockTable {
  public:
    BlockTable() : blocks_(1) {}
    Block& operator[](BlockIndex index) { return blocks_[index]; }
    /// The block will be looked at soon: its cache line may set out already.
    void prefetch(BlockIndex index) const { __builtin_prefetch(&blocks_[index]); }

    BlockIndex make(const Block& block) {
        if (unused_ == nobody) {
            blocks_.push_back(block);
            return static_cast<BlockIndex>(blocks_.size() - 1);
        }
        const BlockIndex index = unused_;
        unused_ = blocks_[index].next;
        blocks_[index] = block;
        return index;
    }

    void drop(BlockIndex index) {
        blocks_[index].next = unused_;
        unused_ = index;
    }

  private:
    std::vector<Block> blocks_;
    BlockIndex unused_ = nobody;
};

/// Free blocks in bins. Sizes below 128 units have a bin each; from there on every power of two is
/// cut into 128 equal steps, so that a bin's sizes differ by less than 1 %.
class FreeLists {
  public:
    explicit FreeLists(BlockTable& blocks) : blocks_(blocks) {}

    void insert(BlockIndex index) {
        Block& block = blocks_[index];
        const unsigned bin = bin_of(block.size);
        const BlockIndex next = heads_[bin];
        block.state = State::free;
        block.bin = static_cast<std::uint16_t>(bin);
        block.previous = nobody;
        block.next = next;
        blocks_[next].previous = index;
        heads_[bin] = index;
        bins_in_use_[bin / bins_a_word] |= Word{1} << bin % bins_a_word;
        words_in_use_ |= Word{1} << bin / bins_a_word;
    }

    /// No branches: a processor can't predict whether a block is the first or the last of its bin.
    void remove(BlockIndex index) {
        const Block block = blocks_[index];
        blocks_[block.previous].next = block.next;
        blocks_[block.next].previous = block.previous;
        BlockIndex& head = heads_[block.bin];
        head = head == index ? block.next : head;
        const unsigned word = block.bin / bins_a_word;
        bins_in_use_[word] &= ~(Word{head == nobody} << block.bin % bins_a_word);
        words_in_use_ &= ~(Word{bins_in_use_[word] == 0} << word);
    }

    /// Takes a block of at least `size` out of its bin. `nobody` only when there is none.
    BlockIndex take(Units size) {
        const unsigned own_bin = bin_of(size);
        const unsigned bin = next_bin_in_use(own_bin);
        BlockIndex found = tightest_in(bin, size, few_looks);
        if (found == nobody && bin == own_bin) {
            found = tightest_in(next_bin_in_use(own_bin + 1), size, few_looks);
            if (found == nobody) {
                found = tightest_in(own_bin, size, UINT32_MAX);
            }
        }
        if (found != nobody) {
            remove(found);
        }
        return found;
    }

    /// The size of the largest free block.
    Units largest() const {
        if (words_in_use_ == 0) {
            return 0;
        }
        const unsigned word = highest_bit(words_in_use_);
        Units size = 0;
        for (BlockIndex index = heads_[word * bins_a_word + highest_bit(bins_in_use_[word])];
             index != nobody; index = blocks_[index].next) {
            size = std::max(size, blocks_[index].size);
        }
        return size;
    }

  private:
    /// A bit for each bin that is not empty, and above them a bit for each word that is not 0.
    using Word = std::uint64_t;
    static constexpr unsigned bins_a_word = 64;
    static constexpr unsigned step_bits = 7;
    static constexpr unsigned words = ((32 - step_bits + 1) << step_bits) / bins_a_word;
    static constexpr unsigned no_bin = words * bins_a_word;  ///< its list is always empty
    /// So many blocks of a bin are looked at. More would be a search, fewer would not find the
    /// block that leaves the least; with four the pool needs no more memory than best fit.
    static constexpr unsigned few_looks = 4;

    static unsigned highest_bit(Word bits) {
        return 63U - static_cast<unsigned>(__builtin_clzll(bits));
    }
    static unsigned lowest_bit(Word bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

    static unsigned bin_of(Units size) {
        const unsigned shift = highest_bit(size | 1U << step_bits) - step_bits;
        return (shift << step_bits) + (size >> shift);
    }

    /// The first bin from `bin` on that is not empty.
    unsigned next_bin_in_use(unsigned bin) const {
        const unsigned word = bin / bins_a_word;
        if (word < words) {
            const Word here = bins_in_use_[word] & (~Word{0} << bin % bins_a_word);
            if (here != 0) {
                return word * bins_a_word + lowest_bit(here);
            }
        }
        const Word above = words_in_use_ & (~Word{1} << word);
        if (above == 0) {
            return no_bin;
        }
        const unsigned next_word = lowest_bit(above);
        return next_word * bins_a_word + lowest_bit(bins_in_use_[next_word]);
    }

    /// The smallest of the first `looks` blocks of a bin that are large enough.
    BlockIndex tightest_in(unsigned bin, Units size, unsigned looks) {
        BlockIndex tightest = nobody;
        Units tightest_size = UINT32_MAX;
        for (BlockIndex index = heads_[bin]; index != nobody && looks > 0 && tightest_size > size;
             --looks) {
            const Block& block = blocks_[index];
            if (block.size >= size && block.size < tightest_size) {
                tightest = index;
                tightest_size = block.size;
            }
            index = block.next;
        }
        return tightest;
    }

    BlockTable& blocks_;
    Word words_in_use_ = 0;
    std::array<Word, words> bins_in_use_{};
    std::array<BlockIndex, no_bin + 1> heads_{};
};

/// From the addresses of blocks in use to their indices: a hash table whose chains run through the
/// blocks themselves.
class BlockMap {
  public:
    explicit BlockMap(BlockTable& blocks) : blocks_(blocks), heads_(std::size_t{1} << bits_) {}

    void insert(BlockIndex index) {
        if (2 * ++used_ > heads_.size()) {
            grow();
        }
        link(index);
    }

    /// The link that leads to the block in use at this very address; nobody is behind it if there is
    /// none. It holds until the next insertion.
    BlockIndex* find(std::uintptr_t address) {
        BlockIndex* link = &heads_[home(address)];
        while (*link != nobody && blocks_[*link].address != address) {
            link = &blocks_[*link].next;
        }
        return link;
    }

    /// An address will be looked for soon.
    void prefetch(std::uintptr_t address) const { __builtin_prefetch(&heads_[home(address)]); }

    void erase(BlockIndex* link) {
        --used_;
        *link = blocks_[*link].next;
    }

  private:
    std::size_t home(std::uintptr_t address) const {
        constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
        return address / pool_alignment * golden_ratio >> (64 - bits_);
    }

    void link(BlockIndex index) {
        BlockIndex& head = heads_[home(blocks_[index].address)];
        blocks_[index].next = head;
        head = index;
    }

    void grow() {
        ++bits_;
        std::vector<BlockIndex> chains(std::size_t{1} << bits_);
        chains.swap(heads_);
        for (BlockIndex index : chains) {
            while (index != nobody) {
                const BlockIndex next = blocks_[index].next;
                link(index);
                index = next;
            }
        }
    }

    BlockTable& blocks_;
    unsigned bits_ = 10;
    std::size_t used_ = 0;
    std::vector<BlockIndex> heads_;
};

}  // namespace

struct Pool {
  public:
    explicit Pool(const PoolConfig& config)
        : growth_(units_for(config.growth_bytes)),
          limit_(config.limit_bytes == 0 ? UINT32_MAX : units_for(config.limit_bytes)) {}
    ~Pool() {
        for (const Arena& arena : arenas_) {
            if (arena.base != 0) {
                cudaFree(reinterpret_cast<void*>(arena.base));
            }
        }
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    bool add_arena(Units size);
    PoolStatus allocate(std::size_t bytes, void** out);
    PoolStatus free(void* pointer);
    PoolStats stats();
    std::size_t trim();

  private:
    BlockIndex take_parked(Units size);
    void settle_parked();
    BlockIndex take_after_growing(Units size);
    void cut_off_rest(BlockIndex index, Units size);
    void absorb_next(BlockIndex index);

    Units growth_;
    Units limit_;
    std::vector<Arena> arenas_;
    BlockTable blocks_;
    FreeLists free_lists_{blocks_};
    BlockMap map_{blocks_};
    /// The block freed last waits here, still whole and still in the map, until the next call shows
    /// whether its size is wanted again at once. There is never more than one.
    BlockIndex parked_ = nobody;
    BlockIndex* link_to_parked_ = nullptr;  ///< in the map
    PoolStats stats_;
};

bool Pool::add_arena(Units size) {
    const std::size_t bytes = std::size_t{size} * pool_alignment;
    if (size > limit_ || stats_.reserved_bytes > std::size_t{limit_ - size} * pool_alignment) {
        return false;
    }
    void* base = nullptr;
    if (cudaMalloc(&base, bytes) != cudaSuccess) {
        cudaGetLastError();  // handled here: nobody else shall find it
        return false;
    }
    std::size_t place = 0;
    while (place < arenas_.size() && arenas_[place].base != 0) {
        ++place;
    }
    if (place == arenas_.size()) {
        arenas_.emplace_back();
    }
    Block block;
    block.address = reinterpret_cast<std::uintptr_t>(base);
    block.size = size;
    arenas_[place] = {block.address, size, blocks_.make(block)};
    free_lists_.insert(arenas_[place].first);
    ++stats_.arenas;
    stats_.reserved_bytes += bytes;
    stats_.peak_reserved_bytes = std::max(stats_.peak_reserved_bytes, stats_.reserved_bytes);
    return true;
}

// flatten: each step is so short that a call of it would cost as much again.
__attribute__((flatten)) PoolStatus Pool::allocate(std::size_t bytes, void** out) {
    *out = nullptr;
    if (bytes == 0) {
        return PoolStatus::ok;
    }
    if (bytes > max_bytes) {
        ++stats_.failed_requests;
        return PoolStatus::out_of_memory;
    }
    const Units size = units_for(bytes);
    BlockIndex index = take_parked(size);
    if (index == nobody) {
        index = free_lists_.take(size);
        if (index == nobody) {
            index = take_after_growing(size);
        }
        if (index == nobody) {
            ++stats_.failed_requests;
            return PoolStatus::out_of_memory;
        }
        cut_off_rest(index, size);
        map_.insert(index);
    }
    Block& block = blocks_[index];
    block.state = State::in_use;
    block.unused_bytes = static_cast<std::uint8_t>(std::size_t{size} * pool_alignment - bytes);
    ++stats_.live_blocks;
    stats_.live_bytes += bytes;
    stats_.peak_live_bytes = std::max(stats_.peak_live_bytes, stats_.live_bytes);
    *out = reinterpret_cast<void*>(block.address);
    return PoolStatus::ok;
}

__attribute__((flatten)) PoolStatus Pool::free(void* pointer) {
    if (pointer == nullptr) {
        return PoolStatus::ok;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    map_.prefetch(address);
    settle_parked();
    BlockIndex* link = map_.find(address);
    if (*link == nobody) {
        return PoolStatus::not_a_block;
    }
    parked_ = *link;
    link_to_parked_ = link;
    Block& block = blocks_[parked_];
    block.state = State::parked;
    blocks_.prefetch(block.before);
    blocks_.prefetch(block.after);
    --stats_.live_blocks;
    stats_.live_bytes -= std::size_t{block.size} * pool_alignment - block.unused_bytes;
    return PoolStatus::ok;
}

/// The parked block if it has just this size; otherwise it becomes an ordinary free block.
BlockIndex Pool::take_parked(Units size) {
    if (parked_ != nobody && blocks_[parked_].size == size) {
        return std::exchange(parked_, nobody);
    }
    settle_parked();
    return nobody;
}

void Pool::settle_parked() {
    if (parked_ == nobody) {
        return;
    }
    BlockIndex index = std::exchange(parked_, nobody);
    map_.erase(link_to_parked_);
    const BlockIndex before = blocks_[index].before;
    if (blocks_[blocks_[index].after].state == State::free) {
        free_lists_.remove(blocks_[index].after);
        absorb_next(index);
    }
    if (blocks_[before].state == State::free) {
        free_lists_.remove(before);
        absorb_next(before);
        index = before;
    }
    free_lists_.insert(index);
}

/// Makes room by another arena: generous, then just enough, then the same with idle arenas gone.
__attribute__((noinline)) BlockIndex Pool::take_after_growing(Units size) {
    do {
        if (add_arena(std::max(size, growth_)) || add_arena(size)) {
            return free_lists_.take(size);
        }
    } while (trim() > 0);
    return nobody;
}

void Pool::cut_off_rest(BlockIndex index, Units size) {
    if (blocks_[index].size == size) {
        return;
    }
    Block rest = blocks_[index];
    rest.address += std::size_t{size} * pool_alignment;
    rest.size -= size;
    rest.before = index;
    const BlockIndex rest_index = blocks_.make(rest);
    blocks_[rest.after].before = rest_index;
    blocks_[index].after = rest_index;
    blocks_[index].size = size;
    free_lists_.insert(rest_index);
}

void Pool::absorb_next(BlockIndex index) {
    Block& block = blocks_[index];
    const BlockIndex next = block.after;
    block.size += blocks_[next].size;
    block.after = blocks_[next].after;
    blocks_[block.after].before = index;
    blocks_.drop(next);
}

PoolStats Pool::stats() {
    settle_parked();
    PoolStats result = stats_;
    result.largest_free_bytes = std::size_t{free_lists_.largest()} * pool_alignment;
    return result;
}

std::size_t Pool::trim() {
    settle_parked();
    std::size_t released_bytes = 0;
    for (Arena& arena : arenas_) {
        const Block& first = blocks_[arena.first];
        if (arena.base == 0 || first.state != State::free || first.size != arena.size) {
            continue;
        }
        free_lists_.remove(arena.first);
        blocks_.drop(arena.first);
        cudaFree(reinterpret_cast<void*>(std::exchange(arena.base, 0)));
        released_bytes += std::size_t{arena.size} * pool_alignment;
        --stats_.arenas;
    }
    stats_.reserved_bytes -= released_bytes;
    return released_bytes;
}

PoolStatus pool_create(const PoolConfig* config, Pool** out) {
    if (out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (config == nullptr ||
        (config->limit_bytes != 0 && config->initial_bytes > config->limit_bytes)) {
        return PoolStatus::invalid_argument;
    }
    if (config->initial_bytes > max_bytes) {
        return PoolStatus::out_of_memory;
    }
    auto pool = std::make_unique<Pool>(*config);
    if (config->initial_bytes != 0 && !pool->add_arena(units_for(config->initial_bytes))) {
        return PoolStatus::out_of_memory;
    }
    *out = pool.release();
    return PoolStatus::ok;
}

PoolStatus pool_allocate(Pool* pool, std::size_t bytes, void** out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    return pool->allocate(bytes, out);
}

PoolStatus pool_free(Pool* pool, void* block) {
    return pool == nullptr ? PoolStatus::invalid_argument : pool->free(block);
}

PoolStatus pool_stats(Pool* pool, PoolStats* out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = pool->stats();
    return PoolStatus::ok;
}

PoolStatus pool_trim(Pool* pool, std::size_t* released_bytes) {
    if (released_bytes != nullptr) {
        *released_bytes = 0;
    }
    if (pool == nullptr) {
        return PoolStatus::invalid_argument;
    }
    const std::size_t bytes = pool->trim();
    if (released_bytes != nullptr) {
        *released_bytes = bytes;
    }
    return PoolStatus::ok;
}

PoolStatus pool_destroy(Pool* pool, PoolLeaks* leaks) {
    const PoolStats last = pool != nullptr ? pool->stats() : PoolStats{};
    if (leaks != nullptr) {
        *leaks = {last.live_blocks, last.live_bytes};
    }
    delete pool;
    return PoolStatus::ok;
}
