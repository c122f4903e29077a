// Registration by the host code of nvcc, launches, symbols, attributes of functions, occupancy.

#include <vector_types.h>

#include <algorithm>
#include <vector>

#include "grader/virtual_gpu/calls/copy.h"
#include "grader/virtual_gpu/calls/not_supported.h"
#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/modules/launch.h"

namespace vram::virtual_gpu {
namespace {

thread_local std::vector<LaunchConfiguration> pushed_configurations;

std::lock_guard<std::mutex> hold_card() {
    return std::lock_guard<std::mutex>(card_mutex());
}

cudaError_t launch_now(const void* function, const LaunchConfiguration& configuration,
                       void** arguments) {
    CallScope call;
    if (!find_kernel_entry(function))
        return cudaErrorInvalidDeviceFunction;
    if (call.refused())
        return call.refused();
    return launch(call.card(), function, configuration, arguments);
}

cudaError_t launch_with_attributes(const cudaLaunchConfig_t* config, const void* function,
                                   void** arguments) {
    if (!config)
        return cudaErrorInvalidValue;
    LaunchConfiguration configuration{config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                      config->stream, false};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative)
            configuration.cooperative = attribute.val.cooperative != 0;
        const auto& cluster = attribute.val.clusterDim;
        if (attribute.id == cudaLaunchAttributeClusterDimension &&
            cluster.x * cluster.y * cluster.z > 1)
            return not_supported("cudaLaunchKernelEx", "clusters of thread blocks");
    }
    return launch_now(function, configuration, arguments);
}

/// A prepared kernel by its symbol, or nullptr with the error to return.
KernelEntry* prepared(Card& card, const void* symbol, cudaError_t& error) {
    KernelEntry* entry = find_kernel_entry(symbol);
    error = entry ? prepare(card, *entry) : cudaErrorInvalidDeviceFunction;
    return error == cudaSuccess ? entry : nullptr;
}

Box symbol_box(const ptx::Variable& variable, std::size_t bytes, std::size_t offset) {
    return Box{variable.address + offset, bytes, 1, 1, bytes, bytes};
}

Box host_box(const void* pointer, std::size_t bytes) {
    return Box{reinterpret_cast<std::uint64_t>(pointer), bytes, 1, 1, bytes, bytes};
}

bool outside(const ptx::Variable& variable, std::size_t bytes, std::size_t offset) {
    return offset > variable.bytes || bytes > variable.bytes - offset;
}

cudaError_t copy_to_symbol(const void* symbol, const void* source, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                           Blocking blocking, const char* name) {
    CallScope call;
    cudaError_t error = cudaSuccess;
    const ptx::Variable* variable = find_variable(call.card(), symbol, error);
    if (!variable)
        return error;
    if (bytes == 0)  // as measured, even after a sticky error and past the end
        return cudaSuccess;
    if (call.refused())
        return call.refused();
    if (outside(*variable, bytes, offset))
        return cudaErrorInvalidValue;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    return copy(call.card(), symbol_box(*variable, bytes, offset), host_box(source, bytes), kind,
                stream, blocking, name);
}

cudaError_t copy_from_symbol(void* destination, const void* symbol, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                             Blocking blocking, const char* name) {
    CallScope call;
    cudaError_t error = cudaSuccess;
    const ptx::Variable* variable = find_variable(call.card(), symbol, error);
    if (!variable)
        return error;
    if (call.refused())
        return call.refused();
    if (outside(*variable, bytes, offset))
        return cudaErrorInvalidValue;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    return copy(call.card(), host_box(destination, bytes), symbol_box(*variable, bytes, offset),
                kind, stream, blocking, name);
}

cudaError_t occupancy(int* blocks, const void* function, int block_threads,
                      std::size_t dynamic_shared_bytes) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!blocks)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    const KernelEntry* entry = prepared(call.card(), function, error);
    if (!entry)
        return error;
    if (block_threads <= 0)
        return cudaErrorInvalidValue;
    *blocks =
        dynamic_shared_bytes > dynamic_shared_limit(*entry)
            ? 0
            : active_blocks(ptx::attributes(*entry->kernel), block_threads, dynamic_shared_bytes);
    return cudaSuccess;
}

