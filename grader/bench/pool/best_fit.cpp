#include "grader/bench/pool/best_fit.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace vram::bench {
namespace {

constexpr std::size_t unit = 256;
/// Arenas lie so far apart that no two blocks of different ones are neighbours.
constexpr std::uint64_t arena_distance = std::uint64_t{1} << 44;

std::size_t rounded(std::size_t bytes) {
    return (bytes + unit - 1) / unit * unit;
}

class BestFit {
  public:
    void add_arena(std::size_t bytes) {
        insert({next_arena_, bytes});
        next_arena_ += arena_distance;
        reserved_ += bytes;
    }

    std::uint64_t allocate(std::size_t bytes, std::size_t growth) {
        auto best = by_size_.lower_bound({bytes, 0});
        if (best == by_size_.end()) {
            add_arena(std::max(bytes, growth));
            best = by_size_.lower_bound({bytes, 0});
        }
        const Place place{best->second, best->first};
        remove(place);
        if (place.bytes > bytes) {
            insert({place.address + bytes, place.bytes - bytes});
        }
        return place.address;
    }

    void free(std::uint64_t address, std::size_t bytes) {
        Place place{address, bytes};
        const auto after = by_address_.find(address + bytes);
        if (after != by_address_.end()) {
            const Place next{after->first, after->second};
            remove(next);
            place.bytes += next.bytes;
        }
        const auto behind = by_address_.lower_bound(address);
        if (behind != by_address_.begin()) {
            const Place before{std::prev(behind)->first, std::prev(behind)->second};
            if (before.address + before.bytes == address) {
                remove(before);
                place = {before.address, before.bytes + place.bytes};
            }
        }
        insert(place);
    }

    std::size_t reserved() const { return reserved_; }

  private:
    struct Place {
        std::uint64_t address;
        std::size_t bytes;
    };
    void insert(const Place& place) {
        by_address_[place.address] = place.bytes;
        by_size_.insert({place.bytes, place.address});
    }
    void remove(const Place& place) {
        by_address_.erase(place.address);
        by_size_.erase({place.bytes, place.address});
    }

    std::map<std::uint64_t, std::size_t> by_address_;  ///< free places
    std::set<std::pair<std::size_t, std::uint64_t>> by_size_;
    std::uint64_t next_arena_ = arena_distance;
    std::size_t reserved_ = 0;
};

}  // namespace

std::size_t best_fit_reservation(const Trace& trace, std::size_t initial_bytes,
                                 std::size_t growth_bytes) {
    BestFit pool;
    if (initial_bytes != 0) {
        pool.add_arena(rounded(initial_bytes));
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> blocks(trace.slots);
    for (const Operation& operation : trace.operations) {
        auto& [address, bytes] = blocks[operation.slot];
        if (operation.kind == Operation::Kind::allocate) {
            bytes = rounded(operation.bytes);
            address = pool.allocate(bytes, rounded(growth_bytes));
        } else {
            pool.free(address, bytes);
        }
    }
    return pool.reserved();
}

}  // namespace vram::bench
