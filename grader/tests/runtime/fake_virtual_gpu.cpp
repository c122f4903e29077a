// The smallest virtual side that the ledger's tests need: addresses without memory behind them, and
// the error codes of the measured runtime.
#include <cuda_runtime_api.h>
#include <pthread.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "grader/tests/runtime/fake_virtual_gpu.h"

namespace {

constexpr std::uint64_t first_address = 0x6000'0000'0000;
constexpr std::size_t capacity = std::size_t{1} << 40;

struct Fake {
    std::mutex mutex;
    std::map<std::uint64_t, std::size_t> blocks;
    std::set<std::uint64_t> registered;
    std::uint64_t next_address = first_address;
    std::uint64_t next_handle = 0x5000;
    cudaError_t sticky_error = cudaSuccess;
    int launches = 0;
};

thread_local cudaError_t last_error = cudaSuccess;

Fake& fake();

/// A fork while another thread is in a call must not leave the child a lock that nobody gives back.
Fake* new_fake() {
    pthread_atfork([] { fake().mutex.lock(); }, [] { fake().mutex.unlock(); },
                   [] { fake().mutex.unlock(); });
    return new Fake;
}

Fake& fake() {
    static Fake* instance = new_fake();
    return *instance;
}

cudaError_t answer(cudaError_t error) {
    if (fake().sticky_error != cudaSuccess) {
        error = fake().sticky_error;
    }
    if (error != cudaSuccess) {
        last_error = error;
    }
    return error;
}

cudaError_t allocate(void** out, std::size_t bytes) {
    std::lock_guard lock(fake().mutex);
    *out = nullptr;
    if (bytes > capacity) {
        return answer(cudaErrorMemoryAllocation);
    }
    if (bytes != 0) {
        fake().blocks[fake().next_address] = bytes;
        *out = reinterpret_cast<void*>(fake().next_address);
        fake().next_address += (bytes + 511) / 512 * 512;
    }
    return answer(cudaSuccess);
}

cudaError_t release(void* pointer) {
    std::lock_guard lock(fake().mutex);
    auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (fake().sticky_error != cudaSuccess) {
        return answer(fake().sticky_error);
    }
    bool known = pointer == nullptr || fake().blocks.erase(address) == 1;
    return answer(known ? cudaSuccess : cudaErrorInvalidValue);
}

bool is_device(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer) >= first_address &&
           reinterpret_cast<std::uint64_t>(pointer) < fake().next_address;
}

bool fits(const void* pointer, std::size_t bytes) {
    auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (!is_device(pointer)) {
        return address > 4096;
    }
    auto above = fake().blocks.upper_bound(address);
    if (above == fake().blocks.begin()) {
        return false;
    }
    auto [base, size] = *--above;
    return address + bytes <= base + size;
}

bool direction_fits(const void* to, const void* from, cudaMemcpyKind kind) {
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return kind == cudaMemcpyDefault ||
           ((is_device(to) || !to_device) && (is_device(from) || !from_device));
}

cudaError_t copy(const void* to, const void* from, std::size_t span, cudaMemcpyKind kind) {
    std::lock_guard lock(fake().mutex);
    bool valid = span == 0 || (fits(to, span) && fits(from, span));
    return answer(valid && direction_fits(to, from, kind) ? cudaSuccess : cudaErrorInvalidValue);
}

std::size_t span_of(std::size_t pitch, std::size_t width, std::size_t height) {
    return width == 0 || height == 0 ? 0 : (height - 1) * pitch + width;
}

template <typename Handle>
cudaError_t create(Handle* out) {
    *out = reinterpret_cast<Handle>(fake().next_handle);
    return answer(cudaSuccess);
}

}  // namespace