cudaError_t handle_of(const void* symbol, void** handle) {
    const auto lock = hold_card();
    if (!handle)
        return cudaErrorInvalidValue;
    KernelEntry* entry = find_kernel_entry(symbol);
    if (!entry)
        return cudaErrorInvalidDeviceFunction;
    *handle = entry;
    return cudaSuccess;
}

}  // namespace

// ---- registration

VIRTUAL_HIDDEN_CALL(void**, __cudaRegisterFatBinary, void* wrapper) {
    const auto lock = hold_card();
    return reinterpret_cast<void**>(register_module(wrapper));
}

VIRTUAL_HIDDEN_CALL(void, __cudaRegisterFatBinaryEnd, void** handle) {
    const auto lock = hold_card();
    auto* module = reinterpret_cast<ModuleEntry*>(handle);
    // Host code may read managed variables without any call before.
    if (is_module(module) && module->has_managed)
        instantiate(card(), *module);
}

VIRTUAL_HIDDEN_CALL(void, __cudaUnregisterFatBinary, void** handle) {
    const auto lock = hold_card();
    auto* module = reinterpret_cast<ModuleEntry*>(handle);
    if (is_module(module))
        unregister_module(module);
}

VIRTUAL_HIDDEN_CALL(char, __cudaInitModule, void**) {
    return 1;
}

VIRTUAL_HIDDEN_CALL(void, __cudaRegisterFunction, void** handle, const char* host_function, char*,
                    const char* device_name, int, uint3*, uint3*, dim3*, dim3*, int*) {
    const auto lock = hold_card();
    register_kernel(reinterpret_cast<ModuleEntry*>(handle), host_function, device_name);
}

VIRTUAL_HIDDEN_CALL(void, __cudaRegisterVar, void** handle, char* host_variable, char*,
                    const char* device_name, int, size_t bytes, int, int) {
    const auto lock = hold_card();
    register_variable(
        {reinterpret_cast<ModuleEntry*>(handle), device_name, host_variable, bytes, false});
}

VIRTUAL_HIDDEN_CALL(void, __cudaRegisterManagedVar, void** handle, void** host_pointer, char*,
                    const char* device_name, int, size_t bytes, int, int) {
    const auto lock = hold_card();
    register_variable(
        {reinterpret_cast<ModuleEntry*>(handle), device_name, host_pointer, bytes, true});
}

// ---- launches

VIRTUAL_HIDDEN_CALL(unsigned, __cudaPushCallConfiguration, dim3 grid, dim3 block,
                    size_t dynamic_shared_bytes, cudaStream_t stream) {
    pushed_configurations.push_back({grid, block, dynamic_shared_bytes, stream, false});
    return 0;
}

VIRTUAL_HIDDEN_CALL(cudaError_t, __cudaPopCallConfiguration, dim3* grid, dim3* block,
                    size_t* dynamic_shared_bytes, void* stream) {
    if (pushed_configurations.empty())
        return cudaErrorMissingConfiguration;
    const LaunchConfiguration configuration = pushed_configurations.back();
    pushed_configurations.pop_back();
    *grid = configuration.grid;
    *block = configuration.block;
    *dynamic_shared_bytes = configuration.dynamic_shared_bytes;
    *static_cast<cudaStream_t*>(stream) = configuration.stream;
    return cudaSuccess;
}

VIRTUAL_HIDDEN_CALL(cudaError_t, __cudaGetKernel, cudaKernel_t* handle, const void* symbol) {
    return handle_of(symbol, reinterpret_cast<void**>(handle));
}

VIRTUAL_HIDDEN_CALL(cudaError_t, cudaGetKernel, cudaKernel_t* handle, const void* symbol) {
    return handle_of(symbol, reinterpret_cast<void**>(handle));
}

VIRTUAL_HIDDEN_CALL(cudaError_t, cudaGetFuncBySymbol, cudaFunction_t* handle, const void* symbol) {
    return handle_of(symbol, reinterpret_cast<void**>(handle));
}

