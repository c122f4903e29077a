// The library's start, in two steps: a claim may come from .preinit_array, before the C library has
// its environment; the rest follows in the library's constructor.
#pragma once

namespace vram::runtime {

/// The session was claimed: programs that this one executes shall share its ledger.
void prepare_to_share();
bool session_is_claimed();

}  // namespace vram::runtime
