// Style: address-ordered first fit in a tree. All places hang in a treap by address; each node knows
// the largest free place below it, so that the lowest one that fits is found by walking down once.
#include "pool.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace {

struct Place {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::size_t asked = 0;  // 0: free
    std::uintptr_t arena = 0;
    std::uint32_t priority = 0;
    std::size_t largest_below = 0;
    Place* left = nullptr;
    Place* right = nullptr;

    std::size_t free_bytes() const { return asked == 0 ? bytes : 0; }
};

std::size_t largest_of(const Place* tree) {
    return tree == nullptr ? 0 : tree->largest_below;
}

void refresh(Place* place) {
    place->largest_below =
        std::max({place->free_bytes(), largest_of(place->left), largest_of(place->right)});
}

constexpr std::size_t largest_request = SIZE_MAX - pool_alignment;

std::size_t rounded(std::size_t bytes) {
    return (bytes + pool_alignment - 1) / pool_alignment * pool_alignment;
}

/// A treap: a search tree by address, and a heap by random priorities, which keep it flat.
class Tree {
  public:
    Tree() = default;
    ~Tree() { clear(root_); }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    std::size_t largest_free() const { return largest_of(root_); }

    void insert(const Place& place) {
        auto* node = new Place(place);
        node->priority = random_ = random_ * 1664525U + 1013904223U;
        refresh(node);
        const auto [below, above] = split(root_, place.begin);
        root_ = join(join(below, node), above);
    }

    void erase(std::uintptr_t begin) {
        auto [below, rest] = split(root_, begin);
        auto [node, above] = split(rest, begin + 1);
        delete node;
        root_ = join(below, above);
    }

    /// The place that begins there, or null.
    Place* find(std::uintptr_t begin) const {
        Place* place = root_;
        while (place != nullptr && place->begin != begin) {
            place = begin < place->begin ? place->left : place->right;
        }
        return place;
    }

    /// The last place that begins before the address, or null.
    Place* before(std::uintptr_t address) const {
        Place* found = nullptr;
        for (Place* place = root_; place != nullptr;) {
            if (place->begin < address) {
                found = place;
                place = place->right;
            } else {
                place = place->left;
            }
        }
        return found;
    }

    /// The free place of at least `bytes` with the lowest address, or null.
    Place* first_fit(std::size_t bytes) const {
        Place* place = root_;
        while (place != nullptr && place->largest_below >= bytes) {
            if (largest_of(place->left) >= bytes) {
                place = place->left;
            } else if (place->free_bytes() >= bytes) {
                return place;
            } else {
                place = place->right;
            }
        }
        return nullptr;
    }

    /// To be called after a place's size or owner changed: on the way to it, all know its size.
    void changed(std::uintptr_t begin) { refresh_down_to(root_, begin); }

    template <class Action>
    void for_each(Action action) const {
        walk(root_, action);
    }

  private:
    using Halves = std::pair<Place*, Place*>;

    static Halves split(Place* tree, std::uintptr_t at) {
        if (tree == nullptr) {
            return {nullptr, nullptr};
        }
        if (tree->begin < at) {
            const Halves halves = split(tree->right, at);
            tree->right = halves.first;
            refresh(tree);
            return {tree, halves.second};
        }
        const Halves halves = split(tree->left, at);
        tree->left = halves.second;
        refresh(tree);
        return {halves.first, tree};
    }

    static Place* join(Place* below, Place* above) {
        if (below == nullptr || above == nullptr) {
            return below == nullptr ? above : below;
        }
        if (below->priority > above->priority) {
            below->right = join(below->right, above);
            refresh(below);
            return below;
        }
        above->left = join(below, above->left);
        refresh(above);
        return above;
    }

    static void refresh_down_to(Place* place, std::uintptr_t begin) {
        if (place->begin != begin) {
            refresh_down_to(begin < place->begin ? place->left : place->right, begin);
        }
        refresh(place);
    }

    template <class Action>
    static void walk(Place* place, Action& action) {
        if (place != nullptr) {
            walk(place->left, action);
            action(*place);
            walk(place->right, action);
        }
    }

    static void clear(Place* place) {
        if (place != nullptr) {
            clear(place->left);
            clear(place->right);
            delete place;
        }
    }

    Place* root_ = nullptr;
    std::uint32_t random_ = 1;
};

}  // namespace

struct Pool {
    PoolConfig config;
    PoolStats stats;
    Tree places;