VIRTUAL_HIDDEN_CALL(cudaError_t, __cudaLaunchKernel, cudaKernel_t kernel, dim3 grid, dim3 block,
                    void** arguments, size_t dynamic_shared_bytes, cudaStream_t stream) {
    return launch_now(kernel, {grid, block, dynamic_shared_bytes, stream, false}, arguments);
}

VIRTUAL_HIDDEN_CALL(cudaError_t, __cudaLaunchKernel_ptsz, cudaKernel_t kernel, dim3 grid,
                    dim3 block, void** arguments, size_t dynamic_shared_bytes,
                    cudaStream_t stream) {
    const PerThreadDefault per_thread;
    return launch_now(kernel, {grid, block, dynamic_shared_bytes, stream, false}, arguments);
}

VIRTUAL_STREAM_CALL(cudaLaunchKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** arguments,
                     size_t dynamic_shared_bytes, cudaStream_t stream),
                    (function, grid, block, arguments, dynamic_shared_bytes, stream)) {
    return launch_now(function, {grid, block, dynamic_shared_bytes, stream, false}, arguments);
}

VIRTUAL_STREAM_CALL(cudaLaunchCooperativeKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** arguments,
                     size_t dynamic_shared_bytes, cudaStream_t stream),
                    (function, grid, block, arguments, dynamic_shared_bytes, stream)) {
    return launch_now(function, {grid, block, dynamic_shared_bytes, stream, true}, arguments);
}

VIRTUAL_STREAM_CALL(cudaLaunchKernelExC, _ptsz,
                    (const cudaLaunchConfig_t* config, const void* function, void** arguments),
                    (config, function, arguments)) {
    return launch_with_attributes(config, function, arguments);
}

// ---- symbols

VIRTUAL_CALL(cudaError_t, cudaGetSymbolAddress, void** out, const void* symbol) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    if (const ptx::Variable* variable = find_variable(call.card(), symbol, error))
        *out = reinterpret_cast<void*>(variable->address);
    return error;
}

VIRTUAL_CALL(cudaError_t, cudaGetSymbolSize, size_t* bytes, const void* symbol) {
    CallScope call;
    if (!symbol)
        return cudaErrorInvalidSymbol;
    if (call.refused())
        return call.refused();
    if (!bytes)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    if (const ptx::Variable* variable = find_variable(call.card(), symbol, error))
        *bytes = variable->bytes;
    return error;
}

VIRTUAL_STREAM_CALL(cudaMemcpyToSymbol, _ptds,
                    (const void* symbol, const void* source, size_t count, size_t offset,
                     cudaMemcpyKind kind),
                    (symbol, source, count, offset, kind)) {
    return copy_to_symbol(symbol, source, count, offset, kind, nullptr, Blocking::yes,
                          "cudaMemcpyToSymbol");
}

