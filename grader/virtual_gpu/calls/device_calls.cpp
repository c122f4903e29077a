// The device as a whole: which there are, what they can do, waiting for it, resetting it.

#include <cstdio>
#include <cstring>

#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/clock/cost_table.h"
#include "grader/virtual_gpu/control.h"
#include "grader/virtual_gpu/device_properties.h"
#include "grader/virtual_gpu/memory/device_heap.h"
#include "grader/virtual_gpu/modules/kernel_table.h"

// As in cuda_profiler_api.h, which not every toolkit brings.
extern "C" cudaError_t CUDARTAPI cudaProfilerStart(void);
extern "C" cudaError_t CUDARTAPI cudaProfilerStop(void);

namespace vram::virtual_gpu {
namespace {

constexpr int the_device = 0;
constexpr int h200_capability = 90;
constexpr const char* bus_id = "0000:01:00.0";

/// Settings that programs set and read back; nothing here depends on them.
struct Settings {
    unsigned flags = 0;
    cudaFuncCache cache = cudaFuncCachePreferNone;
    std::size_t stack_bytes = 1024;
    std::size_t printf_bytes = 8650752;
    std::size_t persisting_l2_bytes = 11796480;
    std::size_t fetch_granularity = 64;
    std::size_t pending_launches = 2048;
};

Settings& settings() {
    static Settings instance;
    return instance;
}

int capability() {
    const int of_module = module_compute_capability();
    return of_module ? of_module : h200_capability;
}

std::size_t* limit_of(cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize:
            return &settings().stack_bytes;
        case cudaLimitPrintfFifoSize:
            return &settings().printf_bytes;
        case cudaLimitMaxL2FetchGranularity:
            return &settings().fetch_granularity;
        case cudaLimitPersistingL2CacheSize:
            return &settings().persisting_l2_bytes;
        case cudaLimitDevRuntimePendingLaunchCount:
            return &settings().pending_launches;
        default:
            return nullptr;
    }
}

/// At most one way of waiting.
bool valid_flags(unsigned flags) {
    constexpr unsigned known = cudaDeviceMask;
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    return !(flags & ~known) && (schedule & (schedule - 1)) == 0;
}

bool valid_cache_config(cudaFuncCache config) {
    return config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual;
}

bool known_limit(cudaLimit limit) {
    return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
}

int runtime_version() {
    return CUDART_VERSION;
}

}  // namespace

int compute_capability_times_ten() {
    const std::lock_guard lock(card_mutex());
    return capability();
}

VIRTUAL_CALL(cudaError_t, cudaDeviceSynchronize, void) {
    CallScope call(cost::synchronise);
    if (call.refused())
        return call.refused();
    call.card().scheduler.wait_for_everything();
    return outcome(call.card());
}

VIRTUAL_CALL(cudaError_t, cudaDeviceReset, void) {
    const std::lock_guard lock(card_mutex());
    if (in_host_function())
        return cudaErrorNotPermitted;
    Card& device = card();
    if (device.scheduler.sticky_error() != 0 || device.unavailable) {
        // As measured: the reset succeeds, but the process never gets the device back.
        device.scheduler.set_sticky_error(0);
        device.unavailable = true;
        return cudaSuccess;
    }
    device.scheduler.run_everything();
    device_heap().forget();
    device.reset_contents();
    forget_variables();
    settings() = Settings{};
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaGetDeviceCount, int* count) {
    if (!count)
        return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaGetDevice, int* device) {
    if (!device)
        return cudaErrorInvalidValue;
    *device = the_device;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaSetDevice, int device) {
    CallScope call;
    if (device != the_device)
        return cudaErrorInvalidDevice;
    return call.refused_outright();
}

VIRTUAL_CALL(cudaError_t, cudaInitDevice, int device, unsigned int, unsigned int) {
    CallScope call;
    if (call.refused())
        return call.refused();
    return device == the_device ? cudaSuccess : cudaErrorInvalidDevice;
}

VIRTUAL_CALL(cudaError_t, cudaSetValidDevices, int* devices, int count) {
    if (count < 0 || (count > 0 && !devices))
        return cudaErrorInvalidValue;
    for (int i = 0; i < count; ++i)
        if (devices[i] != the_device)
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaChooseDevice, int* device, const cudaDeviceProp* wanted) {
    if (!device || !wanted)
        return cudaErrorInvalidValue;
    *device = the_device;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaSetDeviceFlags, unsigned int flags) {
    const std::lock_guard lock(card_mutex());
    if (!valid_flags(flags))
        return cudaErrorInvalidValue;
    settings().flags = flags;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaGetDeviceFlags, unsigned int* flags) {
    const std::lock_guard lock(card_mutex());
    if (!flags)
        return cudaErrorInvalidValue;
    *flags = settings().flags | cudaDeviceMapHost;
    return cudaSuccess;
}

// CUDA 12 exports this call under a second name.
static cudaError_t properties_of(cudaDeviceProp* properties, int device) {
    const std::lock_guard lock(card_mutex());
    if (!properties)
        return cudaErrorInvalidValue;
    if (device != the_device)
        return cudaErrorInvalidDevice;
    *properties = device_properties(card().capacity(), capability());
    return cudaSuccess;
}

VIRTUAL_HIDDEN_CALL(cudaError_t, cudaGetDeviceProperties, cudaDeviceProp* properties, int device) {
    return properties_of(properties, device);
}

