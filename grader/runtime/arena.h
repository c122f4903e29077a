// The memory that the ledger's records live in: one shared mapping between two guard pages, backed
// by a file in memory, so that the parent of a crashed process can still read it. It holds no
// pointers. Pages are used only once something was written to them.
//
// Capacities are fixed: 1048576 calls, 524288 allocations of which half may be live before freed
// ones are hard to find, 65536 handles, 4096 misuses. Beyond them: of the calls the newest `call_capacity` are kept; freed
// allocations and destroyed handles give their place to new ones, oldest first; an allocation for
// which there is no place at all is not kept, and pointers to it become `Place::unknown`; of the
// misuses the first `misuse_capacity` are kept.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grader/runtime/entries.h"
#include "grader/runtime/records.h"

namespace vram::runtime {

constexpr std::size_t call_capacity = std::size_t{1} << 20;
constexpr std::size_t allocation_capacity = std::size_t{1} << 19;
constexpr std::size_t handle_capacity = std::size_t{1} << 16;
constexpr std::size_t misuse_capacity = std::size_t{1} << 12;
constexpr std::size_t kernel_capacity = std::size_t{1} << 10;
constexpr std::size_t kernel_name_bytes = 248;

/// A record with the checksum of its bytes and the processes that made and ended what it tells of.
template <typename Record>
struct Stored {
    Record record;
    pid_t made_in = 0;
    pid_t ended_in = 0;
    std::uint64_t checksum = 0;

    void seal() { checksum = sum(); }
    bool intact() const { return checksum == sum(); }

  private:
    std::uint64_t sum() const {
        static_assert(sizeof(Record) % sizeof(std::uint64_t) == 0);
        std::uint64_t total = 0x9e3779b97f4a7c15u;
        const char* bytes = reinterpret_cast<const char*>(&record);
        for (std::size_t at = 0; at < sizeof(Record); at += sizeof(std::uint64_t)) {
            std::uint64_t word;
            __builtin_memcpy(&word, bytes + at, sizeof word);
            total += (word + at) * 0xff51afd7ed558ccdu;
        }
        return total ^ (total >> 29);
    }
};

struct KernelName {
    std::uint64_t function = 0;
    char name[kernel_name_bytes] = {};
};

struct Arena {
    char magic[16];
    std::atomic<std::uint64_t> last_call;
    std::atomic<std::uint64_t> first_kept_call;  ///< reset_ledger() forgets the calls before it
    std::atomic<std::uint64_t> last_allocation;
    std::uint64_t allocation_slots;  ///< used at least once
    std::uint64_t next_allocation_slot;
    std::uint64_t allocation_places;  ///< in use before freed ones are used again; grows
    std::uint64_t handle_slots;
    std::uint64_t next_handle_slot;
    std::uint64_t misuse_count;
    std::uint64_t kernel_count;
    std::atomic<std::uint64_t> learner_calls[max_entries];

    Stored<CallRecord> calls[call_capacity];
    Stored<AllocationRecord> allocations[allocation_capacity];
    Stored<HandleRecord> handles[handle_capacity];
    Stored<Misuse> misuses[misuse_capacity];
    KernelName kernels[kernel_capacity];
};

/// Calls take places from the first one again after each reset, so that few pages are used.
inline std::size_t call_slot(const Arena& arena, CallNumber number) {
    return (number - arena.first_kept_call.load(std::memory_order_relaxed)) % call_capacity;
}

/// The arena of this process: the one that VRAM_LEDGER_FD names, emptied, or a new one. Prints one
/// line and ends the process with exit status 88 when the system refuses the memory.
Arena& open_arena();
/// The arena begins as every arena does: nobody wrote over its first bytes.
bool has_header(const Arena& arena);
/// Lets a program that this process executes share the arena, through VRAM_LEDGER_FD.
void share_arena();
/// A copy of the records in use, and its way back.
std::vector<std::byte> copy_of(const Arena& arena);
void put_back(Arena& arena, const std::vector<std::byte>& copy);
/// Forgets every record and gives the memory back to the system.
void clear_records(Arena& arena);

}  // namespace vram::runtime
