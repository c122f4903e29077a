// Threads that run blocks beside the calling thread.
#pragma once

#include <functional>

namespace vram::virtual_gpu::ptx {

/// Calls `work` on up to `threads` threads at once, the calling one among them, and returns when
/// all calls have. Runs it on the calling thread alone while another caller uses the pool. Threads
/// are started at the first need, and again in a process that was forked.
void run_on_threads(unsigned threads, const std::function<void()>& work);

}  // namespace vram::virtual_gpu::ptx