VIRTUAL_HIDDEN_CALL(cudaError_t, cudaGetDeviceProperties_v2, cudaDeviceProp* properties,
                    int device) {
    return properties_of(properties, device);
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetAttribute, int* value, cudaDeviceAttr attribute,
             int device) {
    const std::lock_guard lock(card_mutex());
    if (!value)
        return cudaErrorInvalidValue;
    if (device != the_device)
        return cudaErrorInvalidDevice;
    const auto found =
        device_attribute(attribute, device_properties(card().capacity(), capability()));
    if (!found)
        return cudaErrorInvalidValue;
    *value = *found;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetPCIBusId, char* text, int length, int device) {
    if (!text || length <= 0)
        return cudaErrorInvalidValue;
    if (device != the_device)
        return cudaErrorInvalidDevice;
    if (static_cast<std::size_t>(length) <= std::strlen(bus_id))
        return cudaErrorInvalidValue;
    std::snprintf(text, static_cast<std::size_t>(length), "%s", bus_id);
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetByPCIBusId, int* device, const char* text) {
    if (!device || !text)
        return cudaErrorInvalidValue;
    if (std::strcmp(text, bus_id) != 0)
        return cudaErrorInvalidValue;
    *device = the_device;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceCanAccessPeer, int* can_access, int device, int peer) {
    if (!can_access)
        return cudaErrorInvalidValue;
    if (device != the_device || peer != the_device)
        return cudaErrorInvalidDevice;
    *can_access = 0;
    return cudaSuccess;
}

// There is no other device.
VIRTUAL_CALL(cudaError_t, cudaDeviceEnablePeerAccess, int device, unsigned int) {
    return device == the_device ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceDisablePeerAccess, int device) {
    return device == the_device ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetStreamPriorityRange, int* lowest, int* highest) {
    CallScope call;
    if (call.refused())
        return call.refused();
    constexpr int highest_priority = -5;
    if (lowest)
        *lowest = 0;
    if (highest)
        *highest = highest_priority;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetLimit, size_t* value, cudaLimit limit) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const std::size_t* stored = limit_of(limit);
    if (!value || !known_limit(limit))
        return cudaErrorInvalidValue;
    if (limit == cudaLimitMallocHeapSize) {
        *value = device_heap().limit();
        return cudaSuccess;
    }
    if (!stored)
        return cudaErrorUnsupportedLimit;
    *value = *stored;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceSetLimit, cudaLimit limit, size_t value) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (limit == cudaLimitMallocHeapSize)
        return device_heap().set_limit(value) ? cudaSuccess : cudaErrorInvalidValue;
    std::size_t* stored = limit_of(limit);
    if (!known_limit(limit))
        return cudaErrorInvalidValue;
    if (!stored)
        return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitStackSize) {
        constexpr std::size_t most_local_bytes = std::size_t{512} << 10;
        constexpr std::size_t stack_step = 16;
        if (value > most_local_bytes)
            return cudaErrorInvalidValue;
        value = (value + stack_step - 1) / stack_step * stack_step;
    }
    *stored = value;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceGetCacheConfig, cudaFuncCache* config) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!config)
        return cudaErrorInvalidValue;
    *config = settings().cache;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDeviceSetCacheConfig, cudaFuncCache config) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!valid_cache_config(config))
        return cudaErrorInvalidValue;
    settings().cache = config;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaCtxResetPersistingL2Cache, void) {
    CallScope call;
    return call.refused();
}

VIRTUAL_CALL(cudaError_t, cudaRuntimeGetVersion, int* version) {
    if (!version)
        return cudaErrorInvalidValue;
    *version = runtime_version();
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaDriverGetVersion, int* version) {
    if (!version)
        return cudaErrorInvalidValue;
    *version = runtime_version();
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaProfilerStart, void) {
    CallScope call;
    return call.refused();
}

VIRTUAL_CALL(cudaError_t, cudaProfilerStop, void) {
    CallScope call;
    return call.refused();
}

VIRTUAL_CALL(cudaChannelFormatDesc, cudaCreateChannelDesc, int x, int y, int z, int w,
             cudaChannelFormatKind kind) {
    return cudaChannelFormatDesc{x, y, z, w, kind};
}

// ---- hints about managed memory, which lies where every side reaches it

VIRTUAL_CALL(cudaError_t, cudaMemAdvise, const void* pointer, size_t bytes, cudaMemoryAdvise,
             cudaMemLocation) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const Block* block = call.card().space.find_live(address);
    const bool fits =
        block && block->kind == MemoryKind::managed && bytes > 0 && bytes <= block->end - address;
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

VIRTUAL_STREAM_CALL(cudaMemPrefetchAsync, _ptsz,
                    (const void* pointer, size_t bytes, cudaMemLocation location,
                     unsigned int flags, cudaStream_t stream),
                    (pointer, bytes, location, flags, stream)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const Block* block = call.card().space.find_live(address);
    const bool fits = block && block->kind == MemoryKind::managed && bytes > 0 &&
                      bytes <= block->end - address && flags == 0;
    if (!stream_of(call.card(), stream))
        return cudaErrorInvalidResourceHandle;
    if (location.type == cudaMemLocationTypeDevice && location.id != the_device)
        return cudaErrorInvalidDevice;
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace vram::virtual_gpu
