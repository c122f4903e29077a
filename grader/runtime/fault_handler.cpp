#include "grader/runtime/fault_handler.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "grader/runtime/call_sites.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/thread_state.h"
#include "grader/runtime/virtual_gpu_controls.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime {
namespace {

constexpr std::size_t handler_stack_bytes = std::size_t{1} << 16;
constexpr int words_searched = 64;

struct Registers {
    std::uintptr_t instruction = 0;
    std::uintptr_t stack = 0;
    std::uintptr_t frame = 0;
};

Registers registers_of(const void* context) {
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

/// The faulting instruction first. In a library (memcpy, say) the caller's return address is the
/// first one on the stack that lies in the program.
void frames_at_fault(const Registers& registers, std::uintptr_t stack_end,
                     std::uint64_t (&frames)[max_frames]) {
    std::uint64_t callers[max_frames] = {};
    if (registers.frame >= registers.stack && registers.frame < stack_end) {
        walk_frames(reinterpret_cast<const void*>(registers.frame), stack_end, callers);
    }
    std::uintptr_t place = 0;
    if (in_program_code(registers.instruction)) {
        // One more than the address: frames are return addresses, which lie behind their call.
        place = registers.instruction + 1;
    } else {
        const auto* words = reinterpret_cast<const std::uintptr_t*>(registers.stack);
        for (int index = 0; index < words_searched && place == 0; ++index) {
            bool on_stack = reinterpret_cast<std::uintptr_t>(words + index + 1) <= stack_end;
            if (on_stack && in_program_code(words[index])) {
                place = words[index];
            }
        }
    }
    int count = 0;
    if (place != 0) {
        frames[count++] = program_offset(place);
    }
    for (std::uint64_t caller : callers) {
        if (caller != 0 && count < max_frames && (count == 0 || caller != frames[count - 1])) {
            frames[count++] = caller;
        }
    }
}

/// Text without the C library's printf family, which may take locks.
class Line {
  public:
    Line(char* text, std::size_t capacity) : text_(text), capacity_(capacity) {}
    Line& operator<<(const char* more) {
        while (*more != '\0' && length_ + 1 < capacity_) {
            text_[length_++] = *more++;
        }
        text_[length_] = '\0';
        return *this;
    }
    Line& operator<<(std::uint64_t number) {
        char digits[24];
        char* at = digits + sizeof digits - 1;
        *at = '\0';
        do {
            *--at = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return *this << at;
    }

  private:
    char* text_;
    std::size_t capacity_;
    std::size_t length_ = 0;
};

void describe_fault(Line& line, const ClassifiedPointer& pointer, const AllocationRecord* block,
                    bool writes) {
    line << "Host code " << (writes ? "wrote to" : "read from") << " device memory";
    if (block == nullptr) {
        line << ": the address belongs to the GPU.";
        return;
    }
    line << ": " << pointer.offset << " bytes into a " << block->bytes << "-byte block from "
         << family_name(block->family);
    if (block->state != AllocationState::live) {
        line << " that had been freed before";
    }
    line << ". Only kernels and copies can reach it.";
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

void book_fault(std::uint64_t address, const void* context) {
    RuntimeState& state = runtime_state();
    ThreadState& thread = this_thread_as_is();
    // The lock may be held by the very code that faulted; reading without it is the best left.
    bool locked = state.ledger.mutex().try_lock();
    const IndexedBlock* found = state.ledger.index().live_at_or_below(address);
    if (found == nullptr || !found->contains(address)) {
        found = state.ledger.index().freed_containing(address);
    }
    bool known = found != nullptr && !host_accessible(found->family);
    if (known || controls::is_device_address(address)) {
        static Misuse misuse;
        misuse.kind = MisuseKind::device_report;
        misuse.report_kind =
            static_cast<std::uint8_t>(virtual_gpu::ReportKind::host_touches_device);
        misuse.call = state.ledger.last_number();
        misuse.address = address;
        const AllocationRecord* block = known ? state.ledger.record_of(*found) : nullptr;
        ClassifiedPointer pointer;
        if (block != nullptr) {
            misuse.allocation = block->id;
            misuse.other_call = block->made_by;
            pointer.offset = address - block->base;
        }
        Line line(misuse.first_line, sizeof misuse.first_line);
        describe_fault(line, pointer, block, fault_was_a_write(context));
        frames_at_fault(registers_of(context), thread.stack_end, misuse.frames);
        state.ledger.add_misuse(misuse);
        static char text[misuse_text_bytes + 16];
        Line shown(text, sizeof text);
        shown << "vram: " << misuse.first_line << "\n";
        [[maybe_unused]] ssize_t written = write(2, text, std::strlen(text));
    }
    if (locked) {
        state.ledger.mutex().unlock();
    }
}

void on_fault(int signal_number, siginfo_t* info, void* context) {
    signal(signal_number, SIG_DFL);  // the instruction runs again and ends the process
    if (info->si_code > 0) {
        book_fault(reinterpret_cast<std::uint64_t>(info->si_addr), context);
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
