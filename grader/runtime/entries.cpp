// Graded programs link this file too: it depends on nothing but the generated names.
#include "grader/runtime/entries.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "grader/runtime/session.h"

namespace vram::runtime {
namespace {

constexpr const char* names[] = {
#include "entry_names.inc"
};
static_assert(std::size(names) <= max_entries);

struct NamedTraits {
    std::string_view name;
    Traits traits;
};

constexpr Traits makes(Action action, Family family, bool not_supported = false) {
    return {action, family, HandleKind::stream, not_supported};
}

constexpr Traits creates(HandleKind handle, bool not_supported = false) {
    return {Action::create, Family::device, handle, not_supported};
}

constexpr Traits does(Action action) {
    return {action};
}

// Calls that are not listed are plain.
constexpr NamedTraits known_traits[] = {
    {"cudaMalloc", makes(Action::allocate, Family::device)},
    {"cudaMalloc3D", makes(Action::allocate_3d, Family::pitched)},
    {"cudaMallocPitch", makes(Action::allocate_pitched, Family::pitched)},
    {"cudaMallocManaged", makes(Action::allocate, Family::managed, true)},
    {"cudaMallocHost", makes(Action::allocate, Family::pinned)},
    {"cudaHostAlloc", makes(Action::allocate, Family::pinned)},
    {"cudaMallocAsync", makes(Action::allocate, Family::async, true)},
    {"cudaMallocFromPoolAsync", makes(Action::allocate, Family::async, true)},
    {"cudaMallocArray", makes(Action::allocate_array, Family::array)},
    {"cudaMalloc3DArray", makes(Action::allocate_array, Family::array)},
    {"cudaHostRegister", makes(Action::register_host, Family::registered, true)},
    {"cudaFree", makes(Action::release, Family::device)},
    {"cudaFreeAsync", makes(Action::release, Family::async, true)},
    {"cudaFreeHost", makes(Action::release, Family::pinned)},
    {"cudaHostUnregister", makes(Action::release, Family::registered)},
    {"cudaFreeArray", makes(Action::release, Family::array)},
    {"cudaMemcpy", does(Action::copy)},
    {"cudaMemcpyAsync", does(Action::copy)},
    {"cudaMemcpyPeer", does(Action::copy_peer)},
    {"cudaMemcpyPeerAsync", does(Action::copy_peer)},
    {"cudaMemcpy2D", does(Action::copy_2d)},
    {"cudaMemcpy2DAsync", does(Action::copy_2d)},
    {"cudaMemcpy3D", does(Action::copy_3d)},
    {"cudaMemcpy3DAsync", does(Action::copy_3d)},
    {"cudaMemcpy2DToArray", does(Action::copy_to_array)},
    {"cudaMemcpy2DToArrayAsync", does(Action::copy_to_array)},
    {"cudaMemcpy2DFromArray", does(Action::copy_from_array)},
    {"cudaMemcpy2DFromArrayAsync", does(Action::copy_from_array)},
    {"cudaMemcpy2DArrayToArray", does(Action::enqueue)},
    {"cudaMemcpyToSymbol", does(Action::copy_to_symbol)},
    {"cudaMemcpyToSymbolAsync", does(Action::copy_to_symbol)},
    {"cudaMemcpyFromSymbol", does(Action::copy_from_symbol)},
    {"cudaMemcpyFromSymbolAsync", does(Action::copy_from_symbol)},
    {"cudaMemset", does(Action::set)},
    {"cudaMemsetAsync", does(Action::set)},
    {"cudaMemset2D", does(Action::set_2d)},
    {"cudaMemset2DAsync", does(Action::set_2d)},
    {"cudaMemset3D", does(Action::set_3d)},
    {"cudaMemset3DAsync", does(Action::set_3d)},
    {"cudaStreamCreate", creates(HandleKind::stream)},
    {"cudaStreamCreateWithFlags", creates(HandleKind::stream)},
    {"cudaStreamCreateWithPriority", creates(HandleKind::stream)},
    {"cudaEventCreate", creates(HandleKind::event)},
    {"cudaEventCreateWithFlags", creates(HandleKind::event)},
    {"cudaMemPoolCreate", creates(HandleKind::pool, true)},
    {"cudaStreamDestroy", does(Action::destroy)},
    {"cudaEventDestroy", does(Action::destroy)},
    {"cudaMemPoolDestroy", does(Action::destroy)},
    {"cudaStreamSynchronize", does(Action::synchronise_stream)},
    {"cudaStreamQuery", does(Action::query)},
    {"cudaEventQuery", does(Action::query)},
    {"cudaStreamWaitEvent", does(Action::wait_event)},
    {"cudaStreamAddCallback", does(Action::enqueue)},
    {"cudaStreamAttachMemAsync", does(Action::enqueue)},
    {"cudaLaunchHostFunc", does(Action::enqueue)},
    {"cudaMemPrefetchAsync", does(Action::enqueue)},
    {"cudaEventRecord", does(Action::record_event)},
    {"cudaEventRecordWithFlags", does(Action::record_event)},
    {"cudaEventSynchronize", does(Action::synchronise_event)},
    {"cudaEventElapsedTime", does(Action::measure_events)},
    {"cudaEventElapsedTime_v2", does(Action::measure_events)},
    {"__cudaLaunchKernel", does(Action::launch)},
    {"cudaLaunchKernel", does(Action::launch)},
    {"cudaLaunchKernelExC", does(Action::launch)},
    {"cudaLaunchCooperativeKernel", does(Action::launch)},
    {"cudaDeviceSynchronize", does(Action::synchronise_device)},
    {"cudaDeviceReset", does(Action::reset_device)},
    {"cudaPointerGetAttributes", does(Action::inspect_pointer)},
    {"cudaHostGetDevicePointer", does(Action::plain)},
    {"cudaGetSymbolAddress", does(Action::foreign_memory)},
    {"cudaIpcOpenMemHandle", does(Action::foreign_memory)},
    {"cudaExternalMemoryGetMappedBuffer", does(Action::foreign_memory)},
    {"cudaGraphicsResourceGetMappedPointer", does(Action::foreign_memory)},
    {"cudaMemPoolImportPointer", does(Action::foreign_memory)},
    {"cudaLibraryGetGlobal", does(Action::foreign_memory)},
    {"cudaLibraryGetManaged", does(Action::foreign_memory)},
    {"cudaGraphAddMemAllocNode", does(Action::foreign_memory)},
    {"cudaGetDriverEntryPoint", does(Action::foreign_memory)},
    {"cudaGetDriverEntryPointByVersion", does(Action::foreign_memory)},
    {"cudaGetLastError", does(Action::get_last_error)},
    {"cudaPeekAtLastError", does(Action::peek_last_error)},
};

constexpr std::uint16_t hooked_entries[] = {
#define VRAM_HOOK(index, declared) index,
#include "hooked_entries.inc"
#undef VRAM_HOOK
};

std::string_view without_stream_suffix(std::string_view name) {
    for (std::string_view suffix : {"_ptsz", "_ptds"}) {
        if (name.ends_with(suffix)) {
            return name.substr(0, name.size() - suffix.size());
        }
    }
    return name;
}

std::array<Traits, max_entries> build_traits() {
    std::array<Traits, max_entries> table{};
    for (std::size_t entry = 0; entry < std::size(names); ++entry) {
        std::string_view name = without_stream_suffix(names[entry]);
        const auto* found = std::find_if(std::begin(known_traits), std::end(known_traits),
                                         [&](const NamedTraits& row) { return row.name == name; });
        if (found != std::end(known_traits)) {
            table[entry] = found->traits;
        }
    }
    for (std::uint16_t entry : hooked_entries) {
        table[entry].hooked = true;
    }
    return table;
}

bool makes_memory(Action action) {
    switch (action) {
        case Action::allocate:
        case Action::allocate_pitched:
        case Action::allocate_3d:
        case Action::allocate_array:
        case Action::register_host:
            return true;
        default:
            return false;
    }
}

bool is_copy(Action action) {
    return action >= Action::copy && action <= Action::copy_from_symbol;
}

bool takes_handle(Action action) {
    switch (action) {
        case Action::destroy:
        case Action::record_event:
        case Action::wait_event:
        case Action::synchronise_event:
        case Action::measure_events:
        case Action::synchronise_stream:
        case Action::query:
        case Action::enqueue:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::size_t entry_count() {
    return std::size(names);
}

std::size_t find_entry(const char* name) {
    const auto* found = std::lower_bound(
        std::begin(names), std::end(names), name,
        [](const char* left, const char* right) { return std::strcmp(left, right) < 0; });
    if (found == std::end(names) || std::strcmp(*found, name) != 0) {
        return max_entries;
    }
    return static_cast<std::size_t>(found - std::begin(names));
}

const char* entry_name(Entry entry) {
    return entry < std::size(names) ? names[entry] : "an unknown call";
}

Entry entry_of(const char* name) {
    std::size_t entry = find_entry(name);
    if (entry == max_entries) {
        std::fprintf(stderr, "vram: the CUDA runtime has no function %s\n", name);
        std::abort();
    }
    return static_cast<Entry>(entry);
}

const Traits& traits_of(Entry entry) {
    static const std::array<Traits, max_entries> table = build_traits();
    return table[entry % max_entries];
}

bool starts_work(Action action) {
    switch (action) {
        case Action::allocate:
        case Action::allocate_pitched:
        case Action::allocate_3d:
        case Action::allocate_array:
        case Action::register_host:
        case Action::set:
        case Action::set_2d:
        case Action::set_3d:
        case Action::launch:
        case Action::enqueue:
        case Action::create:
        case Action::record_event:
            return true;
        default:
            return is_copy(action);
    }
}

bool makes_something(Action action) {
    return (makes_memory(action) && action != Action::register_host) || action == Action::create;
}

bool is_sticky_code(cudaError_t error) {
    switch (error) {
        case cudaErrorECCUncorrectable:
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
            return true;
        default:
            return false;
    }
}

bool can_return(Entry entry, cudaError_t error) {
    const Traits& traits = traits_of(entry);
    Action action = traits.action;
    if (!traits.hooked || action == Action::get_last_error || action == Action::peek_last_error) {
        return false;
    }
    if (error == cudaErrorInitializationError || error == cudaErrorNoDevice) {
        return true;
    }
    if (is_sticky_code(error)) {
        return action != Action::plain;
    }
    switch (error) {
        case cudaErrorInvalidValue:
            return action != Action::synchronise_device && action != Action::reset_device;
        case cudaErrorMemoryAllocation:
            return makes_memory(action) || action == Action::create;
        case cudaErrorNotSupported:
            return traits.not_supported;
        case cudaErrorNotReady:
            return action == Action::query || action == Action::measure_events;
        case cudaErrorInvalidResourceHandle:
            return takes_handle(action);
        case cudaErrorInvalidMemcpyDirection:
            return is_copy(action);
        case cudaErrorInvalidPitchValue:
            return action == Action::copy_2d || action == Action::copy_3d ||
                   action == Action::copy_to_array || action == Action::copy_from_array;
        case cudaErrorInvalidSymbol:
            return action == Action::copy_to_symbol || action == Action::copy_from_symbol;
        case cudaErrorInvalidConfiguration:
        case cudaErrorLaunchOutOfResources:
        case cudaErrorInvalidDeviceFunction:
            return action == Action::launch;
        default:
            return false;
    }
}

bool allocates(Entry entry) {
    Action action = traits_of(entry).action;
    return action == Action::allocate || action == Action::allocate_pitched ||
           action == Action::allocate_3d || action == Action::allocate_array;
}

bool releases(Entry entry) {
    return traits_of(entry).action == Action::release;
}

bool is_launch(Entry entry) {
    return traits_of(entry).action == Action::launch;
}

bool waits_for_device(Entry entry) {
    Action action = traits_of(entry).action;
    return action == Action::synchronise_device || action == Action::synchronise_stream ||
           action == Action::synchronise_event;
}

const char* family_name(Family family) {
    switch (family) {
        case Family::device:
            return "cudaMalloc";
        case Family::pitched:
            return "cudaMallocPitch";
        case Family::async:
            return "cudaMallocAsync";
        case Family::managed:
            return "cudaMallocManaged";
        case Family::pinned:
            return "cudaMallocHost";
        case Family::registered:
            return "cudaHostRegister";
        case Family::array:
            return "cudaMallocArray";
        case Family::vmm:
            return "cuMemMap";
    }
    return "";
}

const char* releasing_call(Family family) {
    switch (family) {
        case Family::device:
        case Family::pitched:
        case Family::managed:
            return "cudaFree";
        case Family::async:
            return "cudaFreeAsync";
        case Family::pinned:
            return "cudaFreeHost";
        case Family::registered:
            return "cudaHostUnregister";
        case Family::array:
            return "cudaFreeArray";
        case Family::vmm:
            return "cuMemUnmap";
    }
    return "";
}

const char* place_name(Place place) {
    switch (place) {
        case Place::null:
            return "null";
        case Place::base:
            return "start of a block";
        case Place::interior:
            return "inside a block";
        case Place::past_the_end:
            return "one past the end of a block";
        case Place::padding:
            return "behind the end of a block";
        case Place::freed_base:
            return "start of a freed block";
        case Place::freed:
            return "inside a freed block";
        case Place::host_stack:
            return "host stack";
        case Place::host_data:
            return "host static storage";
        case Place::host_heap:
            return "host heap";
        case Place::unknown:
            return "unknown";
        case Place::never_seen:
            return "never handed out";
    }
    return "";
}

}  // namespace vram::runtime
