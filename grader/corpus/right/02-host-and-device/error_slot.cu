// Style: copies are issued one after the other and the last-error slot is read once at the end.
#include <cstdint>
#include <memory>
#include <vector>

#include "host_and_device.h"

static bool possible(const void* pointer, std::size_t count) {
    return pointer != nullptr && count <= SIZE_MAX / sizeof(float);
}

static cudaError_t outcome() {
    return cudaGetLastError();
}

cudaError_t upload(float* device, const float* host, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (!possible(device, count) || !possible(host, count))
        return cudaErrorInvalidValue;
    cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice);
    return outcome();
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (!possible(device, count) || !possible(host, count))
        return cudaErrorInvalidValue;
    cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
    return outcome();
}

cudaError_t fill(float* device, float value, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (!possible(device, count))
        return cudaErrorInvalidValue;
    // The same 256 elements again and again.
    const std::vector<float> values(256, value);
    for (std::size_t begin = 0; begin < count; begin += values.size()) {
        const std::size_t rest = count - begin;
        const std::size_t length = rest < values.size() ? rest : values.size();
        cudaMemcpy(&device[begin], values.data(), length * sizeof(float), cudaMemcpyHostToDevice);
    }
    return outcome();
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    if (!out || (count && !possible(device, count)))
        return cudaErrorInvalidValue;
    auto host = std::make_unique<float[]>(count);
    if (count)
        cudaMemcpy(host.get(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
    *out = 0;
    for (std::size_t index = 0; index < count; ++index)
        *out += static_cast<double>(host[index]);
    return outcome();
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    if (!first_difference)
        return cudaErrorInvalidValue;
    if (count && (!possible(a, count) || !possible(b, count)))
        return cudaErrorInvalidValue;
    auto left = std::make_unique<float[]>(count);
    auto right = std::make_unique<float[]>(count);
    if (count) {
        cudaMemcpy(left.get(), a, count * sizeof(float), cudaMemcpyDeviceToHost);
        cudaMemcpy(right.get(), b, count * sizeof(float), cudaMemcpyDeviceToHost);
    }
    *first_difference = count;
    for (std::size_t index = count; index-- > 0;) {
        if (left[index] != right[index])
            *first_difference = index;
    }
    return outcome();
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    if (length == 0)
        return cudaSuccess;
    if (!possible(device, count))
        return cudaErrorInvalidValue;
    for (std::size_t start : {from, to}) {
        if (start > count || count - start < length)
            return cudaErrorInvalidValue;
    }
    auto host = std::make_unique<float[]>(length);
    const std::size_t bytes = length * sizeof(float);
    cudaMemcpy(host.get(), device + from, bytes, cudaMemcpyDeviceToHost);
    if (const auto status = outcome())
        return status;
    cudaMemcpy(device + to, host.get(), bytes, cudaMemcpyHostToDevice);
    return outcome();
}

Place place_of(const void* pointer) {
    cudaPointerAttributes attributes = {};
    cudaPointerGetAttributes(&attributes, pointer);
    if (cudaGetLastError() != cudaSuccess)
        return Place::unregistered;
    if (attributes.type == cudaMemoryTypeManaged)
        return Place::managed;
    if (attributes.type == cudaMemoryTypeUnregistered)
        return Place::unregistered;
    return attributes.type == cudaMemoryTypeHost ? Place::pinned : Place::device;
}