extern "C" {

cudaError_t vram_virtual_cudaMalloc(void** out, size_t bytes) {
    return allocate(out, bytes);
}
cudaError_t vram_virtual_cudaMallocManaged(void** out, size_t bytes, unsigned) {
    return allocate(out, bytes);
}
cudaError_t vram_virtual_cudaMallocAsync(void** out, size_t bytes, cudaStream_t) {
    return allocate(out, bytes);
}
cudaError_t vram_virtual_cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return allocate(out, *pitch * height);
}
cudaError_t vram_virtual_cudaMallocHost(void** out, size_t bytes) {
    *out = ::operator new(bytes);
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaFreeHost(void* pointer) {
    if (is_device(pointer)) {
        return answer(cudaErrorInvalidValue);
    }
    ::operator delete(pointer);
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaFree(void* pointer) {
    return release(pointer);
}
cudaError_t vram_virtual_cudaFreeAsync(void* pointer, cudaStream_t) {
    return release(pointer);
}
cudaError_t vram_virtual_cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return copy(to, from, bytes, kind);
}
cudaError_t vram_virtual_cudaMemcpy2D(void* to, size_t to_pitch, const void* from,
                                      size_t from_pitch, size_t width, size_t height,
                                      cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) {
        return answer(cudaErrorInvalidPitchValue);
    }
    bool fits_both = fits(to, span_of(to_pitch, width, height)) &&
                     fits(from, span_of(from_pitch, width, height));
    return fits_both ? copy(to, from, 1, kind) : answer(cudaErrorInvalidValue);
}
cudaError_t vram_virtual_cudaMemcpy3D(const cudaMemcpy3DParms*) {
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaMemset(void* to, int, size_t bytes) {
    bool valid = bytes == 0 || (is_device(to) && fits(to, bytes));
    return answer(valid ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t vram_virtual_cudaGetLastError() {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}
cudaError_t vram_virtual_cudaPeekAtLastError() {
    return last_error;
}
cudaError_t vram_virtual_cudaDeviceSynchronize() {
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaDeviceReset() {
    fake().blocks.clear();
    fake().sticky_error = cudaSuccess;
    return cudaSuccess;
}
cudaError_t vram_virtual_cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t vram_virtual_cudaHostRegister(void* memory, size_t, unsigned) {
    std::lock_guard lock(fake().mutex);
    const bool is_new = fake().registered.insert(reinterpret_cast<std::uint64_t>(memory)).second;
    return answer(is_new ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t vram_virtual_cudaHostUnregister(void* memory) {
    std::lock_guard lock(fake().mutex);
    const bool known = fake().registered.erase(reinterpret_cast<std::uint64_t>(memory)) == 1;
    return answer(known ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
cudaError_t vram_virtual_cudaStreamCreate(cudaStream_t* out) {
    return create(out);
}
cudaError_t vram_virtual_cudaStreamDestroy(cudaStream_t) {
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaStreamSynchronize(cudaStream_t) {
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaStreamQuery(cudaStream_t) {
    return cudaErrorNotReady;
}
cudaError_t vram_virtual_cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaEventCreate(cudaEvent_t* out) {
    return create(out);
}
cudaError_t vram_virtual_cudaEventDestroy(cudaEvent_t) {
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaEventRecord(cudaEvent_t, cudaStream_t) {
    return answer(cudaSuccess);
}
cudaError_t vram_virtual_cudaEventSynchronize(cudaEvent_t) {
    return answer(cudaSuccess);
}
const char* vram_virtual_cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "cudaSuccess";
        case cudaErrorInvalidValue:
            return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation:
            return "cudaErrorMemoryAllocation";
        case cudaErrorIllegalAddress:
            return "cudaErrorIllegalAddress";
        default:
            return "another error";
    }
}

void vram_virtual___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*,
                                         uint3*, dim3*, dim3*, int*) {}
unsigned vram_virtual___cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*) {
    return 0;
}
cudaError_t vram_virtual___cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) {
    return cudaSuccess;
}
cudaError_t vram_virtual_cudaLaunchKernel(const void*, dim3 grid, dim3, void**, size_t,
                                          cudaStream_t) {
    if (grid.x == 0) {
        return answer(cudaErrorInvalidValue);
    }
    ++fake().launches;
    return answer(cudaSuccess);
}

cudaError_t vram_virtual_cudaUserObjectRetain(cudaUserObject_t value, unsigned command) {
    auto number = reinterpret_cast<std::uint64_t>(value);
    switch (static_cast<fake_gpu::Command>(command)) {
        case fake_gpu::Command::count_launches:
            return static_cast<cudaError_t>(fake().launches);
        case fake_gpu::Command::set_sticky_error:
            fake().sticky_error = static_cast<cudaError_t>(number);
            return cudaSuccess;
        case fake_gpu::Command::set_next_handle:
            fake().next_handle = number;
            return cudaSuccess;
        case fake_gpu::Command::set_next_address:
            fake().next_address = number;
            return cudaSuccess;
        case fake_gpu::Command::set_slot:
            last_error = static_cast<cudaError_t>(number);
            return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}
}
