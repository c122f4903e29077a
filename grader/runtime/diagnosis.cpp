#include "grader/runtime/diagnosis.h"

#include <algorithm>
#include <string>

#include "grader/runtime/describe.h"
#include "grader/runtime/fixed_text.h"

namespace vram::runtime {
namespace {

using Stands = Call::Stands;

Misuse misuse_of(MisuseKind kind, const ClassifiedPointer& pointer, const std::string& first_line,
                 const std::string& details = {}) {
    Misuse misuse;
    misuse.kind = kind;
    misuse.allocation = pointer.allocation;
    misuse.address = pointer.address;
    set_text(misuse.first_line, first_line);
    set_text(misuse.details, details);
    return misuse;
}

AllocationRecord allocation_of(Call& call, const ClassifiedPointer& pointer) {
    const IndexedBlock* block = call.state().ledger.index().live_at_or_below(pointer.address);
    if (block == nullptr || block->id != pointer.allocation) {
        block = call.state().ledger.index().freed_containing(pointer.address);
    }
    const AllocationRecord* record =
        block != nullptr ? call.state().ledger.record_of(*block) : nullptr;
    return record != nullptr ? *record : AllocationRecord();
}

std::string releasing_name(Call& call, CallNumber number) {
    const CallRecord* record = call.state().ledger.call(number);
    return record != nullptr ? call_name(*record) : "an earlier call";
}

// ---- releases ------------------------------------------------------------------------------------

bool may_release(Family releasing, Family made) {
    switch (releasing) {
        case Family::device:
            return made == Family::device || made == Family::pitched || made == Family::async ||
                   made == Family::managed;
        default:
            return releasing == made;
    }
}

void diagnose_live_base(Call& call, const ClassifiedPointer& pointer) {
    AllocationRecord block = allocation_of(call, pointer);
    if (block.id == 0 || may_release(call.traits().family, block.family)) {
        return;
    }
    std::string text = call.name() + " was given " + describe_allocation(block) +
                       "; what releases it is " + releasing_call(block.family) + ".";
    Misuse misuse = misuse_of(MisuseKind::free_wrong_family, pointer, text);
    misuse.other_call = block.made_by;
    call.add_misuse(misuse, Stands::always);
}

void diagnose_freed_base(Call& call, const ClassifiedPointer& pointer) {
    AllocationRecord block = allocation_of(call, pointer);
    std::string what = describe_allocation(block);
    Misuse misuse;
    if (block.state == AllocationState::lost_in_reset) {
        misuse = misuse_of(
            MisuseKind::free_after_reset, pointer,
            call.name() + " was given " + what + " that cudaDeviceReset had already destroyed.");
    } else {
        misuse = misuse_of(
            MisuseKind::double_free, pointer,
            call.name() + " was given an address that had been freed before: " + what + ".",
            "The first free was a " + releasing_name(call, block.freed_by) +
                "; after it the address can belong to somebody else.");
    }
    misuse.other_call = block.freed_by;
    call.add_misuse(misuse, Stands::if_refused);
}

void diagnose_interior(Call& call, const ClassifiedPointer& pointer) {
    AllocationRecord block = allocation_of(call, pointer);
    bool freed = pointer.place == Place::freed;
    std::string where = pointer.place == Place::past_the_end
                            ? "the address one past the end of "
                            : "an address " + bytes_text(pointer.offset) + " into ";
    std::string after = freed ? ", which had been freed before."
                              : "; only its first address can be freed, and it is still allocated.";
    Misuse misuse =
        misuse_of(MisuseKind::free_interior, pointer,
                  call.name() + " was given " + where + describe_allocation(block) + after);
    misuse.other_call = freed ? block.freed_by : block.made_by;
    call.add_misuse(misuse, Stands::if_refused);
}

const char* host_place_text(Place place) {
    switch (place) {
        case Place::host_stack:
            return "a local variable on the host's stack";
        case Place::host_data:
            return "a global or static variable of the host";
        default:
            return "ordinary host memory";
    }
}

void diagnose_host_release(Call& call, const ClassifiedPointer& pointer) {
    const IndexedBlock* named = call.state().ledger.block_named_at(pointer.address);
    if (named != nullptr) {
        const AllocationRecord* block = call.state().ledger.record_of(*named);
        std::string what = block != nullptr ? describe_allocation(*block) : "a block";
        Misuse misuse = misuse_of(
            MisuseKind::free_of_variable, pointer,
            call.name() +
                " was given the address of a pointer variable, not the address stored in it: drop "
                "the &.",
            "The variable points to " + what + ", which is still allocated.");
        misuse.allocation = named->id;
        misuse.other_call = block != nullptr ? block->made_by : 0;
        call.add_misuse(misuse, Stands::if_refused);
        return;
    }
    std::string first_line = call.name() + " was given the address of " +
                             host_place_text(pointer.place) +
                             ", which no call of the runtime allocated.";
    call.add_misuse(misuse_of(MisuseKind::free_host_memory, pointer, first_line),
                    Stands::if_refused);
}

// ---- copies and sets -----------------------------------------------------------------------------

enum class Side : std::uint8_t { destination, source };

const char* side_text(Side side) {
    return side == Side::destination ? "destination" : "source";
}

bool is_live(Place place) {
    return place == Place::base || place == Place::interior;
}

bool is_plain_host(Place place) {
    return place == Place::host_stack || place == Place::host_data || place == Place::host_heap;
}

bool is_freed(Place place) {
    return place == Place::freed_base || place == Place::freed;
}

/// What a transfer is called in a sentence: "cudaMemcpy of 200 bytes".
std::string transfer_text(Call& call, const TransferSide& side) {
    const Transfer& transfer = call.transfer();
    if (side.pitch == 0) {
        return call.name() + " of " + bytes_text(side.span);
    }
    return call.name() + " of " + std::to_string(transfer.rows) + " rows of " +
           bytes_text(transfer.row_bytes);
}

void diagnose_bounds(Call& call, const ClassifiedPointer& pointer, const TransferSide& side,
                     MisuseKind kind, const char* verb) {
    AllocationRecord block = allocation_of(call, pointer);
    if (block.id == 0 || block.family == Family::array ||
        pointer.offset + side.span <= block.bytes) {
        return;
    }
    std::uint64_t left = block.bytes > pointer.offset ? block.bytes - pointer.offset : 0;
    std::string start = pointer.offset == 0
                            ? std::string()
                            : ", starting " + bytes_text(pointer.offset) + " into it";
    std::string details = "From there " + bytes_text(left) + " belong to the block.";
    if (side.pitch != 0) {
        details = "With a pitch of " + bytes_text(side.pitch) + " the rows span " +
                  bytes_text(side.span) + "; " + bytes_text(left) + " are left in the block.";
    }
    Misuse misuse = misuse_of(kind, pointer,
                              transfer_text(call, side) + " " + verb + " past the end of " +
                                  describe_allocation(block) + start + ".",
                              details);
    misuse.other_call = block.made_by;
    // Registering may have covered a part of a larger host block: then the rest can be copied too.
    call.add_misuse(misuse,
                    block.family == Family::registered ? Stands::if_refused : Stands::always);
}

void diagnose_freed_transfer(Call& call, const ClassifiedPointer& pointer, MisuseKind kind,
                             const std::string& role) {
    AllocationRecord block = allocation_of(call, pointer);
    Misuse misuse = misuse_of(kind, pointer,
                              role + " of this " + call.name() + " lies in " +
                                  describe_allocation(block) + " that had been freed before.");
    misuse.other_call = block.freed_by;
    // Host memory can come back at an address that pinned memory had: then the call succeeds.
    call.add_misuse(misuse, host_accessible(block.family) ? Stands::if_refused : Stands::always);
}

void diagnose_bad_transfer_pointer(Call& call, const ClassifiedPointer& pointer, MisuseKind kind,
                                   const std::string& role) {
    const char* what = pointer.place == Place::null
                           ? " is a null pointer."
                           : " is an address that no call handed out and that holds no memory.";
    Misuse misuse = misuse_of(kind, pointer, role + " of this " + call.name() + what);
    call.add_misuse(misuse, Stands::if_refused);
}

const HostBuffer* known_buffer(Call& call, std::uint64_t address) {
    RuntimeState& state = call.state();
    for (std::size_t index = 0; index < state.host_buffer_count; ++index) {
        const HostBuffer& buffer = state.host_buffers[index];
        if (address >= buffer.begin && address < buffer.end) {
            return &buffer;
        }
    }
    return nullptr;
}

void diagnose_host_overrun(Call& call, const ClassifiedPointer& pointer, const TransferSide& side,
                           const char* verb) {
    const HostBuffer* buffer = known_buffer(call, pointer.address);
    if (buffer == nullptr || side.span <= buffer->end - pointer.address) {
        return;
    }
    std::string first_line = transfer_text(call, side) + " " + verb + " past the end of the host " +
                             "buffer \"" + buffer->name + "\", which has " +
                             bytes_text(buffer->end - buffer->begin) + ".";
    std::string details = "From the given address " + bytes_text(buffer->end - pointer.address) +
                          " are left; the copy spans " + bytes_text(side.span) + ".";
    if (side.pitch != 0) {
        details += " A packed host array has a pitch of width times element size.";
    }
    call.add_misuse(misuse_of(MisuseKind::copy_host_overrun, pointer, first_line, details),
                    Stands::always);
}

/// True when the side was diagnosed as a pointer that cannot be meant.
bool diagnose_transfer_pointer(Call& call, const ClassifiedPointer& pointer,
                               const TransferSide& side, Side which) {
    std::string role = which == Side::destination ? "The destination" : "The source";
    if (pointer.place == Place::null || pointer.place == Place::never_seen) {
        diagnose_bad_transfer_pointer(call, pointer, MisuseKind::copy_bad_pointer, role);
        return true;
    }
    if (is_freed(pointer.place)) {
        diagnose_freed_transfer(call, pointer, MisuseKind::copy_freed, role);
        return true;
    }
    const char* verb = which == Side::destination ? "writes" : "reads";
    if (is_plain_host(pointer.place)) {
        diagnose_host_overrun(call, pointer, side, verb);
        return false;
    }
    AllocationRecord block = allocation_of(call, pointer);
    if (block.family == Family::array && block.id != 0) {
        call.add_misuse(misuse_of(MisuseKind::copy_bad_pointer, pointer,
                                  role + " of this " + call.name() +
                                      " is the handle of an array, not a memory address."),
                        Stands::if_refused);
        return true;
    }
    diagnose_bounds(call, pointer, side, MisuseKind::copy_out_of_bounds, verb);
    return false;
}

bool wants_device(int kind, Side side) {
    return kind == cudaMemcpyDeviceToDevice ||
           kind == (side == Side::destination ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

bool wants_host(int kind, Side side) {
    return kind == cudaMemcpyHostToHost ||
           kind == (side == Side::destination ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}

/// Where a side of a copy really lies.
enum class Lies : std::uint8_t { on_host, on_device, either };

Lies where(Call& call, const ClassifiedPointer& pointer) {
    if (is_plain_host(pointer.place)) {
        return Lies::on_host;
    }
    if (!is_live(pointer.place)) {
        return Lies::either;
    }
    AllocationRecord block = allocation_of(call, pointer);
    if (block.id == 0 || block.family == Family::managed || block.family == Family::array) {
        return Lies::either;
    }
    return on_device(block.family) ? Lies::on_device : Lies::on_host;
}

bool contradicts(int kind, Side side, Lies lies) {
    return (wants_device(kind, side) && lies == Lies::on_host) ||
           (wants_host(kind, side) && lies == Lies::on_device);
}

/// A device pointer was expected and the variable that holds one was given: &p instead of p.
bool diagnose_variable_instead(Call& call, const ClassifiedPointer& pointer, Side side) {
    if (!is_plain_host(pointer.place) || !wants_device(call.transfer().kind, side)) {
        return false;
    }
    const IndexedBlock* named = call.state().ledger.block_named_at(pointer.address);
    if (named == nullptr || !on_device(named->family)) {
        return false;
    }
    Misuse misuse = misuse_of(MisuseKind::copy_bad_pointer, pointer,
                              std::string("The ") + side_text(side) + " of this " + call.name() +
                                  " is the address of a pointer variable, not the address stored "
                                  "in it: drop the &.");
    misuse.allocation = named->id;
    call.add_misuse(misuse, Stands::if_refused);
    return true;
}

std::string lies_text(const char* role, Lies lies) {
    return std::string("its ") + role + " lies on the " +
           (lies == Lies::on_host ? "host" : "device");
}

void diagnose_direction(Call& call) {
    int kind = call.transfer().kind;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        call.add_misuse(misuse_of(MisuseKind::copy_wrong_direction, call.record().pointers[0],
                                  call.name() +
                                      " was given a direction that does "
                                      "not exist (" +
                                      std::to_string(kind) + ")."),
                        Stands::if_refused);
        return;
    }
    const CallRecord& record = call.record();
    bool has_both = call.transfer().destination.is_memory && call.transfer().source.is_memory;
    Lies destination =
        call.transfer().destination.is_memory ? where(call, record.pointers[0]) : Lies::either;
    Lies source = call.transfer().source.is_memory ? where(call, record.pointers[1]) : Lies::either;
    bool wrong_destination = contradicts(kind, Side::destination, destination);
    bool wrong_source = contradicts(kind, Side::source, source);
    if (!wrong_destination && !wrong_source) {
        return;
    }
    std::string text = call.name() + " says " + copy_kind_name(kind) + ", but ";
    if (wrong_destination) {
        text += lies_text("destination", destination);
    }
    if (wrong_source) {
        text += (wrong_destination ? " and " : "") + lies_text("source", source);
    }
    bool both = has_both && wrong_destination && wrong_source;
    const ClassifiedPointer& pointer = record.pointers[wrong_destination ? 0 : 1];
    call.add_misuse(misuse_of(MisuseKind::copy_wrong_direction, pointer, text + "."),
                    both ? Stands::always : Stands::if_refused);
}

/// True when a pitch is smaller than the rows that it should hold.
bool diagnose_pitch(Call& call, const TransferSide& side, const ClassifiedPointer& pointer,
                    Side which) {
    const Transfer& transfer = call.transfer();
    if (side.pitch >= transfer.row_bytes || transfer.rows == 0) {
        return false;
    }
    std::string first_line = std::string("The ") + side_text(which) + " pitch of this " +
                             call.name() + " is " + bytes_text(side.pitch) +
                             ", smaller than its rows of " + bytes_text(transfer.row_bytes) + ".";
    std::string details;
    if (side.pitch != 0 && transfer.row_bytes % side.pitch == 0) {
        details = "The row is " + std::to_string(transfer.row_bytes / side.pitch) +
                  " times as long: is the pitch given in elements? It counts bytes.";
    }
    call.add_misuse(misuse_of(MisuseKind::copy_bad_pitch, pointer, first_line, details),
                    Stands::if_refused);
    return true;
}

}  // namespace

void diagnose_release(Call& call) {
    const ClassifiedPointer pointer = call.record().pointers[0];
    switch (pointer.place) {
        case Place::null:
        case Place::unknown:
            return;
        case Place::base:
            diagnose_live_base(call, pointer);
            return;
        case Place::freed_base:
            diagnose_freed_base(call, pointer);
            return;
        case Place::interior:
        case Place::past_the_end:
        case Place::freed:
            diagnose_interior(call, pointer);
            return;
        case Place::host_stack:
        case Place::host_data:
        case Place::host_heap:
            diagnose_host_release(call, pointer);
            return;
        case Place::padding:
        case Place::never_seen:
            call.add_misuse(
                misuse_of(
                    MisuseKind::free_unknown, pointer,
                    call.name() + " was given an address that no call of the runtime handed out."),
                Stands::if_refused);
            return;
    }
}

void diagnose_copy(Call& call) {
    const Transfer& transfer = call.transfer();
    const ClassifiedPointer destination = call.record().pointers[0];
    const ClassifiedPointer source = call.record().pointers[1];
    bool copies_nothing = transfer.destination.span == 0 && transfer.source.span == 0;
    if (copies_nothing) {
        return;
    }
    const TransferSide& to = transfer.destination;
    const TransferSide& from = transfer.source;
    if ((to.is_memory && to.pitch < transfer.row_bytes &&
         diagnose_pitch(call, to, destination, Side::destination)) ||
        (from.is_memory && from.pitch < transfer.row_bytes &&
         diagnose_pitch(call, from, source, Side::source))) {
        return;
    }
    if ((to.is_memory && diagnose_variable_instead(call, destination, Side::destination)) ||
        (from.is_memory && diagnose_variable_instead(call, source, Side::source))) {
        return;
    }
    bool bad_destination =
        to.is_memory && diagnose_transfer_pointer(call, destination, to, Side::destination);
    bool bad_source = from.is_memory && diagnose_transfer_pointer(call, source, from, Side::source);
    if (!bad_destination && !bad_source) {
        diagnose_direction(call);
    }
}

void diagnose_set(Call& call) {
    const TransferSide& to = call.transfer().destination;
    const ClassifiedPointer pointer = call.record().pointers[0];
    if (to.span == 0) {
        return;
    }
    if (to.pitch != 0 && diagnose_pitch(call, to, pointer, Side::destination)) {
        return;
    }
    if (pointer.place == Place::null || pointer.place == Place::never_seen) {
        diagnose_bad_transfer_pointer(call, pointer, MisuseKind::set_bad_pointer, "The target");
        return;
    }
    if (is_freed(pointer.place)) {
        diagnose_freed_transfer(call, pointer, MisuseKind::set_bad_pointer, "The target");
        return;
    }
    if (!is_plain_host(pointer.place)) {
        diagnose_bounds(call, pointer, to, MisuseKind::set_out_of_bounds, "writes");
        return;
    }
    bool is_variable = call.state().ledger.block_named_at(pointer.address) != nullptr;
    std::string what = is_variable ? " is the address of a pointer variable, not the address "
                                     "stored in it: drop the &."
                                   : std::string(" is ") + host_place_text(pointer.place) +
                                         "; it sets device memory.";
    call.add_misuse(misuse_of(MisuseKind::set_bad_pointer, pointer,
                              std::string("The target of this ") + call.name() + what),
                    Stands::if_refused);
}

void diagnose_destination(Call& call, const ClassifiedPointer& out) {
    std::string name = call.name();
    std::string first_line;
    if (out.address == 0) {
        return;
    }
    if (out.allocation != 0) {
        first_line = name +
                     " was told to store its result in device memory; the runtime stores it "
                     "from the host, so it needs a host variable.";
    } else {
        first_line = name + " was told to store its result at " + hexadecimal(out.address) +
                     ", where there is no memory that can be written: the value of a pointer was "
                     "passed, not the address of the variable.";
    }
    call.add_misuse(misuse_of(MisuseKind::bad_destination, out, first_line,
                              "The call was not made; without the grader it would have crashed."),
                    Stands::always);
}

void diagnose_dead_handle(Call& call, const HandleRecord& handle) {
    const std::string article = handle.kind == HandleKind::event ? "an " : "a ";
    Misuse misuse;
    misuse.kind = MisuseKind::dead_handle;
    misuse.address = handle.handle;
    misuse.other_call = handle.destroyed_by;
    set_text(misuse.first_line, call.name() + " was given " + article + handle_name(handle.kind) +
                                    " that had been destroyed before.");
    call.add_misuse(misuse, Stands::always);
}

void diagnose_unrecorded_event(Call& call, const HandleRecord& event) {
    Action action = call.traits().action;
    if (action != Action::wait_event && action != Action::synchronise_event &&
        action != Action::measure_events) {
        return;
    }
    const char* effect = action == Action::measure_events
                             ? "; there is no time to measure."
                             : "; such a wait returns at once and orders nothing.";
    Misuse misuse;
    misuse.kind = MisuseKind::unrecorded_event;
    misuse.address = event.handle;
    misuse.other_call = event.made_by;
    set_text(misuse.first_line,
             call.name() + " was given an event that was never recorded" + effect);
    call.add_misuse(misuse, Stands::always);
}

void diagnose_work_after_sticky(Call& call) {
    RuntimeState& state = call.state();
    if (state.sticky_reported.exchange(true)) {
        return;
    }
    Misuse misuse;
    misuse.kind = MisuseKind::work_after_sticky;
    misuse.other_call = state.sticky_seen_in;
    auto code = static_cast<cudaError_t>(state.sticky_seen.load());
    set_text(misuse.first_line, call.name() + " starts new work after the program was told of " +
                                    error_name(code) +
                                    "; after that code no later call can succeed.");
    call.add_misuse(misuse, Stands::always);
}

}  // namespace vram::runtime
