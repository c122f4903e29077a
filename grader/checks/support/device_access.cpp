#include "grader/checks/support/device_access.h"

#include <cuda_runtime_api.h>

#include <new>

namespace vram::checks {

namespace {

bool copy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
    return cudaDeviceSynchronize() == cudaSuccess &&
           cudaMemcpy(destination, source, bytes, kind) == cudaSuccess;
}

}  // namespace

DeviceBytes::DeviceBytes(std::size_t bytes) : size_(bytes) {
    if (cudaMalloc(&pointer_, bytes) != cudaSuccess) {
        throw std::bad_alloc();
    }
}

DeviceBytes::~DeviceBytes() {
    cudaFree(pointer_);
}

bool write_device(void* device, const void* host, std::size_t bytes) {
    return copy(device, host, bytes, cudaMemcpyHostToDevice);
}

bool read_device(void* host, const void* device, std::size_t bytes) {
    return copy(host, device, bytes, cudaMemcpyDeviceToHost);
}

}  // namespace vram::checks
