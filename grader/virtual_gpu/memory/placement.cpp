#include "grader/virtual_gpu/memory/placement.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::size_t longest_quarantine = 64;

bool shares_chunk(std::size_t bytes) {
    return bytes <= largest_shared_block;
}

std::size_t room_for(std::size_t bytes) {
    return round_up(bytes, shares_chunk(bytes) ? block_granularity : chunk_bytes);
}

}  // namespace

void Placement::Holes::add(std::uint64_t address, std::size_t bytes) {
    by_address_[address] = bytes;
    by_size_.insert({bytes, address});
}

void Placement::Holes::remove(std::uint64_t address) {
    const auto hole = by_address_.find(address);
    by_size_.erase({hole->second, address});
    by_address_.erase(hole);
}

std::optional<std::pair<std::uint64_t, std::size_t>> Placement::Holes::best_fit(
    std::size_t bytes) const {
    const auto hole = by_size_.lower_bound({bytes, 0});
    if (hole == by_size_.end())
        return std::nullopt;
    return std::pair{hole->second, hole->first};
}

Placement::Placement(std::uint64_t begin, std::uint64_t end, std::size_t capacity,
                     Variation& variation)
    : begin_(begin + variation.misalignment()),
      end_(end),
      capacity_(capacity),
      variation_(variation) {
    addresses_.add(begin_, (end_ - begin_) / chunk_bytes * chunk_bytes);
}

std::size_t Placement::taken() const {
    return shared_chunks_ * chunk_bytes + round_up(spread_bytes_, chunk_bytes) + alone_bytes_;
}

bool Placement::fits_mapped_chunk(std::size_t bytes) const {
    return shares_chunk(bytes) && shared_.best_fit(room_for(bytes)).has_value();
}

std::optional<std::uint64_t> Placement::place(std::size_t bytes) {
    if (bytes > capacity_)
        return std::nullopt;
    for (;;) {
        const auto address =
            shares_chunk(bytes) ? place_shared(room_for(bytes)) : place_alone(room_for(bytes));
        if (address || !end_oldest_quarantine())
            return address;
    }
}

std::optional<std::uint64_t> Placement::place_shared(std::size_t bytes) {
    if (variation_.neighbours() == Variation::Neighbours::far_apart) {
        const std::size_t taken_after = taken() - round_up(spread_bytes_, chunk_bytes) +
                                        round_up(spread_bytes_ + bytes, chunk_bytes);
        const std::size_t stretch = chunk_bytes * (1 + variation_.pick(3));
        if (taken_after > capacity_)
            return std::nullopt;
        if (const auto stretch_begin = take_addresses(stretch)) {
            const std::size_t steps = (stretch - bytes) / block_granularity;
            const auto address = *stretch_begin + block_granularity * variation_.pick(steps + 1);
            spread_[address] = {*stretch_begin, stretch};
            spread_bytes_ += bytes;
            return address;
        }
        // The address range is used up: fall back to shared chunks.
    }
    auto hole = shared_.best_fit(bytes);
    if (!hole) {
        if (taken() + chunk_bytes > capacity_)
            return std::nullopt;
        const auto chunk = take_addresses(chunk_bytes);
        if (!chunk)
            return std::nullopt;
        ++shared_chunks_;
        shared_.add(*chunk, chunk_bytes);
        hole = std::pair{*chunk, chunk_bytes};
    }
    ++live_in_chunk_[chunk_of(hole->first)];
    return carve(shared_, hole->first, hole->second, bytes);
}

std::optional<std::uint64_t> Placement::place_alone(std::size_t bytes) {
    if (taken() + bytes > capacity_)
        return std::nullopt;
    const auto address = take_addresses(bytes);
    if (address)
        alone_bytes_ += bytes;
    return address;
}

std::uint64_t Placement::carve(Holes& holes, std::uint64_t hole, std::size_t hole_bytes,
                               std::size_t bytes) {
    holes.remove(hole);
    const std::size_t rest = hole_bytes - bytes;
    if (variation_.neighbours() == Variation::Neighbours::descending) {
        if (rest)
            holes.add(hole, rest);
        return hole + rest;
    }
    if (rest)
        holes.add(hole + bytes, rest);
    return hole;
}

