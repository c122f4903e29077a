#include "grader/runtime/ledger.h"

#include <algorithm>
#include <cstring>

#include "grader/runtime/call_sites.h"
#include "grader/runtime/host_memory.h"
#include "grader/runtime/runtime_state.h"

namespace vram::runtime {
namespace {

/// How far behind the end of a block an address still tells of that block.
constexpr std::uint64_t padding_reach = std::uint64_t{1} << 20;

constexpr pid_t withdrawn = -1;

constexpr std::uint64_t first_allocation_places = std::uint64_t{1} << 16;

}  // namespace

bool on_device(Family family) {
    return family != Family::pinned && family != Family::registered;
}

bool host_accessible(Family family) {
    return family == Family::pinned || family == Family::registered || family == Family::managed;
}

// ---- calls ---------------------------------------------------------------------------------------

const CallRecord* Ledger::call(CallNumber number) const {
    if (number < arena_.first_kept_call || number > arena_.last_call) {
        return nullptr;
    }
    const CallRecord& record = arena_.calls[call_slot(arena_, number)].record;
    return record.number == number ? &record : nullptr;
}

// ---- allocations ---------------------------------------------------------------------------------

std::optional<std::uint32_t> Ledger::take_allocation_slot() {
    // At least half of the places hold freed blocks, so that a free one is near; few places are
    // used as long as few blocks live.
    std::uint64_t& places = arena_.allocation_places;
    places = std::max(places, first_allocation_places);
    while (2 * index_.live().size() >= places && places < allocation_capacity) {
        arena_.next_allocation_slot = std::max(arena_.next_allocation_slot, places);
        places *= 2;
    }
    for (std::size_t tries = 0; tries < places; ++tries) {
        std::uint64_t slot = arena_.next_allocation_slot % places;
        arena_.next_allocation_slot = slot + 1;
        const AllocationRecord& record = arena_.allocations[slot].record;
        if (record.id == 0 || record.state != AllocationState::live) {
            arena_.allocation_slots = std::max(arena_.allocation_slots, slot + 1);
            return static_cast<std::uint32_t>(slot);
        }
    }
    return std::nullopt;
}

void Ledger::drop_stale_overlaps(std::uint64_t begin, std::uint64_t end) {
    // A new block on top of a live one: the old one was released by a call that is not hooked.
    while (const IndexedBlock* stale = index_.live_overlapping(begin, end)) {
        mark_freed(IndexedBlock(*stale), 0);
    }
}

AllocationId Ledger::add_allocation(AllocationRecord record) {
    std::uint64_t end = record.base + std::max<std::size_t>(record.bytes, 1);
    drop_stale_overlaps(record.base, end);
    std::optional<std::uint32_t> slot = take_allocation_slot();
    if (!slot) {
        dropped_allocations_ = true;
        return 0;
    }
    record.id = ++arena_.last_allocation;
    record.state = AllocationState::live;
    Stored<AllocationRecord>& place = arena_.allocations[*slot];
    place.record = record;
    place.made_in = this_process();
    place.ended_in = 0;
    place.seal();
    index_.add_live({record.base, end, record.id, *slot, record.family});
    if (on_device(record.family)) {
        live_device_bytes_ += record.bytes;
    }
    return record.id;
}

AllocationRecord* Ledger::record_of(const IndexedBlock& block) {
    AllocationRecord& record = arena_.allocations[block.slot].record;
    return record.id == block.id ? &record : nullptr;
}

void Ledger::retire(const IndexedBlock& block, AllocationState state, CallNumber by) {
    Stored<AllocationRecord>& place = arena_.allocations[block.slot];
    if (place.record.id == block.id) {
        place.record.state = state;
        place.record.freed_by = by;
        place.ended_in = this_process();
        place.seal();
        if (on_device(block.family)) {
            live_device_bytes_ -= place.record.bytes;
        }
    }
    index_.remove_live(block.begin);
    // After cudaHostUnregister the address is plain host memory again.
    if (block.family != Family::registered) {
        index_.add_freed(block);
    }
}

void Ledger::mark_freed(const IndexedBlock& block, CallNumber freed_by) {
    retire(IndexedBlock(block), AllocationState::freed, freed_by);
}

void Ledger::revive(const IndexedBlock& block) {
    Stored<AllocationRecord>& place = arena_.allocations[block.slot];
    if (place.record.id != block.id) {
        return;
    }
    place.record.state = AllocationState::live;
    place.record.freed_by = 0;
    place.ended_in = 0;
    place.seal();
    index_.add_live(block);
    if (on_device(block.family)) {
        live_device_bytes_ += place.record.bytes;
    }
}

void Ledger::mark_excused(const IndexedBlock& block) {
    if (AllocationRecord* record = record_of(block)) {
        record->excused = true;
        arena_.allocations[block.slot].seal();
    }
}

void Ledger::lose_everything(CallNumber reset) {
    while (!index_.live().empty()) {
        retire(IndexedBlock(index_.live().begin()->second), AllocationState::lost_in_reset, reset);
    }
    for (const auto& [key, slot] : handle_places_) {
        Stored<HandleRecord>& place = arena_.handles[slot];
        if (place.record.live && place.record.handle == key.second) {
            mark_destroyed(key.first, key.second, reset);
        }
    }
}

Place Ledger::place_of_variable(std::uint64_t address, const ThreadState& thread) const {
    const IndexedBlock* block = index_.live_at_or_below(address);
    if (block != nullptr && block->contains(address)) {
        return address == block->begin ? Place::base : Place::interior;
    }
    auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    if (address >= here && address < thread.stack_end) {
        return Place::host_stack;
    }
    return in_static_storage(address) ? Place::host_data : Place::host_heap;
}

std::vector<AllocationRecord> Ledger::allocations() const {
    std::vector<AllocationRecord> all;
    for (std::uint64_t slot = 0; slot < arena_.allocation_slots; ++slot) {
        if (arena_.allocations[slot].record.id != 0) {
            all.push_back(arena_.allocations[slot].record);
        }
    }
    std::sort(all.begin(), all.end(),
              [](const AllocationRecord& left, const AllocationRecord& right) {
                  return left.id < right.id;
              });
    return all;
}

AllocationRecord Ledger::allocation(AllocationId id) const {
    for (std::uint64_t slot = 0; id != 0 && slot < arena_.allocation_slots; ++slot) {
        if (arena_.allocations[slot].record.id == id) {
            return arena_.allocations[slot].record;
        }
    }
    return {};
}

// ---- pointers ------------------------------------------------------------------------------------

Place Ledger::host_place(std::uint64_t address, const ThreadState& thread) const {
    auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    if (address >= here && address < thread.stack_end) {
        return Place::host_stack;
    }
    if (in_static_storage(address)) {
        return Place::host_data;
    }
    return is_readable(address) ? Place::host_heap : Place::never_seen;
}

ClassifiedPointer Ledger::classify(std::uint64_t address, const ThreadState& thread) const {
    if (address == 0) {
        return {address, Place::null, 0, 0};
    }
    const IndexedBlock* below = index_.live_at_or_below(address);
    if (below != nullptr && below->contains(address)) {
        Place place = address == below->begin ? Place::base : Place::interior;
        return {address, place, below->id, address - below->begin};
    }
    if (const IndexedBlock* freed = index_.freed_containing(address)) {
        const AllocationRecord& record = arena_.allocations[freed->slot].record;
        bool is_base = record.id == freed->id && record.base == address;
        std::uint64_t offset = record.id == freed->id ? address - record.base : 0;
        return {address, is_base ? Place::freed_base : Place::freed, freed->id, offset};
    }
    Place place = host_place(address, thread);
    if (place != Place::never_seen) {
        return {address, place, 0, 0};
    }
    if (below != nullptr && address - below->end < padding_reach) {
        Place behind = address == below->end ? Place::past_the_end : Place::padding;
        return {address, behind, below->id, address - below->begin};
    }
    bool may_be_foreign = foreign_memory_ || dropped_allocations_ || index_.forgot_freed();
    return {address, may_be_foreign ? Place::unknown : Place::never_seen, 0, 0};
}

const IndexedBlock* Ledger::block_named_at(std::uint64_t address) const {
    std::uint64_t stored = 0;
    if (!read_safely(address, &stored, sizeof stored) || stored == 0) {
        return nullptr;
    }
    return index_.live_from(stored);
}

// ---- handles -------------------------------------------------------------------------------------

std::optional<std::uint32_t> Ledger::take_handle_slot() {
    for (std::size_t tries = 0; tries < handle_capacity; ++tries) {
        std::uint64_t slot = arena_.next_handle_slot;
        arena_.next_handle_slot = (slot + 1) % handle_capacity;
        const HandleRecord& record = arena_.handles[slot].record;
        if (record.handle == 0 || !record.live) {
            arena_.handle_slots = std::max(arena_.handle_slots, slot + 1);
            return static_cast<std::uint32_t>(slot);
        }
    }
    return std::nullopt;
}

void Ledger::add_handle(HandleRecord record) {
    std::optional<std::uint32_t> slot = take_handle_slot();
    if (!slot) {
        return;
    }
    Stored<HandleRecord>& place = arena_.handles[*slot];
    place.record = record;
    place.made_in = this_process();
    place.ended_in = 0;
    place.seal();
    handle_places_[{record.kind, record.handle}] = *slot;
}

HandleRecord* Ledger::handle(HandleKind kind, std::uint64_t value) {
    auto found = handle_places_.find(std::pair(kind, value));
    if (found == handle_places_.end()) {
        return nullptr;
    }
    HandleRecord& record = arena_.handles[found->second].record;
    return record.kind == kind && record.handle == value ? &record : nullptr;
}

void Ledger::seal_handle(HandleKind kind, std::uint64_t value) {
    auto found = handle_places_.find(std::pair(kind, value));
    if (found != handle_places_.end()) {
        arena_.handles[found->second].seal();
    }
}

std::optional<std::uint32_t> Ledger::mark_destroyed(HandleKind kind, std::uint64_t value,
                                                    CallNumber destroyed_by) {
    HandleRecord* record = handle(kind, value);
    if (record == nullptr) {
        return std::nullopt;
    }
    record->live = false;
    record->destroyed_by = destroyed_by;
    std::uint32_t slot = handle_places_.at({kind, value});
    arena_.handles[slot].ended_in = this_process();
    arena_.handles[slot].seal();
    return slot;
}

void Ledger::revive_handle(std::uint32_t place) {
    arena_.handles[place].record.live = true;
    arena_.handles[place].record.destroyed_by = 0;
    arena_.handles[place].ended_in = 0;
    arena_.handles[place].seal();
}

std::vector<HandleRecord> Ledger::handles() const {
    std::vector<HandleRecord> all;
    for (std::uint64_t slot = 0; slot < arena_.handle_slots; ++slot) {
        if (arena_.handles[slot].record.handle != 0) {
            all.push_back(arena_.handles[slot].record);
        }
    }
    std::sort(all.begin(), all.end(), [](const HandleRecord& left, const HandleRecord& right) {
        return left.made_by < right.made_by;
    });
    return all;
}

// ---- misuses -------------------------------------------------------------------------------------

MisuseSlot Ledger::add_misuse(const Misuse& misuse) {
    if (arena_.misuse_count >= misuse_capacity) {
        return misuse_capacity;
    }
    MisuseSlot slot = arena_.misuse_count;
    Stored<Misuse>& place = arena_.misuses[slot];
    place.record = misuse;
    place.made_in = this_process();
    place.seal();
    ++arena_.misuse_count;
    return slot;
}

void Ledger::withdraw(MisuseSlot slot) {
    if (slot < misuse_capacity) {
        arena_.misuses[slot].made_in = withdrawn;
    }
}

void Ledger::mark_failed(MisuseSlot slot) {
    if (slot < misuse_capacity) {
        arena_.misuses[slot].record.failed_call = true;
        arena_.misuses[slot].seal();
    }
}

std::vector<Misuse> Ledger::misuses_after(CallNumber after) const {
    std::vector<Misuse> found;
    for (std::uint64_t slot = 0; slot < arena_.misuse_count; ++slot) {
        const Stored<Misuse>& place = arena_.misuses[slot];
        if (place.made_in != withdrawn && (place.record.call == 0 || place.record.call > after)) {
            found.push_back(place.record);
        }
    }
    return found;
}

void Ledger::forget_misuses() {
    arena_.misuse_count = 0;
}

// ---- kernels -------------------------------------------------------------------------------------

void Ledger::name_kernel(std::uint64_t function, const char* name) {
    KernelName* place = nullptr;
    for (std::uint64_t slot = 0; slot < arena_.kernel_count && place == nullptr; ++slot) {
        if (arena_.kernels[slot].function == function) {
            place = &arena_.kernels[slot];
        }
    }
    if (place == nullptr) {
        if (arena_.kernel_count == kernel_capacity) {
            return;
        }
        place = &arena_.kernels[arena_.kernel_count++];
    }
    place->function = function;
    std::strncpy(place->name, name, kernel_name_bytes - 1);
}

const char* Ledger::kernel_name(std::uint64_t function) const {
    for (std::uint64_t slot = 0; slot < arena_.kernel_count; ++slot) {
        if (arena_.kernels[slot].function == function) {
            return arena_.kernels[slot].name;
        }
    }
    return nullptr;
}

// ---- as a whole ----------------------------------------------------------------------------------

void Ledger::keep_own_allocations() {
    // A fork that has ended may have freed its copies of this process's blocks, or reused their
    // places; the index knows what is live here.
    std::vector<AllocationRecord> own;
    for (const auto& [base, block] : index_.live()) {
        AllocationRecord record;
        if (const AllocationRecord* kept = record_of(block)) {
            record = *kept;
        } else {
            record.base = base;
            record.bytes = block.end - base;
            record.family = block.family;
        }
        record.id = block.id;
        record.freed_by = 0;
        own.push_back(record);
    }
    clear_records(arena_);
    index_.clear();
    live_device_bytes_ = 0;
    std::sort(own.begin(), own.end(),
              [](const AllocationRecord& left, const AllocationRecord& right) {
                  return left.id < right.id;
              });
    for (const AllocationRecord& record : own) {
        std::optional<std::uint32_t> slot = take_allocation_slot();
        Stored<AllocationRecord>& place = arena_.allocations[*slot];
        place.record = record;
        place.record.state = AllocationState::live;
        place.made_in = this_process();
        place.seal();
        std::uint64_t end = record.base + std::max<std::size_t>(record.bytes, 1);
        index_.add_live({record.base, end, record.id, *slot, record.family});
        if (on_device(record.family)) {
            live_device_bytes_ += record.bytes;
        }
    }
}

void Ledger::reset() {
    std::vector<HandleRecord> own_handles;
    for (const auto& [key, slot] : handle_places_) {
        const Stored<HandleRecord>& place = arena_.handles[slot];
        bool ended_elsewhere = place.ended_in != 0 && place.ended_in != this_process();
        if (place.record.handle == key.second && (place.record.live || ended_elsewhere)) {
            own_handles.push_back(place.record);
        }
    }
    keep_own_allocations();
    handle_places_.clear();
    std::sort(own_handles.begin(), own_handles.end(),
              [](const HandleRecord& left, const HandleRecord& right) {
                  return left.made_by < right.made_by;
              });
    for (HandleRecord record : own_handles) {
        record.live = true;
        record.destroyed_by = 0;
        add_handle(record);
    }
    dropped_allocations_ = false;
}

bool Ledger::intact() const {
    if (!has_header(arena_)) {
        return false;
    }
    for (std::uint64_t slot = 0; slot < arena_.allocation_slots; ++slot) {
        const Stored<AllocationRecord>& place = arena_.allocations[slot];
        if (place.record.id != 0 && !place.intact()) {
            return false;
        }
    }
    for (std::uint64_t slot = 0; slot < arena_.handle_slots; ++slot) {
        const Stored<HandleRecord>& place = arena_.handles[slot];
        if (place.record.handle != 0 && !place.intact()) {
            return false;
        }
    }
    for (std::uint64_t slot = 0; slot < arena_.misuse_count; ++slot) {
        if (!arena_.misuses[slot].intact()) {
            return false;
        }
    }
    CallNumber last = last_number();
    CallNumber first = std::max<CallNumber>(arena_.first_kept_call,
                                            last >= call_capacity ? last - call_capacity + 1 : 1);
    for (CallNumber number = first; number <= last; ++number) {
        const Stored<CallRecord>& place = arena_.calls[call_slot(arena_, number)];
        if (place.record.number == number && place.record.finished && !place.intact()) {
            return false;
        }
    }
    return true;
}

}  // namespace vram::runtime
