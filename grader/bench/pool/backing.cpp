#include "grader/bench/pool/backing.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>

namespace vram::bench {
namespace {

/// The runtime calls by their addresses in NVIDIA's library.
struct Runtime {
    decltype(&::cudaMalloc) malloc = nullptr;
    decltype(&::cudaFree) free = nullptr;
    cudaError_t (*malloc_async)(void**, std::size_t, cudaStream_t) = nullptr;
    decltype(&::cudaFreeAsync) free_async = nullptr;
    decltype(&::cudaGetLastError) get_last_error = nullptr;
    decltype(&::cudaGetDevice) get_device = nullptr;
    decltype(&::cudaSetDevice) set_device = nullptr;
    cudaError_t (*create_event)(cudaEvent_t*, unsigned) = nullptr;
    cudaError_t (*record_event)(cudaEvent_t, cudaStream_t) = nullptr;
    decltype(&::cudaEventQuery) query_event = nullptr;
    decltype(&::cudaEventDestroy) destroy_event = nullptr;
    decltype(&::cudaDeviceSynchronize) synchronise = nullptr;
    decltype(&::cudaDeviceGetDefaultMemPool) default_pool = nullptr;
    decltype(&::cudaMemPoolSetAttribute) set_pool_attribute = nullptr;
    decltype(&::cudaMemPoolGetAttribute) get_pool_attribute = nullptr;
    decltype(&::cudaMemPoolTrimTo) trim_pool = nullptr;
};

constexpr std::uintptr_t first_pretend_address = 0x7f0000000000;
constexpr std::size_t address_step = 512;

Runtime runtime;
bool on_cuda_runtime = false;
BackingFigures figures;
std::uintptr_t next_address = first_pretend_address;
std::map<std::uintptr_t, std::size_t> bytes_of;

template <class Call>
cudaError_t timed(Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    const cudaError_t result = call();
    figures.nanoseconds +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::steady_clock::now() - start)
                                       .count());
    return result;
}

template <class Call>
cudaError_t forward(Call&& call) {
    ++figures.other_calls;
    return on_cuda_runtime ? timed(call) : cudaSuccess;
}

void note_allocation(void* base, std::size_t bytes) {
    ++figures.allocations;
    bytes_of[reinterpret_cast<std::uintptr_t>(base)] = bytes;
    figures.reserved_bytes += bytes;
    figures.peak_reserved_bytes = std::max(figures.peak_reserved_bytes, figures.reserved_bytes);
}

void note_free(void* base) {
    ++figures.frees;
    const auto entry = bytes_of.find(reinterpret_cast<std::uintptr_t>(base));
    if (entry != bytes_of.end()) {
        figures.reserved_bytes -= entry->second;
        bytes_of.erase(entry);
    }
}

cudaError_t pretend_to_allocate(void** out, std::size_t bytes) {
    *out = nullptr;
    if (bytes > std::size_t{1} << 40) {
        return cudaErrorMemoryAllocation;
    }
    *out = reinterpret_cast<void*>(next_address);
    next_address += (bytes + address_step - 1) / address_step * address_step;
    return cudaSuccess;
}

}  // namespace

const BackingFigures& backing_figures() {
    return figures;
}

void reset_backing_figures() {
    const std::size_t held = figures.reserved_bytes;
    figures = {};
    figures.reserved_bytes = held;
    figures.peak_reserved_bytes = held;
}

std::optional<Stretch> allocation_around(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    const auto above = bytes_of.upper_bound(wanted);
    if (above == bytes_of.begin()) {
        return std::nullopt;
    }
    const auto [base, bytes] = *std::prev(above);
    if (wanted - base >= bytes) {
        return std::nullopt;
    }
    return Stretch{base, bytes, "arena"};
}

void use_pretend_device() {
    on_cuda_runtime = false;
}