std::optional<std::uint64_t> Placement::take_addresses(std::size_t bytes) {
    const auto hole = addresses_.best_fit(bytes);
    if (!hole)
        return std::nullopt;
    return carve(addresses_, hole->first, hole->second, bytes);
}

void Placement::give_back_addresses(std::uint64_t address, std::size_t bytes) {
    const auto& holes = addresses_.by_address();
    const auto after = holes.find(address + bytes);
    if (after != holes.end()) {
        bytes += after->second;
        addresses_.remove(after->first);
    }
    const auto next = holes.lower_bound(address);
    if (next != holes.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == address) {
            address = before->first;
            bytes += before->second;
            addresses_.remove(address);
        }
    }
    addresses_.add(address, bytes);
}

void Placement::retire_addresses(std::uint64_t address, std::size_t bytes) {
    if (!variation_.quarantines_addresses()) {
        give_back_addresses(address, bytes);
        return;
    }
    retired_addresses_.push_back({address, bytes});
    if (retired_addresses_.size() > longest_quarantine) {
        const auto [oldest, oldest_bytes] = retired_addresses_.front();
        retired_addresses_.pop_front();
        give_back_addresses(oldest, oldest_bytes);
    }
}

void Placement::release(std::uint64_t address, std::size_t bytes) {
    const std::size_t room = room_for(bytes);
    if (!shares_chunk(bytes) || spread_.count(address)) {
        return_to_chunk(address, room);
        return;
    }
    const std::uint64_t chunk = chunk_of(address);
    const bool last_of_chunk = --live_in_chunk_[chunk] == 0;
    if (variation_.quarantines_addresses())
        quarantine(address, room);
    else
        return_to_chunk(address, room);
    if (last_of_chunk) {
        end_quarantine_in(chunk);
        live_in_chunk_.erase(chunk);
    }
}

void Placement::quarantine(std::uint64_t address, std::size_t bytes) {
    quarantined_.push_back({address, bytes});
    if (quarantined_.size() > longest_quarantine)
        end_oldest_quarantine();
}

// A chunk in which nothing lives goes back to the card at once, whatever waits in it.
void Placement::end_quarantine_in(std::uint64_t chunk) {
    std::deque<Range> others;
    for (const auto& [address, bytes] : quarantined_) {
        if (chunk_of(address) == chunk)
            return_to_chunk(address, bytes);
        else
            others.push_back({address, bytes});
    }
    quarantined_ = std::move(others);
}

/// False when nothing was waiting.
bool Placement::end_oldest_quarantine() {
    if (!quarantined_.empty()) {
        const auto [address, bytes] = quarantined_.front();
        quarantined_.pop_front();
        return_to_chunk(address, bytes);
        return true;
    }
    if (!retired_addresses_.empty()) {
        const auto [address, bytes] = retired_addresses_.front();
        retired_addresses_.pop_front();
        give_back_addresses(address, bytes);
        return true;
    }
    return false;
}

std::uint64_t Placement::chunk_of(std::uint64_t address) const {
    return begin_ + (address - begin_) / chunk_bytes * chunk_bytes;
}

void Placement::return_to_chunk(std::uint64_t address, std::size_t bytes) {
    if (!shares_chunk(bytes)) {
        alone_bytes_ -= bytes;
        retire_addresses(address, bytes);
        return;
    }
    if (const auto spread = spread_.find(address); spread != spread_.end()) {
        spread_bytes_ -= bytes;
        retire_addresses(spread->second.first, spread->second.second);
        spread_.erase(spread);
        return;
    }
    const std::uint64_t chunk = chunk_of(address);
    const auto& holes = shared_.by_address();
    if (const auto after = holes.find(address + bytes);
        after != holes.end() && after->first < chunk + chunk_bytes) {
        bytes += after->second;
        shared_.remove(after->first);
    }
    if (const auto next = holes.lower_bound(address); next != holes.begin()) {
        const auto before = std::prev(next);
        if (before->first >= chunk && before->first + before->second == address) {
            address = before->first;
            bytes += before->second;
            shared_.remove(address);
        }
    }
    if (bytes < chunk_bytes) {
        shared_.add(address, bytes);
        return;
    }
    --shared_chunks_;
    retire_addresses(chunk, chunk_bytes);
}

}  // namespace vram::virtual_gpu
