#include "grader/virtual_gpu/ptx/builtins.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "grader/virtual_gpu/ptx/addresses.h"
#include "grader/virtual_gpu/ptx/kernel_report.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/printf_format.h"
#include "grader/virtual_gpu/ptx/worker.h"

namespace vram::virtual_gpu::ptx {

namespace {

std::atomic<DeviceHeap*> device_heap{nullptr};

const CallSite& call_site(const Warp& warp, const Instruction& instruction) {
    return warp.frame->function->calls[instruction.target];
}

std::uint64_t argument(const Warp& warp, const CallSite& site, int lane, std::size_t index) {
    std::uint64_t value = 0;
    const LocalBytes& where = site.arguments[index];
    std::memcpy(&value, warp.local_bytes(lane, where.offset),
                where.bytes < sizeof value ? where.bytes : sizeof value);
    return value;
}

void set_result(const Warp& warp, const CallSite& site, int lane, std::uint64_t value) {
    const LocalBytes& where = site.results[0];
    std::memcpy(warp.local_bytes(lane, where.offset), &value,
                where.bytes < sizeof value ? where.bytes : sizeof value);
}

void print_formatted(Warp& warp, const Instruction& instruction) {
    const CallSite& site = call_site(warp, instruction);
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint64_t packed = argument(warp, site, lane, 1);
        const FormattedText formatted = format_printf(
            readable_string(warp, lane, argument(warp, site, lane, 0)),
            [&](std::size_t offset, std::size_t bytes) {
                std::uint64_t value = 0;
                std::memcpy(&value,
                            readable(warp, lane, packed + offset, static_cast<unsigned>(bytes)),
                            bytes);
                return value;
            },
            [&](std::uint64_t address) {
                return std::string(readable_string(warp, lane, address));
            });
        warp.worker->print(formatted.text);
        set_result(warp, site, lane, static_cast<std::uint64_t>(formatted.arguments));
    }
}

void fail_assertion(Warp& warp, const Instruction& instruction) {
    const CallSite& site = call_site(warp, instruction);
    const int lane = __builtin_ctz(warp.mask);
    const std::string condition = readable_string(warp, lane, argument(warp, site, lane, 0));
    const std::string file = readable_string(warp, lane, argument(warp, site, lane, 1));
    const auto line = static_cast<int>(argument(warp, site, lane, 2) & 0xffffffffu);
    const std::string function = readable_string(warp, lane, argument(warp, site, lane, 3));
    Report report =
        kernel_report(warp, lane, ReportKind::kernel_assert, "failed the assertion " + condition);
    report.source_file = file;
    report.source_line = line;
    report.details.push_back(file + ":" + std::to_string(line) + ": " + function + ": Assertion `" +
                             condition + "` failed.");
    throw Fault{KernelError::assertion, std::move(report)};
}

void allocate(Warp& warp, const Instruction& instruction) {
    const CallSite& site = call_site(warp, instruction);
    DeviceHeap* heap = device_heap.load();
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint64_t bytes = argument(warp, site, lane, 0);
        set_result(warp, site, lane, heap != nullptr ? heap->allocate(bytes) : 0);
    }
}

void release(Warp& warp, const Instruction& instruction) {
    const CallSite& site = call_site(warp, instruction);
    DeviceHeap* heap = device_heap.load();
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint64_t address = argument(warp, site, lane, 0);
        if (address == 0 || (heap != nullptr && heap->release(address))) {
            continue;
        }
        const Block* block = warp.worker->finder().find(address);
        Report report = kernel_report(warp, lane, ReportKind::kernel_wild_pointer,
                                      "frees a pointer that the device-side malloc did not "
                                      "return, or that was freed before");
        report.address = address;
        report.allocation = block != nullptr ? block->id : 0;
        throw Fault{KernelError::launch_failure, std::move(report)};
    }
}

}  // namespace

void set_device_heap(DeviceHeap* heap) {
    device_heap = heap;
}

Builtin find_builtin(const std::string& name) {
    if (name == "vprintf") {
        return {print_formatted, 2, 1};
    }
    if (name == "__assertfail") {
        return {fail_assertion, 5, 0};
    }
    if (name == "malloc") {
        return {allocate, 1, 1};
    }
    if (name == "free") {
        return {release, 1, 0};
    }
    return {};
}

void read_clock(Warp& warp, const Instruction& instruction) {
    // A warp instruction counts for a few cycles, and reading the clock for many: kernels that
    // wait for time to pass should not take long here.
    constexpr std::uint64_t cycles_per_instruction = 8;
    constexpr std::uint64_t cycles_per_reading = 1024;
    BlockState& block = *warp.block;
    ++block.clock_reads;
    std::uint64_t time =
        block.instructions * cycles_per_instruction + block.clock_reads * cycles_per_reading;
    if (instruction.variant != 0) {
        time >>= 32;
    }
    std::byte* d = warp.destination<std::byte>(instruction.d);
    for (int lane : ActiveLanes{warp.mask}) {
        std::memcpy(d + static_cast<std::size_t>(lane) * instruction.width, &time,
                    instruction.width);
    }
}

void sleep_in_warp(Warp& warp, const Instruction&) {
    warp.waits_in_vain = true;
}

namespace {

/// Copies the first `bytes` bytes that each lane of the warp's mask names in global memory.
void copy_first_bytes(Warp& warp, const Instruction& instruction, unsigned bytes,
                      std::byte* const* to) {
    Instruction part = instruction;
    unsigned done = 0;
    // Parts are powers of two, as accesses are, and each is aligned to its size.
    for (unsigned size = 16; size != 0; size /= 2) {
        if ((bytes & size) == 0) {
            continue;
        }
        std::byte* from[lanes_per_warp];
        part.immediate = instruction.immediate + done;
        resolve(warp, part, size, Access::read, from);
        for (int lane : ActiveLanes{warp.mask}) {
            std::memcpy(to[lane] + done, from[lane], size);
        }
        done += size;
    }
}

}  // namespace

void copy_to_shared(Warp& warp, const Instruction& instruction) {
    const unsigned size = instruction.element_count;
    std::byte* to[lanes_per_warp];
    std::uint32_t offsets[lanes_per_warp];
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint64_t base = instruction.width == 8
                                       ? warp.source<std::uint64_t>(instruction.e)[lane]
                                       : warp.source<std::uint32_t>(instruction.e)[lane];
        offsets[lane] = static_cast<std::uint32_t>(base + instruction.target);
    }
    resolve_shared(warp, offsets, size, Access::write, to);
    // The source ends where its given size does: what follows is zero, and is not read.
    const auto* given = warp.source<std::uint32_t>(instruction.b);
    const std::uint32_t all = warp.mask;
    std::uint32_t left = all;
    while (left != 0) {
        const unsigned bytes = std::min(given[__builtin_ctz(left)], size);
        std::uint32_t same = 0;
        for (int lane : ActiveLanes{left}) {
            same |= std::min(given[lane], size) == bytes ? 1u << lane : 0u;
        }
        left &= ~same;
        warp.mask = same;
        copy_first_bytes(warp, instruction, bytes, to);
        for (int lane : ActiveLanes{same}) {
            std::memset(to[lane] + bytes, 0, size - bytes);
        }
    }
    warp.mask = all;
}

}  // namespace vram::virtual_gpu::ptx
