// Explains a load or store of host code at an address that only the card can use.

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "grader/virtual_gpu/card.h"
#include "grader/virtual_gpu/control.h"

namespace vram::virtual_gpu {
namespace {

/// free() and delete read the size that malloc stored just below a block.
constexpr std::uint64_t heap_header_bytes = 16;
constexpr std::size_t alternate_stack_bytes = 64 * 1024;

std::string hexadecimal(std::uint64_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

const char* family(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::device_async:
            return "stream-ordered device memory";
        case MemoryKind::pinned:
            return "page-locked host memory";
        case MemoryKind::managed:
            return "managed memory";
        case MemoryKind::global:
            return "a __device__ variable";
        case MemoryKind::constant:
            return "a __constant__ variable";
        default:
            return "device memory";
    }
}

std::string place_in(const Block& block, std::uint64_t address) {
    std::string text = "byte " + std::to_string(address - block.begin) + " of " +
                       std::to_string(block.end - block.begin) + " bytes of " + family(block.kind);
    if (block.made_by)
        text += " allocated by call " + std::to_string(block.made_by);
    if (!block.live && block.freed_by)
        text += " and freed by call " + std::to_string(block.freed_by);
    return text;
}

void describe_block(const Block& block, std::uint64_t address, Report& report) {
    report.allocation = block.id;
    const std::string where = hexadecimal(address) + " is " + place_in(block, address);
    const bool host_memory = block.kind == MemoryKind::pinned || block.kind == MemoryKind::managed;
    if (host_memory)
        report.first_line = "host code used memory after it was freed: " + where;
    else
        report.first_line = std::string("host code dereferenced a device pointer: ") +
                            (block.live ? "" : "(freed) ") + where;
    report.parties.push_back({block.made_by, "the allocation", block.begin, block.end});
}

std::atomic<bool> handler_installed{false};
struct sigaction previous_action;
std::atomic<FaultHandler> relied_on{nullptr};

void on_fault(int, siginfo_t* info, void*) {
    Report report;
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    switch (host_touches_target(address, report)) {
        case HostTouch::too_early:
            observer().on_report(report);
            return;
        case HostTouch::is_over:
            return;
        case HostTouch::elsewhere:
            break;
    }
    if (describe_host_fault(address, report)) {
        const std::string line = "virtual GPU: " + report.first_line + "\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
    }
    // The access repeats after the return, and ends the program as on hardware.
    sigaction(SIGSEGV, &previous_action, nullptr);
}

void use_alternate_stack() {
    stack_t current{};
    sigaltstack(nullptr, &current);
    if (!(current.ss_flags & SS_DISABLE))
        return;
    void* memory = mmap(nullptr, alternate_stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = alternate_stack_bytes;
    sigaltstack(&stack, nullptr);
}

}  // namespace

bool describe_host_fault(std::uint64_t address, Report& report) {
    if (!card_exists())
        return false;
    Card& device = card();
    const Block* block = device.space.try_find(address);
    const bool on_device = device.is_device_address(address);
    if (!on_device && (!block || block->live))
        return false;
    report = Report{};
    report.kind = ReportKind::host_touches_device;
    report.address = address;
    const bool inside = block && block->contains(address);
    if (inside) {
        describe_block(*block, address, report);
        return true;
    }
    const Block* above = device.space.try_find_next(address, heap_header_bytes);
    if (above) {
        report.allocation = above->id;
        report.first_line =
            "free() or delete was given a device pointer: " + hexadecimal(above->begin) + " is " +
            place_in(*above, above->begin) + "; cudaFree releases it";
        report.parties.push_back({above->made_by, "the allocation", above->begin, above->end});
    } else if (block) {
        report.allocation = block->id;
        report.first_line = "host code dereferenced a device address: " + hexadecimal(address) +
                            " lies " + std::to_string(address - block->end) +
                            " bytes past the end of " + place_in(*block, block->begin);
    } else {
        report.first_line = "host code dereferenced a device address: " + hexadecimal(address) +
                            " lies in no allocation";
    }
    return true;
}

HostTouch host_touches_target(std::uint64_t address, Report& report) {
    if (!card_exists())
        return HostTouch::elsewhere;
    GuardedTargets& targets = card().host_memory.guarded_targets();
    const std::shared_ptr<const Origin> copy = targets.touch(address);
    if (!copy)
        return targets.was_target(address) ? HostTouch::is_over : HostTouch::elsewhere;
    report = Report{};
    report.kind = ReportKind::host_buffer_in_flight;
    report.address = address;
    report.first_line = "host code uses page-locked memory that " + copy->what + " (call " +
                        std::to_string(copy->call) +
                        ") has not written yet: nothing waits for the copy before";
    report.parties.push_back({copy->call, copy->what, address, 0});
    return HostTouch::too_early;
}

void install_host_fault_handler() {
    struct sigaction current {};
    sigaction(SIGSEGV, nullptr, &current);
    const bool taken = (current.sa_flags & SA_SIGINFO) || current.sa_handler != SIG_DFL;
    if (taken || handler_installed.exchange(true))
        return;
    use_alternate_stack();
    previous_action = current;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    rely_on_fault_handler(on_fault);
}

void rely_on_fault_handler(FaultHandler handler) {
    relied_on = handler;
}

bool fault_handler_in_place() {
    struct sigaction current {};
    sigaction(SIGSEGV, nullptr, &current);
    return relied_on != nullptr && (current.sa_flags & SA_SIGINFO) &&
           current.sa_sigaction == relied_on;
}

}  // namespace vram::virtual_gpu
