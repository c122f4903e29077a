// What there is to say about a program that nobody grades: its calls, what it left behind, what it
// did wrong, and what its kernels did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grader/runtime/records.h"
#include "grader/runtime/virtual_gpu_controls.h"

namespace vram::runtime {

/// Return addresses, innermost first, as in CallRecord.
using Frames = std::vector<std::uint64_t>;

struct CallCount {
    std::string name;
    std::uint64_t calls = 0;
};

/// A block that is still allocated.
struct Leak {
    AllocationRecord allocation;
    Frames frames;      ///< of the call that made it
    std::string place;  ///< "main.cu:31", or empty without debug information
};

/// A stream, event or pool that was never destroyed.
struct LeakedHandle {
    HandleKind kind{};
    Frames frames;
    std::string place;
};

/// One call that belongs to a mistake: the one that made the block, that freed it, the other party.
struct Step {
    CallRecord call;
    std::string text;  ///< "cudaFree(0x200000000400) -> cudaSuccess"
    std::string place;
};

struct Mistake {
    Misuse misuse;
    std::vector<Step> steps;  ///< in the order of the calls; those that are still known
    Frames frames;            ///< where it happened
    std::string place;
};

struct ProgramReport {
    std::vector<CallCount> calls;  ///< the most frequent first
    std::vector<Leak> leaks;
    std::vector<LeakedHandle> leaked_handles;
    std::vector<Mistake> mistakes;
    std::vector<controls::KernelSummary> kernels;
    std::uint64_t virtual_nanoseconds = 0;
};

/// Executes what still waits on the virtual GPU, and reads the ledger.
ProgramReport make_program_report();

}  // namespace vram::runtime
