// The ledger: what was allocated, created, called and done wrong in this process. Records live in
// the shared arena, the indexes over them in private memory.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "grader/runtime/address_index.h"
#include "grader/runtime/arena.h"
#include "grader/runtime/records.h"
#include "grader/runtime/thread_state.h"

namespace vram::runtime {

/// A place in the list of misuses; `misuse_capacity` for one that was not kept.
using MisuseSlot = std::size_t;

/// Every function needs the lock unless its comment says otherwise.
class Ledger {
  public:
    explicit Ledger(Arena& arena) : arena_(arena) {}

    std::mutex& mutex() { return mutex_; }
    Arena& arena() { return arena_; }

    // --- Calls. No lock: each number owns its place.
    CallNumber next_number() { return ++arena_.last_call; }
    CallNumber last_number() const { return arena_.last_call; }
    Stored<CallRecord>& call_place(CallNumber number) {
        return arena_.calls[call_slot(arena_, number)];
    }
    /// nullptr when the call was not kept.
    const CallRecord* call(CallNumber number) const;
    void count(Entry entry) { arena_.learner_calls[entry].fetch_add(1, std::memory_order_relaxed); }
    std::uint64_t count_of(Entry entry) const { return arena_.learner_calls[entry]; }

    // --- Allocations.
    /// Keeps a live allocation and returns its id; 0 when there was no place.
    AllocationId add_allocation(AllocationRecord record);
    /// The record of a block of the index; nullptr when it was given to another allocation.
    AllocationRecord* record_of(const IndexedBlock& block);
    void mark_freed(const IndexedBlock& block, CallNumber freed_by);
    /// Takes mark_freed() back.
    void revive(const IndexedBlock& block);
    void mark_excused(const IndexedBlock& block);
    /// Every live device allocation is gone, as after cudaDeviceReset.
    void lose_everything(CallNumber reset);
    std::vector<AllocationRecord> allocations() const;
    AllocationRecord allocation(AllocationId id) const;
    std::size_t live_device_bytes() const { return live_device_bytes_; }
    const AddressIndex& index() const { return index_; }

    // --- Pointers.
    ClassifiedPointer classify(std::uint64_t address, const ThreadState& thread) const;
    /// The same for a variable that is known to be writable host memory; cheaper.
    Place place_of_variable(std::uint64_t address, const ThreadState& thread) const;
    /// The live allocation whose base is stored at `address` of host memory, as when a program
    /// passes &p instead of p; nullptr when there is none.
    const IndexedBlock* block_named_at(std::uint64_t address) const;
    /// From now on addresses that nobody handed out may come from elsewhere. No lock.
    void expect_foreign_memory() { foreign_memory_ = true; }

    // --- Streams, events and pools.
    void add_handle(HandleRecord record);
    /// The newest record of a handle value; nullptr when it was never created here.
    HandleRecord* handle(HandleKind kind, std::uint64_t value);
    /// The place of the record, for revive_handle(); nothing for an unknown handle.
    std::optional<std::uint32_t> mark_destroyed(HandleKind kind, std::uint64_t value,
                                                CallNumber destroyed_by);
    void revive_handle(std::uint32_t place);
    void seal_handle(HandleKind kind, std::uint64_t value);
    std::vector<HandleRecord> handles() const;

    // --- Misuses.
    MisuseSlot add_misuse(const Misuse& misuse);
    void withdraw(MisuseSlot slot);
    void mark_failed(MisuseSlot slot);
    std::vector<Misuse> misuses_after(CallNumber after) const;
    void forget_misuses();

    // --- Names of kernels, by the function or handle that a launch is given.
    void name_kernel(std::uint64_t function, const char* name);
    const char* kernel_name(std::uint64_t function) const;

    // --- As a whole.
    void reset();
    bool intact() const;

  private:
    using HandlePlaces = std::map<
        std::pair<HandleKind, std::uint64_t>, std::uint32_t, std::less<>,
        PrivateAllocator<std::pair<const std::pair<HandleKind, std::uint64_t>, std::uint32_t>>>;

    std::optional<std::uint32_t> take_allocation_slot();
    std::optional<std::uint32_t> take_handle_slot();
    void retire(const IndexedBlock& block, AllocationState state, CallNumber by);
    Place host_place(std::uint64_t address, const ThreadState& thread) const;
    void drop_stale_overlaps(std::uint64_t begin, std::uint64_t end);
    void keep_own_allocations();
    void keep_own_handles();

    Arena& arena_;
    std::mutex mutex_;
    AddressIndex index_;
    HandlePlaces handle_places_;
    std::size_t live_device_bytes_ = 0;
    bool foreign_memory_ = false;
    bool dropped_allocations_ = false;
};

/// True for memory that lies on the device (managed memory counts, pinned does not).
bool on_device(Family family);
/// True for memory that the host may read and write.
bool host_accessible(Family family);

}  // namespace vram::runtime
