#include "grader/runtime/call.h"

#include <time.h>

#include <cstring>
#include <new>

#include "grader/runtime/call_sites.h"
#include "grader/runtime/describe.h"
#include "grader/runtime/diagnosis.h"
#include "grader/runtime/host_memory.h"
#include "grader/runtime/session.h"
#include "grader/runtime/sides.h"

namespace vram::runtime {
namespace {

std::uint64_t host_clock() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

template <typename Value>
Value load(std::uint64_t address) {
    Value value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
}

bool may_write(std::uint64_t address, std::size_t bytes, std::uintptr_t stack_end) {
    auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    if (address >= here && address + bytes <= stack_end) {
        return true;
    }
    return is_writable(address, bytes);
}

void clear_side_error() {
    using GetLastError = cudaError_t (*)();
    static const auto get_last_error =
        reinterpret_cast<GetLastError>(side_function(find_entry("cudaGetLastError")));
    if (get_last_error != nullptr) {
        get_last_error();
    }
}

/// Bytes from the first byte of the first row to the last byte of the last row.
std::size_t pitched_span(std::size_t pitch, std::size_t width, std::size_t height) {
    return width == 0 || height == 0 ? 0 : (height - 1) * pitch + width;
}

int current_device() {
    using GetDevice = cudaError_t (*)(int*);
    static const auto get_device =
        reinterpret_cast<GetDevice>(side_function(find_entry("cudaGetDevice")));
    int device = 0;
    if (get_device == nullptr || get_device(&device) != cudaSuccess) {
        return 0;
    }
    return device;
}

}  // namespace

Call::Call(Entry entry, ThreadState& thread, const void* frame)
    : state_(runtime_state()),
      thread_(thread),
      traits_(traits_of(entry)),
      learner_(state_.in_learner.load(std::memory_order_relaxed)),
      recording_(state_.recording.load(std::memory_order_relaxed)) {
    CallNumber number = state_.ledger.next_number();
    place_ = recording_ ? &state_.ledger.call_place(number) : nullptr;
    record_ = new (recording_ ? static_cast<void*>(&place_->record) : local_) CallRecord();
    record_->number = number;
    record_->entry = entry;
    record_->by_harness = !learner_;
    record_->thread = thread.number;
    thread_.inside = true;
    thread_.current_call = number;
    if (learner_) {
        state_.ledger.count(entry);
    }
    if (recording_) {
        if (traits_.action == Action::launch && thread_.launch_is_placed) {
            std::memcpy(record_->frames, thread_.push_frames, sizeof record_->frames);
        } else {
            walk_frames(frame, thread_.stack_end, record_->frames);
        }
    }
    if (traits_.action == Action::launch) {
        thread_.launch_is_placed = false;
    }
}

std::string Call::name() const {
    return call_name(*record_);
}

void Call::add_argument(std::uint64_t value) {
    if (record_->argument_count < max_arguments) {
        record_->arguments[record_->argument_count++] = value;
    }
}

void Call::add_out_parameter(std::uint64_t address, std::size_t bytes) {
    if (out_count_ < max_out_parameters) {
        outs_[out_count_++] = {address, bytes};
    }
}

void Call::add_handle(HandleKind kind, std::uint64_t handle) {
    constexpr std::uint64_t last_built_in = 2;  // null, cudaStreamLegacy, cudaStreamPerThread
    if (handle > last_built_in && handle_count_ < 2) {
        handles_[handle_count_++] = {kind, handle};
    }
}

void Call::add_misuse(const Misuse& misuse, Stands stands) {
    if (misuse_count_ == max_call_misuses) {
        return;
    }
    Misuse complete = misuse;
    complete.call = record_->number;
    misuses_[misuse_count_] = state_.ledger.add_misuse(complete);
    stands_[misuse_count_++] = stands;
}

void Call::fill_transfer() {
    const std::uint64_t* args = record_->arguments;
    Transfer& t = transfer_;
    switch (traits_.action) {
        case Action::copy:
            t.destination = {args[0], args[2], 0, true};
            t.source = {args[1], args[2], 0, true};
            t.kind = static_cast<int>(args[3]);
            break;
        case Action::copy_peer:
            t.destination = {args[0], args[4], 0, true};
            t.source = {args[2], args[4], 0, true};
            t.kind = cudaMemcpyDeviceToDevice;
            break;
        case Action::copy_2d:
            t.row_bytes = args[4];
            t.rows = args[5];
            t.destination = {args[0], pitched_span(args[1], args[4], args[5]), args[1], true};
            t.source = {args[2], pitched_span(args[3], args[4], args[5]), args[3], true};
            t.kind = static_cast<int>(args[6]);
            break;
        case Action::copy_to_array:
            t.row_bytes = args[5];
            t.rows = args[6];
            t.source = {args[3], pitched_span(args[4], args[5], args[6]), args[4], true};
            t.kind = static_cast<int>(args[7]);
            break;
        case Action::copy_from_array:
            t.row_bytes = args[5];
            t.rows = args[6];
            t.destination = {args[0], pitched_span(args[1], args[5], args[6]), args[1], true};
            t.kind = static_cast<int>(args[7]);
            break;
        case Action::copy_to_symbol:
            t.source = {args[1], args[2], 0, true};
            t.kind = static_cast<int>(args[4]);
            break;
        case Action::copy_from_symbol:
            t.destination = {args[0], args[2], 0, true};
            t.kind = static_cast<int>(args[4]);
            break;
        case Action::set:
            t.destination = {args[0], args[2], 0, true};
            break;
        case Action::set_2d:
            t.row_bytes = args[3];
            t.rows = args[4];
            t.destination = {args[0], pitched_span(args[1], args[3], args[4]), args[1], true};
            break;
        default:
            break;  // 3D transfers came with their shape
    }
}

void Call::classify_arguments() {
    Ledger& ledger = state_.ledger;
    switch (traits_.action) {
        case Action::release:
        case Action::register_host:
            record_->pointers[0] = ledger.classify(record_->arguments[0], thread_);
            break;
        case Action::inspect_pointer:
            record_->pointers[0] = ledger.classify(record_->arguments[1], thread_);
            break;
        default:
            if (transfer_.destination.is_memory) {
                record_->pointers[0] = ledger.classify(transfer_.destination.address, thread_);
            }
            if (transfer_.source.is_memory) {
                record_->pointers[1] = ledger.classify(transfer_.source.address, thread_);
            }
    }
    record_->allocation = record_->pointers[0].allocation;
}

std::size_t Call::bytes_asked_for() const {
    const std::uint64_t* args = record_->arguments;
    switch (traits_.action) {
        case Action::allocate:
        case Action::register_host:
            return args[1];
        case Action::allocate_pitched:
            return args[2] * args[3];
        case Action::allocate_3d:
            return args[1] * args[2] * args[3];
        default:
            return 0;
    }
}

bool Call::is_injected() {
    if (!learner_ || !state_.injector.active()) {
        return false;
    }
    auto error = state_.injector.decide(record_->entry, record_->number, bytes_asked_for());
    if (!error) {
        return false;
    }
    record_->injected = true;
    finish(*error);
    return true;
}

bool Call::has_bad_destination() {
    bool must_not_be_null = makes_something(traits_.action);
    for (int index = 0; index < out_count_; ++index) {
        const OutParameter& out = outs_[index];
        if (out.address == 0) {
            if (must_not_be_null) {
                return true;
            }
            continue;
        }
        if (may_write(out.address, out.bytes, thread_.stack_end)) {
            continue;
        }
        if (learner_) {
            std::lock_guard lock(state_.ledger.mutex());
            diagnose_destination(*this, state_.ledger.classify(out.address, thread_));
        }
        return true;
    }
    return false;
}

bool Call::check_handles() {
    for (int index = 0; index < handle_count_; ++index) {
        HandleRecord* handle = state_.ledger.handle(handles_[index].kind, handles_[index].handle);
        if (handle == nullptr) {
            continue;
        }
        if (!handle->live) {
            if (learner_) {
                diagnose_dead_handle(*this, *handle);
            }
            return true;
        }
        if (learner_ && handle->kind == HandleKind::event && !handle->recorded) {
            diagnose_unrecorded_event(*this, *handle);
        }
    }
    return false;
}

void Call::diagnose() {
    switch (traits_.action) {
        case Action::release:
            diagnose_release(*this);
            break;
        case Action::set:
        case Action::set_2d:
        case Action::set_3d:
            diagnose_set(*this);
            break;
        default:
            if (transfer_.destination.is_memory || transfer_.source.is_memory) {
                diagnose_copy(*this);
            }
    }
}

void Call::take_out() {
    Ledger& ledger = state_.ledger;
    if (traits_.action == Action::release) {
        if (const IndexedBlock* block = ledger.index().live_from(record_->arguments[0])) {
            released_ = *block;
            ledger.mark_freed(*released_, record_->number);
        }
    } else if (traits_.action == Action::destroy && handle_count_ > 0) {
        destroyed_ = ledger.mark_destroyed(handles_[0].kind, handles_[0].handle, record_->number);
    }
}

void Call::put_back() {
    std::lock_guard lock(state_.ledger.mutex());
    if (released_) {
        state_.ledger.revive(*released_);
    }
    if (destroyed_) {
        state_.ledger.revive_handle(*destroyed_);
    }
}

void Call::end_excused_registrations() {
    constexpr std::uint64_t page = 4096;  // the unit in which host memory is registered
    const std::uint64_t begin = record_->arguments[0] / page * page;
    const std::uint64_t end = record_->arguments[0] + record_->arguments[1] + page - 1;
    Ledger& ledger = state_.ledger;
    for (;;) {
        void* memory = nullptr;
        {
            std::lock_guard lock(ledger.mutex());
            const IndexedBlock* block = ledger.index().live_overlapping(begin, end / page * page);
            const AllocationRecord* record = block != nullptr ? ledger.record_of(*block) : nullptr;
            if (record == nullptr || record->family != Family::registered || !record->excused) {
                return;
            }
            memory = reinterpret_cast<void*>(record->base);
            ledger.mark_freed(*block, record_->number);
        }
        reinterpret_cast<cudaError_t (*)(void*)>(
            callable_side_function(entry_of("cudaHostUnregister")))(memory);
        clear_side_error();
    }
}

bool Call::begin() {
    fill_transfer();
    bool has_pointers = traits_.action == Action::release ||
                        traits_.action == Action::register_host ||
                        traits_.action == Action::inspect_pointer ||
                        transfer_.destination.is_memory || transfer_.source.is_memory;
    bool after_sticky = learner_ && state_.sticky_seen != 0 && starts_work(traits_.action);
    if (has_pointers || after_sticky) {
        std::lock_guard lock(state_.ledger.mutex());
        classify_arguments();
        if (after_sticky) {
            diagnose_work_after_sticky(*this);
        }
    }
    if (is_injected()) {
        return false;
    }
    if (out_count_ > 0 && has_bad_destination()) {
        finish(cudaErrorInvalidValue);
        return false;
    }
    if (traits_.action == Action::register_host) {
        end_excused_registrations();
    }
    bool dead_handle = false;
    if (has_pointers || handle_count_ > 0) {
        std::lock_guard lock(state_.ledger.mutex());
        dead_handle = check_handles();
        if (learner_ && has_pointers) {
            diagnose();
        }
        if (!dead_handle) {
            take_out();
        }
    }
    if (dead_handle) {
        finish(cudaErrorInvalidResourceHandle);
        return false;
    }
    if (recording_) {
        started_ = host_clock();
    }
    return true;
}

void Call::end(cudaError_t result) {
    if (recording_) {
        record_->host_nanoseconds = host_clock() - started_;
    }
    finish(result);
}

void Call::end_reading(cudaError_t result) {
    note_sticky(result);
    record_->result = result;
    record_->finished = true;
    if (place_ != nullptr) {
        place_->seal();
    }
    thread_.inside = false;
    thread_.current_call = 0;
}

void Call::finish(cudaError_t result) {
    record_->result = result;
    if (result == cudaSuccess) {
        book_success();
    } else {
        if (record_->injected) {
            book_injected();
        }
        if (released_ || destroyed_) {
            put_back();
        }
    }
    if (misuse_count_ > 0) {
        settle_misuses();
    }
    note_error(result);
    note_sticky(result);
    record_->finished = true;
    if (place_ != nullptr) {
        place_->seal();
    }
    thread_.inside = false;
    thread_.current_call = 0;
}

void Call::note_error(cudaError_t result) {
    if (result == cudaSuccess || result == cudaErrorNotReady) {
        return;
    }
    LastError& slot = learner_ ? thread_.last_error : thread_.harness_error;
    slot = {result, record_->number, record_->injected};
    if (!learner_ && !record_->injected) {
        clear_side_error();  // the program must not find an error of the checks there
    }
}

void Call::note_sticky(cudaError_t result) {
    // The stub of a launch throws its result away: the program has not seen it.
    bool seen = traits_.action != Action::launch;
    if (learner_ && seen && result != cudaSuccess && is_sticky_code(result) &&
        state_.sticky_seen == 0) {
        state_.sticky_seen_in = record_->number;
        state_.sticky_seen = result;
    }
}

void Call::settle_misuses() {
    std::lock_guard lock(state_.ledger.mutex());
    bool failed = record_->result != cudaSuccess;
    for (int index = 0; index < misuse_count_; ++index) {
        if (failed) {
            state_.ledger.mark_failed(misuses_[index]);
        } else if (stands_[index] == Stands::if_refused) {
            state_.ledger.withdraw(misuses_[index]);
        }
    }
}

void Call::book_success() {
    Ledger& ledger = state_.ledger;
    switch (traits_.action) {
        case Action::allocate:
        case Action::allocate_pitched:
        case Action::allocate_3d:
        case Action::allocate_array:
        case Action::register_host:
            book_allocation();
            break;
        case Action::create:
            book_creation();
            break;
        case Action::record_event: {
            std::lock_guard lock(ledger.mutex());
            if (HandleRecord* event = ledger.handle(HandleKind::event, record_->arguments[0])) {
                event->recorded = true;
                ledger.seal_handle(HandleKind::event, record_->arguments[0]);
            }
            break;
        }
        case Action::reset_device: {
            std::lock_guard lock(ledger.mutex());
            ledger.lose_everything(record_->number);
            state_.forget_sticky();
            break;
        }
        case Action::foreign_memory:
            ledger.expect_foreign_memory();
            break;
        default:
            break;
    }
}

void Call::book_allocation() {
    AllocationRecord made;
    const std::uint64_t* args = record_->arguments;
    made.family = traits_.family;
    made.by_harness = !learner_;
    made.bytes = bytes_asked_for();
    made.stream = record_->stream;
    made.made_by = record_->number;
    made.device = current_device();
    if (traits_.action == Action::register_host) {
        made.base = args[0];
    } else {
        made.base = load<std::uint64_t>(args[0]);
        made.destination = args[0];
        record_->handed_out = made.base;
    }
    if (made.base == 0) {
        return;  // a request for zero bytes hands out nothing
    }
    if (traits_.action == Action::allocate_pitched) {
        made.pitch = load<std::size_t>(args[1]);
        made.row_bytes = args[2];
        made.rows = args[3];
    } else if (traits_.action == Action::allocate_3d) {
        made.pitch = load<cudaPitchedPtr>(args[0]).pitch;
        made.row_bytes = args[1];
        made.rows = args[2] * args[3];
    }
    if (made.pitch != 0) {
        made.bytes = made.pitch * made.rows;
    }
    std::lock_guard lock(state_.ledger.mutex());
    if (made.destination != 0) {
        made.destination_place = state_.ledger.place_of_variable(made.destination, thread_);
    }
    record_->allocation = state_.ledger.add_allocation(made);
}

void Call::book_creation() {
    HandleRecord made;
    made.kind = traits_.handle;
    made.by_harness = !learner_;
    made.handle = load<std::uint64_t>(record_->arguments[0]);
    made.made_by = record_->number;
    record_->handed_out = made.handle;
    std::lock_guard lock(state_.ledger.mutex());
    state_.ledger.add_handle(made);
}

void Call::book_injected() {
    const CallRecord& call = *record_;
    if (traits_.action == Action::release && call.pointers[0].place == Place::base) {
        std::lock_guard lock(state_.ledger.mutex());
        if (const IndexedBlock* block = state_.ledger.index().live_from(call.arguments[0])) {
            state_.ledger.mark_excused(*block);
        }
    } else if (traits_.action == Action::destroy) {
        std::lock_guard lock(state_.ledger.mutex());
        HandleRecord* handle = state_.ledger.handle(handles_[0].kind, handles_[0].handle);
        if (handle != nullptr && handle->live) {
            handle->excused = true;
            state_.ledger.seal_handle(handles_[0].kind, handles_[0].handle);
        }
    } else if (waits_for_device(call.entry)) {
        // A wait that fails in earnest tells of work that is over: nothing is left in flight.
        reinterpret_cast<cudaError_t (*)()>(
            callable_side_function(entry_of("cudaDeviceSynchronize")))();
    } else if (allocates(call.entry) &&
               state_.injector.destination() == Injection::Destination::null) {
        std::uint64_t out = call.arguments[0];
        if (out != 0 && may_write(out, sizeof(void*), thread_.stack_end)) {
            *reinterpret_cast<void**>(out) = nullptr;
        }
    }
}

}  // namespace vram::runtime
