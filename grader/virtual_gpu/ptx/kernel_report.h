// Reports about what a lane of a kernel does.
#pragma once

#include <cstdint>
#include <string>

#include "grader/virtual_gpu/memory/block.h"
#include "grader/virtual_gpu/observer.h"
#include "grader/virtual_gpu/ptx/fault.h"
#include "grader/virtual_gpu/ptx/memory_port.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

/// A report with kernel, block, thread and source line filled in; `what` follows "thread (x,y,z) of
/// block (x,y,z) of kernel k" in its first line.
Report kernel_report(const Warp& warp, int lane, ReportKind kind, const std::string& what);

/// "line 12 of scale.cu", or empty when unknown.
std::string source_place(const Report& report);

/// "reads 4 bytes", "writes 16 bytes".
std::string describe_access(Access access, std::uint64_t size);

/// Throws the Fault for a global access at `address` that `block`, which may be nullptr, does not
/// allow.
[[noreturn]] void fail_global_access(const Warp& warp, int lane, const Block* block,
                                     std::uint64_t address, unsigned size, Access access);
[[noreturn]] void fail_misaligned(const Warp& warp, int lane, std::uint64_t address, unsigned size,
                                  Access access, const char* space, AllocationId allocation);
[[noreturn]] void fail_shared_access(const Warp& warp, int lane, std::uint64_t offset,
                                     unsigned size, Access access);
[[noreturn]] void fail_local_access(const Warp& warp, int lane, std::uint64_t offset, unsigned size,
                                    Access access);

}  // namespace vram::virtual_gpu::ptx
