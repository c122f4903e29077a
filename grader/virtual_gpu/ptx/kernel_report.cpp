#include "grader/virtual_gpu/ptx/kernel_report.h"

#include <cstdio>

#include "grader/virtual_gpu/ptx/block_state.h"
#include "grader/virtual_gpu/ptx/worker.h"

namespace vram::virtual_gpu::ptx {

namespace {

std::string triple(const std::uint32_t (&values)[3]) {
    return "(" + std::to_string(values[0]) + "," + std::to_string(values[1]) + "," +
           std::to_string(values[2]) + ")";
}

std::string hexadecimal(std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string counted(std::uint64_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

const char* kind_of_memory(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::device:
            return "device memory";
        case MemoryKind::device_async:
            return "stream-ordered device memory";
        case MemoryKind::pinned:
            return "pinned host memory";
        case MemoryKind::managed:
            return "managed memory";
        case MemoryKind::global:
            return "a __device__ variable";
        case MemoryKind::constant:
            return "a __constant__ variable";
        case MemoryKind::heap:
            return "memory of the device-side malloc";
        case MemoryKind::mapped:
            return "mapped memory";
    }
    return "memory";
}

std::string describe_block(const Block& block) {
    return "allocation " + std::to_string(block.id) + " (" +
           counted(block.end - block.begin, "byte") + " of " + kind_of_memory(block.kind) + ")";
}

std::string distance_beyond(const Block& block, std::uint64_t address, unsigned size) {
    if (address >= block.end) {
        const std::uint64_t gap = address - block.end;
        return gap == 0 ? "just past the end of " : counted(gap, "byte") + " past the end of ";
    }
    return "across the end of (its last " + counted(address + size - block.end, "byte") +
           " lie outside) ";
}

bool looks_like_host(std::uint64_t address) {
    // User addresses of x86-64 Linux that are in use; a process keeps its program, heap,
    // libraries and stacks either very low or at the very top.
    return (address >= 0x400000 && address < 0x0000'0100'0000'0000) ||
           (address >= 0x0000'5000'0000'0000 && address < 0x0000'8000'0000'0000);
}

struct Diagnosis {
    ReportKind kind;
    std::string where;
    KernelError error = KernelError::illegal_address;
};

Diagnosis diagnose(const Block* block, std::uint64_t address, unsigned size, Access access) {
    if (block != nullptr && !block->live && block->contains(address)) {
        return {ReportKind::kernel_use_after_free,
                "of " + describe_block(*block) + ", which has been freed"};
    }
    if (block != nullptr && block->contains(address) && block->kind == MemoryKind::constant &&
        access != Access::read && block->end - address >= size) {
        return {ReportKind::kernel_write_to_constant, "of " + describe_block(*block)};
    }
    if (block != nullptr && (block->contains(address) || address >= block->end)) {
        return {ReportKind::kernel_out_of_bounds,
                distance_beyond(*block, address, size) + describe_block(*block)};
    }
    if (address < 4096) {
        return {ReportKind::kernel_null_pointer,
                address == 0 ? "through a null pointer"
                             : "at " + hexadecimal(address) + ", close to a null pointer"};
    }
    if (looks_like_host(address)) {
        return {ReportKind::kernel_host_pointer,
                "at " + hexadecimal(address) + ", an address of plain host memory"};
    }
    return {ReportKind::kernel_wild_pointer,
            "at " + hexadecimal(address) + ", which belongs to no allocation"};
}

SourceLocation location_of(const Warp& warp) {
    if (warp.current == nullptr || warp.frame == nullptr) {
        return {};
    }
    const auto& locations = warp.frame->function->locations;
    const std::uint32_t index = warp.current->location;
    return index < locations.size() ? locations[index] : SourceLocation{};
}

}  // namespace

Report kernel_report(const Warp& warp, int lane, ReportKind kind, const std::string& what) {
    Report report;
    report.kind = kind;
    const Worker& worker = *warp.worker;
    const LaunchShape& shape = worker.shape();
    report.kernel = worker.kernel().attributes.name;
    for (int axis = 0; axis < 3; ++axis) {
        report.block[axis] = warp.block->index[axis];
    }
    const std::uint32_t number = warp.thread_number(lane);
    report.thread[0] = number % shape.block[0];
    report.thread[1] = number / shape.block[0] % shape.block[1];
    report.thread[2] = number / shape.block[0] / shape.block[1];
    const SourceLocation location = location_of(warp);
    const Module& module = *worker.kernel().module;
    if (location.line > 0 && static_cast<std::size_t>(location.file) < module.files.size()) {
        report.source_file = module.files[location.file];
        report.source_line = location.line;
    }
    report.first_line = "kernel " + report.kernel + ": thread " + triple(report.thread) +
                        " of block " + triple(report.block) + " " + what;
    const std::string place = source_place(report);
    if (!place.empty()) {
        report.first_line += ", at " + place;
    }
    report.parties.push_back({worker.options().launched_by, "kernel " + report.kernel, 0, 0});
    return report;
}

std::string source_place(const Report& report) {
    if (report.source_line == 0) {
        return {};
    }
    const std::size_t slash = report.source_file.rfind('/');
    return report.source_file.substr(slash == std::string::npos ? 0 : slash + 1) + ":" +
           std::to_string(report.source_line);
}

std::string describe_access(Access access, std::uint64_t size) {
    const char* verb = access == Access::read    ? "reads "
                       : access == Access::write ? "writes "
                                                 : "updates atomically ";
    return verb + counted(size, "byte");
}

void fail_global_access(const Warp& warp, int lane, const Block* block, std::uint64_t address,
                        unsigned size, Access access) {
    const Diagnosis diagnosis = diagnose(block, address, size, access);
    const std::string action = describe_access(access, size);
    Report report = kernel_report(warp, lane, diagnosis.kind, action + " " + diagnosis.where);
    report.address = address;
    report.parties.front().what += " " + action;
    report.parties.front().begin = address;
    report.parties.front().end = address + size;
    if (block != nullptr && diagnosis.kind != ReportKind::kernel_null_pointer &&
        diagnosis.kind != ReportKind::kernel_host_pointer &&
        diagnosis.kind != ReportKind::kernel_wild_pointer) {
        report.allocation = block->id;
        if (diagnosis.kind == ReportKind::kernel_use_after_free) {
            report.parties.push_back({block->freed_by, "freed", block->begin, block->end});
        } else {
            report.parties.push_back({block->made_by, "allocated", block->begin, block->end});
        }
        report.details.push_back(describe_block(*block) + " begins at " +
                                 hexadecimal(block->begin) + "; the access is at byte " +
                                 std::to_string(address - block->begin));
    }
    throw Fault{diagnosis.error, std::move(report)};
}

void fail_misaligned(const Warp& warp, int lane, std::uint64_t address, unsigned size,
                     Access access, const char* space, AllocationId allocation) {
    Report report = kernel_report(warp, lane, ReportKind::kernel_misaligned,
                                  describe_access(access, size) + " of " + space + " memory at " +
                                      hexadecimal(address) + ", which is not a multiple of " +
                                      std::to_string(size));
    report.address = address;
    report.allocation = allocation;
    throw Fault{KernelError::misaligned_address, std::move(report)};
}

void fail_shared_access(const Warp& warp, int lane, std::uint64_t offset, unsigned size,
                        Access access) {
    Report report = kernel_report(warp, lane, ReportKind::kernel_shared_out_of_bounds,
                                  describe_access(access, size) + " of shared memory at byte " +
                                      std::to_string(offset) + "; the block has " +
                                      counted(warp.block->shared_bytes, "byte"));
    report.address = offset;
    throw Fault{KernelError::illegal_address, std::move(report)};
}

void fail_local_access(const Warp& warp, int lane, std::uint64_t offset, unsigned size,
                       Access access) {
    Report report =
        kernel_report(warp, lane, ReportKind::kernel_local_out_of_bounds,
                      describe_access(access, size) + " of local memory at byte " +
                          std::to_string(offset) + ", outside of the thread's variables");
    report.address = offset;
    throw Fault{KernelError::illegal_address, std::move(report)};
}

}  // namespace vram::virtual_gpu::ptx