std::string use_cuda_runtime(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return dlerror();
    }
    std::string missing;
    const auto find = [&](auto& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        if (function == nullptr) {
            missing = std::string(name) + " is not in " + library;
        }
    };
    find(runtime.malloc, "cudaMalloc");
    find(runtime.free, "cudaFree");
    find(runtime.malloc_async, "cudaMallocAsync");
    find(runtime.free_async, "cudaFreeAsync");
    find(runtime.get_last_error, "cudaGetLastError");
    find(runtime.get_device, "cudaGetDevice");
    find(runtime.set_device, "cudaSetDevice");
    find(runtime.create_event, "cudaEventCreateWithFlags");
    find(runtime.record_event, "cudaEventRecord");
    find(runtime.query_event, "cudaEventQuery");
    find(runtime.destroy_event, "cudaEventDestroy");
    find(runtime.synchronise, "cudaDeviceSynchronize");
    find(runtime.default_pool, "cudaDeviceGetDefaultMemPool");
    find(runtime.set_pool_attribute, "cudaMemPoolSetAttribute");
    find(runtime.get_pool_attribute, "cudaMemPoolGetAttribute");
    find(runtime.trim_pool, "cudaMemPoolTrimTo");
    if (!missing.empty()) {
        return missing;
    }
    const cudaError_t started = runtime.free(nullptr);
    if (started != cudaSuccess) {
        return "the CUDA runtime answers error " + std::to_string(started);
    }
    on_cuda_runtime = true;
    return "";
}

}  // namespace vram::bench

// What follows is the runtime as the pools see it.
using vram::bench::figures;
using vram::bench::forward;
using vram::bench::note_allocation;
using vram::bench::note_free;
using vram::bench::on_cuda_runtime;
using vram::bench::pretend_to_allocate;
using vram::bench::runtime;
using vram::bench::timed;

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) {
    const cudaError_t result = on_cuda_runtime ? timed([&] { return runtime.malloc(out, bytes); })
                                               : pretend_to_allocate(out, bytes);
    if (result == cudaSuccess) {
        note_allocation(*out, bytes);
    }
    return result;
}

cudaError_t cudaFree(void* base) {
    note_free(base);
    return on_cuda_runtime ? timed([&] { return runtime.free(base); }) : cudaSuccess;
}

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
    ++figures.allocations;
    return on_cuda_runtime ? timed([&] { return runtime.malloc_async(out, bytes, stream); })
                           : pretend_to_allocate(out, bytes);
}

cudaError_t cudaFreeAsync(void* base, cudaStream_t stream) {
    ++figures.frees;
    return on_cuda_runtime ? timed([&] { return runtime.free_async(base, stream); }) : cudaSuccess;
}

cudaError_t cudaGetLastError() {
    return on_cuda_runtime ? runtime.get_last_error() : cudaSuccess;
}

const char* cudaGetErrorString(cudaError_t) {
    return "an error of the CUDA runtime";
}
const char* cudaGetErrorName(cudaError_t) {
    return "cudaError";
}

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return forward([&] { return runtime.get_device(device); });
}

cudaError_t cudaSetDevice(int device) {
    return forward([&] { return runtime.set_device(device); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    *event = nullptr;
    return forward([&] { return runtime.create_event(event, flags); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return forward([&] { return runtime.record_event(event, stream); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return forward([&] { return runtime.query_event(event); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return forward([&] { return runtime.destroy_event(event); });
}

cudaError_t cudaDeviceSynchronize() {
    return forward([&] { return runtime.synchronise(); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    *pool = nullptr;
    return forward([&] { return runtime.default_pool(pool, device); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return forward([&] { return runtime.set_pool_attribute(pool, attribute, value); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return forward([&] { return runtime.get_pool_attribute(pool, attribute, value); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
    return forward([&] { return runtime.trim_pool(pool, bytes); });
}

// A file built by nvcc registers its device code when it is loaded. A pool has none worth keeping.
void** __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

}  // extern "C"
