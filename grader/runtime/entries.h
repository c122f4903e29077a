// The runtime's calls by index, and what each of them does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grader/runtime/records.h"

namespace vram::runtime {

constexpr std::size_t max_entries = 1024;

/// How many functions the installed runtime exports.
std::size_t entry_count();
/// The entry of a name; max_entries when the installed runtime has no such function.
std::size_t find_entry(const char* name);

/// What a call does, and with it the meaning of its arguments.
enum class Action : std::uint8_t {
    plain,               ///< nothing that the ledger keeps more of than the call itself
    allocate,            ///< (void** out, bytes, ...)
    allocate_pitched,    ///< (void** out, size_t* pitch, width, height)
    allocate_3d,         ///< (cudaPitchedPtr* out, extent)
    allocate_array,      ///< (cudaArray_t* out, ...)
    register_host,       ///< (void* begin, bytes, flags)
    release,             ///< (void* begin, ...)
    copy,                ///< (destination, source, bytes, kind, ...)
    copy_peer,           ///< (destination, device, source, device, bytes, ...)
    copy_2d,             ///< (destination, pitch, source, pitch, width, height, kind, ...)
    copy_3d,             ///< (cudaMemcpy3DParms*, ...)
    copy_to_array,       ///< (array, x, y, source, pitch, width, height, kind, ...)
    copy_from_array,     ///< (destination, pitch, array, x, y, width, height, kind, ...)
    copy_to_symbol,      ///< (symbol, source, bytes, offset, kind, ...)
    copy_from_symbol,    ///< (destination, symbol, bytes, offset, kind, ...)
    set,                 ///< (destination, value, bytes, ...)
    set_2d,              ///< (destination, pitch, value, width, height, ...)
    set_3d,              ///< (cudaPitchedPtr, value, extent, ...)
    launch,              ///< (function, grid, block, arguments, shared bytes, stream)
    enqueue,             ///< other work for a stream
    create,              ///< (handle* out, ...): a stream, event or pool
    destroy,             ///< (handle)
    record_event,        ///< (event, stream, ...)
    wait_event,          ///< (stream, event, ...)
    synchronise_event,   ///< (event)
    measure_events,      ///< (float* out, start, end)
    synchronise_stream,  ///< (stream)
    synchronise_device,  ///< ()
    reset_device,        ///< ()
    query,               ///< (stream or event): may return cudaErrorNotReady
    inspect_pointer,     ///< (attributes* out, pointer)
    foreign_memory,      ///< hands out addresses that the ledger does not know
    get_last_error,      ///< () reads and clears the slot
    peek_last_error,     ///< () reads the slot
};

struct Traits {
    Action action = Action::plain;
    Family family = Family::device;          ///< of what an allocating call makes
    HandleKind handle = HandleKind::stream;  ///< of what a creating call makes
    bool not_supported = false;              ///< its documentation lists cudaErrorNotSupported
    bool hooked = false;
};

const Traits& traits_of(Entry entry);

/// True for calls that give the device or a stream something to do, or take memory.
bool starts_work(Action action);
/// True for calls whose first argument receives something new, and so must not be null.
bool makes_something(Action action);
/// True for codes after which no later call of the process can succeed.
bool is_sticky_code(cudaError_t error);
/// "cudaErrorInvalidValue", or "error 1234" for a code that the runtime cannot name.
const char* error_name(cudaError_t error);

}  // namespace vram::runtime
