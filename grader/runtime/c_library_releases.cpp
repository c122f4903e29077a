#include "grader/runtime/c_library_releases.h"

#include <cstdint>
#include <mutex>
#include <string>

#include "grader/runtime/call_sites.h"
#include "grader/runtime/describe.h"
#include "grader/runtime/fixed_text.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/thread_state.h"

namespace vram::runtime {
namespace {

/// While it lives, what this thread calls is not the program's. What is done here may itself free
/// memory of the C library.
class Inside {
  public:
    explicit Inside(ThreadState& thread) : thread_(thread) { thread_.inside = true; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { thread_.inside = false; }

  private:
    ThreadState& thread_;
};

bool is_released_as_memory(Family family) {
    return family == Family::device || family == Family::pitched || family == Family::async ||
           family == Family::managed || family == Family::pinned;
}

const AllocationRecord* block_from(Ledger& ledger, const void* pointer) {
    const IndexedBlock* block = ledger.index().live_from(reinterpret_cast<std::uint64_t>(pointer));
    return block != nullptr && is_released_as_memory(block->family) ? ledger.record_of(*block)
                                                                    : nullptr;
}

/// The caller of the function that has this frame.
ExecutionPoint caller_of(const void* frame) {
    const auto* record = static_cast<const std::uintptr_t*>(frame);
    // One less than the return address is still in the instruction that called.
    return {record[1] - 1, reinterpret_cast<std::uintptr_t>(record + 2), record[0]};
}

Misuse misuse_of(const AllocationRecord& block, const char* call) {
    Misuse misuse;
    misuse.kind = MisuseKind::free_by_c_library;
    misuse.other_call = block.made_by;
    misuse.allocation = block.id;
    misuse.address = block.base;
    set_text(misuse.first_line, std::string(call) + " was given " + describe_allocation(block) +
                                    "; what releases it is " + releasing_call(block.family) + ".");
    return misuse;
}

}  // namespace

bool is_runtimes_block(const void* pointer, const char* call, const void* frame) {
    ThreadState& thread = this_thread_as_is();
    if (thread.inside) {
        return false;
    }
    Inside inside(thread);
    Ledger& ledger = runtime_state().ledger;
    // Whoever holds the lock may be freeing memory of the C library right now, in this thread too.
    const std::unique_lock lock(ledger.mutex(), std::try_to_lock);
    const AllocationRecord* block = lock ? block_from(ledger, pointer) : nullptr;
    if (block == nullptr) {
        return false;
    }
    Misuse misuse = misuse_of(*block, call);
    // It is no runtime call; the next one's number tells when it was.
    misuse.call = ledger.last_number() + 1;
    frames_at(caller_of(frame), this_thread().stack_end, misuse.frames);
    ledger.add_misuse(misuse);
    return true;
}

}  // namespace vram::runtime
