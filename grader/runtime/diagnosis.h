// What a call does wrong, seen from its arguments before it is made. The ledger's lock is held.
#pragma once

#include "grader/runtime/call.h"

namespace vram::runtime {

void diagnose_release(Call& call);
void diagnose_copy(Call& call);
void diagnose_set(Call& call);
/// `out`: where the call was told to store a result; it cannot be written by the host.
void diagnose_destination(Call& call, const ClassifiedPointer& out);
void diagnose_dead_handle(Call& call, const HandleRecord& handle);
void diagnose_unrecorded_event(Call& call, const HandleRecord& event);
void diagnose_work_after_sticky(Call& call);

}  // namespace vram::runtime
