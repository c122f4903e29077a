#include "grader/runtime/fault_handler.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

#include "grader/runtime/call_sites.h"
#include "grader/runtime/device_reports.h"
#include "grader/runtime/ending_signals.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/sides.h"
#include "grader/runtime/thread_state.h"
#include "grader/runtime/virtual_gpu_controls.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime {
namespace {

constexpr std::size_t handler_stack_bytes = std::size_t{1} << 16;

ExecutionPoint point_of(const void* context) {
    const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    auto at = [&](int index) { return static_cast<std::uintptr_t>(machine.gregs[index]); };
    return {at(REG_RIP), at(REG_RSP), at(REG_RBP)};
#elif defined(__aarch64__)
    return {machine.pc, machine.sp, machine.regs[29]};
#else
#error "no register names for this machine"
#endif
}

bool fault_was_a_write(const void* context) {
#if defined(__x86_64__)
    constexpr greg_t write_bit = 2;
    return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & write_bit) != 0;
#else
    (void)context;
    return false;
#endif
}

/// The block that the ledger knows at an address that the host cannot touch.
const AllocationRecord* device_block_at(Ledger& ledger, std::uint64_t address) {
    const IndexedBlock* block = ledger.index().live_at_or_below(address);
    if (block == nullptr || !block->contains(address)) {
        block = ledger.index().freed_containing(address);
    }
    return block != nullptr && !host_accessible(block->family) ? ledger.record_of(*block) : nullptr;
}

void write_first_line(Misuse& misuse, const AllocationRecord* block,
                      const virtual_gpu::Report& report, bool writes) {
    if (block == nullptr) {
        std::snprintf(misuse.first_line, sizeof misuse.first_line, "%s", report.first_line.c_str());
        return;
    }
    const char* freed = block->state == AllocationState::live ? "" : " that had been freed before";
    std::snprintf(misuse.first_line, sizeof misuse.first_line,
                  "Host code %s device memory: %llu bytes into a %zu-byte block from %s%s. Only "
                  "kernels and copies can reach it.",
                  writes ? "wrote to" : "read from",
                  static_cast<unsigned long long>(misuse.address - block->base), block->bytes,
                  family_name(block->family), freed);
}

// The process is about to die of its fault. What is done here is more than a handler of a program
// that lives on could do; a second fault in it ends the process the same way.
void book_fault(std::uint64_t address, const void* context) {
    Ledger& ledger = runtime_state().ledger;
    // The lock may be held by the very code that faulted; reading without it is the best left.
    bool locked = ledger.mutex().try_lock();
    const AllocationRecord* block = device_block_at(ledger, address);
    virtual_gpu::Report report;
    if (block != nullptr || controls::describe_host_fault(address, report)) {
        static Misuse misuse;
        misuse.kind = MisuseKind::device_report;
        misuse.report_kind =
            static_cast<std::uint8_t>(virtual_gpu::ReportKind::host_touches_device);
        misuse.call = ledger.last_number();
        misuse.address = address;
        if (block != nullptr) {
            misuse.allocation = block->id;
            misuse.other_call = block->made_by;
        }
        write_first_line(misuse, block, report, fault_was_a_write(context));
        frames_at(point_of(context), this_thread_as_is().stack_end, misuse.frames);
        ledger.add_misuse(misuse);
        dprintf(STDERR_FILENO, "vram: %s\n", misuse.first_line);
    }
    if (locked) {
        ledger.mutex().unlock();
    }
}

// The program lives on after this one. The fault is one of its own instructions, not of an allocator
// or of this library, so locks and memory are as usable as anywhere else in it.
void book_early_use(const virtual_gpu::Report& report, const void* context) {
    RuntimeState& state = runtime_state();
    const ThreadState& thread = this_thread_as_is();
    if (thread.inside || !state.in_learner) {
        return;
    }
    Misuse misuse = misuse_from(report);
    frames_at(point_of(context), thread.stack_end, misuse.frames);
    std::lock_guard lock(state.ledger.mutex());
    misuse.allocation = state.ledger.classify(report.address, thread).allocation;
    state.ledger.add_misuse(misuse);
}

/// True when the access may be repeated.
bool is_early_use(std::uint64_t address, const void* context) {
    virtual_gpu::Report report;
    switch (controls::host_touches_target(address, report)) {
        case virtual_gpu::HostTouch::too_early:
            book_early_use(report, context);
            return true;
        case virtual_gpu::HostTouch::is_over:
            return true;
        case virtual_gpu::HostTouch::elsewhere:
            return false;
    }
    return false;
}

void on_fault(int signal_number, siginfo_t* info, void* context) {
    if (chosen_device() == Device::virtual_gpu && info->si_code > 0 &&
        is_early_use(reinterpret_cast<std::uint64_t>(info->si_addr), context)) {
        return;
    }
    signal(signal_number, SIG_DFL);  // the instruction runs again and ends the process
    if (info->si_code > 0) {
        book_fault(reinterpret_cast<std::uint64_t>(info->si_addr), context);
        report_before_fault(signal_number);
    } else {
        raise(signal_number);
    }
}

}  // namespace

void install_fault_handler() {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
    controls::rely_on_fault_handler(on_fault);
}

void use_alternate_signal_stack() {
    stack_t present = {};
    if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) {
        return;
    }
    void* memory = mmap(nullptr, handler_stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return;
    }
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = handler_stack_bytes;
    sigaltstack(&stack, nullptr);
}

}  // namespace vram::runtime
