// What the library keeps for each thread of the program.
#pragma once

#include <cstdint>

#include "grader/runtime/records.h"

namespace vram::runtime {

struct ThreadState {
    std::uint32_t number = 0;  ///< counted from 1; 0 until the first call
    bool inside = false;       ///< a hooked call is running: what it calls is not the program's
    bool launch_is_placed = false;  ///< `push_frames` belong to the next launch
    std::uintptr_t stack_end = 0;   ///< one past the highest address of the stack
    CallNumber current_call = 0;
    LastError last_error;     ///< the slot that the program sees
    LastError harness_error;  ///< the slot that the checks' own calls use
    std::uint64_t push_frames[max_frames] = {};
};

/// The calling thread's state, made on its first call.
ThreadState& this_thread();
/// The same without making it, for signal handlers; its number may be 0.
ThreadState& this_thread_as_is();

}  // namespace vram::runtime