VIRTUAL_STREAM_CALL(cudaMemcpyToSymbolAsync, _ptsz,
                    (const void* symbol, const void* source, size_t count, size_t offset,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (symbol, source, count, offset, kind, stream)) {
    return copy_to_symbol(symbol, source, count, offset, kind, stream, Blocking::no,
                          "cudaMemcpyToSymbolAsync");
}

VIRTUAL_STREAM_CALL(cudaMemcpyFromSymbol, _ptds,
                    (void* destination, const void* symbol, size_t count, size_t offset,
                     cudaMemcpyKind kind),
                    (destination, symbol, count, offset, kind)) {
    return copy_from_symbol(destination, symbol, count, offset, kind, nullptr, Blocking::yes,
                            "cudaMemcpyFromSymbol");
}

VIRTUAL_STREAM_CALL(cudaMemcpyFromSymbolAsync, _ptsz,
                    (void* destination, const void* symbol, size_t count, size_t offset,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (destination, symbol, count, offset, kind, stream)) {
    return copy_from_symbol(destination, symbol, count, offset, kind, stream, Blocking::no,
                            "cudaMemcpyFromSymbolAsync");
}

// ---- attributes of functions

VIRTUAL_CALL(cudaError_t, cudaFuncGetAttributes, cudaFuncAttributes* out, const void* function) {
    CallScope call;
    if (!out)
        return cudaErrorInvalidValue;
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    if (call.refused())
        return call.refused();
    cudaError_t error = cudaSuccess;
    const KernelEntry* entry = prepared(call.card(), function, error);
    if (!entry)
        return error;
    const ptx::KernelAttributes& attributes = ptx::attributes(*entry->kernel);
    const int capability = ptx::compute_capability(*entry->module->module);
    *out = cudaFuncAttributes{};
    out->sharedSizeBytes = attributes.static_shared_bytes;
    out->constSizeBytes = attributes.constant_bytes;
    out->localSizeBytes = attributes.local_bytes;
    out->maxThreadsPerBlock = attributes.max_threads_per_block;
    out->numRegs = attributes.registers_per_thread;
    out->ptxVersion = capability;
    out->binaryVersion = capability;
    out->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(*entry));
    out->preferredShmemCarveout = entry->carveout;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaFuncSetAttribute, const void* function, cudaFuncAttribute attribute,
             int value) {
    CallScope call;
    if (call.refused())
        return call.refused();
    cudaError_t error = cudaSuccess;
    KernelEntry* entry = prepared(call.card(), function, error);
    if (!entry)
        return error;
    const std::size_t fixed = ptx::attributes(*entry->kernel).static_shared_bytes;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || static_cast<std::size_t>(value) + fixed > shared_bytes_with_opt_in)
            return cudaErrorInvalidValue;
        entry->dynamic_shared_limit = static_cast<std::size_t>(value);
        return cudaSuccess;
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        constexpr int percent = 100;
        if (value < -1 || value > percent)
            return cudaErrorInvalidValue;
        entry->carveout = value;
        return cudaSuccess;
    }
    if (attribute < cudaFuncAttributeMaxDynamicSharedMemorySize ||
        attribute >= cudaFuncAttributeMax)
        return cudaErrorInvalidValue;
    return not_supported("cudaFuncSetAttribute", "this attribute (clusters of thread blocks)");
}

VIRTUAL_CALL(cudaError_t, cudaFuncSetCacheConfig, const void* function, cudaFuncCache config) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!find_kernel_entry(function))
        return cudaErrorInvalidDeviceFunction;
    const bool known = config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual;
    return known ? cudaSuccess : cudaErrorInvalidValue;
}

VIRTUAL_CALL(cudaError_t, cudaFuncGetName, const char** name, const void* function) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const KernelEntry* entry = find_kernel_entry(function);
    if (!name || !entry)
        return cudaErrorInvalidValue;
    *name = entry->name.c_str();
    return cudaSuccess;
}

// ---- occupancy

VIRTUAL_CALL(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks,
             const void* function, int block_threads, size_t dynamic_shared_bytes) {
    return occupancy(blocks, function, block_threads, dynamic_shared_bytes);
}

VIRTUAL_CALL(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int* blocks,
             const void* function, int block_threads, size_t dynamic_shared_bytes, unsigned int) {
    return occupancy(blocks, function, block_threads, dynamic_shared_bytes);
}

VIRTUAL_CALL(cudaError_t, cudaOccupancyAvailableDynamicSMemPerBlock, size_t* bytes,
             const void* function, int blocks, int block_threads) {
    CallScope call;
    if (call.refused())
        return call.refused();
    cudaError_t error = cudaSuccess;
    const KernelEntry* entry = prepared(call.card(), function, error);
    if (!entry)
        return error;
    const ptx::KernelAttributes& attributes = ptx::attributes(*entry->kernel);
    if (!bytes || blocks <= 0 || blocks > active_blocks(attributes, block_threads, 0))
        return cudaErrorInvalidValue;
    // As measured: without what a block has reserved, and no more than the kernel may have.
    const std::size_t share = shared_bytes_per_multiprocessor / static_cast<unsigned>(blocks);
    const std::size_t taken = attributes.static_shared_bytes;
    *bytes = share > taken ? std::min(share - taken, dynamic_shared_limit(*entry)) : 0;
    return cudaSuccess;
}

}  // namespace vram::virtual_gpu