    bool add_arena(std::size_t bytes) {
        if (config.limit_bytes != 0 &&
            (bytes > config.limit_bytes || stats.reserved_bytes > config.limit_bytes - bytes)) {
            return false;
        }
        void* memory = nullptr;
        if (cudaMalloc(&memory, bytes) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
        Place place;
        place.begin = place.arena = reinterpret_cast<std::uintptr_t>(memory);
        place.bytes = bytes;
        places.insert(place);
        ++stats.arenas;
        stats.reserved_bytes += bytes;
        stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
        return true;
    }

    /// Calls action(first place of an arena, whether another one follows in it).
    template <class Action>
    void for_each_arena(Action action) const {
        const Place* first = nullptr;
        bool alone = true;
        places.for_each([&](const Place& place) {
            if (first != nullptr && first->arena == place.arena) {
                alone = false;
                return;
            }
            if (first != nullptr) {
                action(*first, alone);
            }
            first = &place;
            alone = true;
        });
        if (first != nullptr) {
            action(*first, alone);
        }
    }

    std::size_t trim() {
        std::size_t released = 0;
        Place idle;
        do {
            idle = Place();
            for_each_arena([&](const Place& first, bool alone) {
                if (alone && first.asked == 0) {
                    idle = first;
                }
            });
            if (idle.bytes != 0) {
                places.erase(idle.begin);
                cudaFree(reinterpret_cast<void*>(idle.begin));
                released += idle.bytes;
                --stats.arenas;
            }
        } while (idle.bytes != 0);
        stats.reserved_bytes -= released;
        return released;
    }

    Place* grown_for(std::size_t bytes) {
        const bool grown = add_arena(std::max(bytes, config.growth_bytes)) || add_arena(bytes) ||
                           (trim() > 0 && add_arena(bytes));
        return grown ? places.first_fit(bytes) : nullptr;
    }

    void* allocate(std::size_t asked) {
        if (asked > largest_request) {
            return nullptr;
        }
        const std::size_t bytes = rounded(asked);
        Place* place = places.first_fit(bytes);
        if (place == nullptr) {
            place = grown_for(bytes);
        }
        if (place == nullptr) {
            return nullptr;
        }
        const std::uintptr_t address = place->begin;
        Place rest;
        rest.begin = address + bytes;
        rest.bytes = place->bytes - bytes;
        rest.arena = place->arena;
        place->asked = asked;
        place->bytes = bytes;
        places.changed(address);
        if (rest.bytes > 0) {
            places.insert(rest);
        }
        return reinterpret_cast<void*>(address);
    }

    bool free(std::uintptr_t address) {
        Place* place = places.find(address);
        if (place == nullptr || place->asked == 0) {
            return false;
        }
        --stats.live_blocks;
        stats.live_bytes -= std::exchange(place->asked, 0);
        const Place* next = places.find(address + place->bytes);
        if (next != nullptr && next->asked == 0 && next->arena == place->arena) {
            place->bytes += next->bytes;
            places.erase(next->begin);
        }
        Place* previous = places.before(address);
        if (previous != nullptr && previous->asked == 0 && previous->arena == place->arena) {
            previous->bytes += place->bytes;
            places.erase(address);
            place = previous;
        }
        places.changed(place->begin);
        return true;
    }

    std::size_t largest_free() const { return places.largest_free(); }

    void release_all() {
        for_each_arena(
            [](const Place& first, bool) { cudaFree(reinterpret_cast<void*>(first.arena)); });
    }
};

PoolStatus pool_create(const PoolConfig* config, Pool** out) {
    if (out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (config == nullptr ||
        (config->limit_bytes != 0 && config->initial_bytes > config->limit_bytes)) {
        return PoolStatus::invalid_argument;
    }
    if (std::max({config->initial_bytes, config->growth_bytes, config->limit_bytes}) >
        largest_request) {
        return PoolStatus::out_of_memory;
    }
    Pool* pool = new Pool;
    pool->config.initial_bytes = rounded(config->initial_bytes);
    pool->config.growth_bytes = rounded(config->growth_bytes);
    pool->config.limit_bytes = rounded(config->limit_bytes);
    if (pool->config.initial_bytes != 0 && !pool->add_arena(pool->config.initial_bytes)) {
        delete pool;
        return PoolStatus::out_of_memory;
    }
    *out = pool;
    return PoolStatus::ok;
}

PoolStatus pool_allocate(Pool* pool, std::size_t bytes, void** out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = nullptr;
    if (bytes == 0) {
        return PoolStatus::ok;
    }
    *out = pool->allocate(bytes);
    if (*out == nullptr) {
        ++pool->stats.failed_requests;
        return PoolStatus::out_of_memory;
    }
    ++pool->stats.live_blocks;
    pool->stats.live_bytes += bytes;
    pool->stats.peak_live_bytes = std::max(pool->stats.peak_live_bytes, pool->stats.live_bytes);
    return PoolStatus::ok;
}

PoolStatus pool_free(Pool* pool, void* block) {
    if (pool == nullptr) {
        return PoolStatus::invalid_argument;
    }
    if (block == nullptr) {
        return PoolStatus::ok;
    }
    return pool->free(reinterpret_cast<std::uintptr_t>(block)) ? PoolStatus::ok
                                                               : PoolStatus::not_a_block;
}

PoolStatus pool_stats(Pool* pool, PoolStats* out) {
    if (pool == nullptr || out == nullptr) {
        return PoolStatus::invalid_argument;
    }
    *out = pool->stats;
    out->largest_free_bytes = pool->largest_free();
    return PoolStatus::ok;
}

PoolStatus pool_trim(Pool* pool, std::size_t* released_bytes) {
    const std::size_t released = pool != nullptr ? pool->trim() : 0;
    if (released_bytes != nullptr) {
        *released_bytes = released;
    }
    return pool != nullptr ? PoolStatus::ok : PoolStatus::invalid_argument;
}

PoolStatus pool_destroy(Pool* pool, PoolLeaks* leaks) {
    PoolLeaks out;
    if (pool != nullptr) {
        out = {pool->stats.live_blocks, pool->stats.live_bytes};
        pool->release_all();
        delete pool;
    }
    if (leaks != nullptr) {
        *leaks = out;
    }
    return PoolStatus::ok;
}
