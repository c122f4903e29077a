// fails: Compare.FindsTheFirstDifference
// diagnosis: host-touches-device
// shows: a[index] == b[index]
// may also fail: Failure.IsReportedAndLeavesNothing
// mistake: A7, the host compares elements on the device
#include "host_and_device.h"

#include <cstdint>
#include <numeric>
#include <vector>

static bool impossible(const void* pointer, std::size_t count) {
    return pointer == nullptr || count > SIZE_MAX / sizeof(float);
}

cudaError_t upload(float* device, const float* host, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (impossible(device, count) || impossible(host, count))
        return cudaErrorInvalidValue;
    return cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice);
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (impossible(device, count) || impossible(host, count))
        return cudaErrorInvalidValue;
    return cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
}

cudaError_t fill(float* device, float value, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (impossible(device, count))
        return cudaErrorInvalidValue;
    const std::vector<float> elements(count, value);
    return cudaMemcpy(device, elements.data(), count * sizeof(float), cudaMemcpyHostToDevice);
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    *out = 0;
    if (count == 0)
        return cudaSuccess;
    if (impossible(device, count))
        return cudaErrorInvalidValue;
    std::vector<float> elements(count);
    const cudaError_t status =
        cudaMemcpy(elements.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    *out = std::accumulate(elements.begin(), elements.end(), 0.0);
    return cudaSuccess;
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    if (first_difference == nullptr)
        return cudaErrorInvalidValue;
    *first_difference = 0;
    if (count == 0)
        return cudaSuccess;
    if (impossible(a, count) || impossible(b, count))
        return cudaErrorInvalidValue;
    std::size_t index = 0;
    while (index < count && a[index] == b[index])
        ++index;
    *first_difference = index;
    return cudaSuccess;
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    if (length == 0)
        return cudaSuccess;
    if (impossible(device, count))
        return cudaErrorInvalidValue;
    if (length > count || from > count - length || to > count - length) {
        return cudaErrorInvalidValue;
    }
    const std::size_t bytes = length * sizeof(float);
    float* scratch = nullptr;
    cudaError_t status = cudaMalloc(&scratch, bytes);
    if (status != cudaSuccess)
        return status;
    status = cudaMemcpy(scratch, device + from, bytes, cudaMemcpyDeviceToDevice);
    if (status == cudaSuccess) {
        status = cudaMemcpy(device + to, scratch, bytes, cudaMemcpyDeviceToDevice);
    }
    cudaDeviceSynchronize();
    const cudaError_t freed = cudaFree(scratch);
    return status != cudaSuccess ? status : freed;
}

Place place_of(const void* pointer) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess)
        return Place::unregistered;
    switch (attributes.type) {
        case cudaMemoryTypeHost:
            return Place::pinned;
        case cudaMemoryTypeDevice:
            return Place::device;
        case cudaMemoryTypeManaged:
            return Place::managed;
        default:
            return Place::unregistered;
    }
}
