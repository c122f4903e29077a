// Work that nobody waits for still ends, as on hardware: a program may spin on a flag that a host
// function sets. After a while without any runtime call, a thread of its own runs what is pending.
#pragma once

namespace vram::virtual_gpu {

/// Starts the thread unless it runs in this process. Expects the lock of the card to be held.
void ensure_idle_drain();

}  // namespace vram::virtual_gpu
