// Style: scratch memory is stream-ordered and the work of a function is one chain on the default
// stream.
#include <cstdint>
#include <vector>

#include "host_and_device.h"

namespace {

bool fits(std::size_t count) {
    return count <= SIZE_MAX / sizeof(float);
}

cudaError_t worse(cudaError_t first, cudaError_t second) {
    return first != cudaSuccess ? first : second;
}

}  // namespace

cudaError_t upload(float* device, const float* host, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (device == nullptr || host == nullptr || !fits(count))
        return cudaErrorInvalidValue;
    const auto queued =
        cudaMemcpyAsync(device, host, count * sizeof(float), cudaMemcpyHostToDevice, 0);
    return worse(queued, cudaStreamSynchronize(0));
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (device == nullptr || host == nullptr || !fits(count))
        return cudaErrorInvalidValue;
    const auto queued =
        cudaMemcpyAsync(host, device, count * sizeof(float), cudaMemcpyDeviceToHost, 0);
    return worse(queued, cudaStreamSynchronize(0));
}

cudaError_t fill(float* device, float value, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (device == nullptr || !fits(count))
        return cudaErrorInvalidValue;
    return upload(device, std::vector<float>(count, value).data(), count);
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    if (out == nullptr || !fits(count))
        return cudaErrorInvalidValue;
    std::vector<float> host(count);
    const auto status = download(host.data(), device, count);
    double even = 0;
    double odd = 0;
    for (std::size_t index = 0; index < count; ++index) {
        (index % 2 == 0 ? even : odd) += host[index];
    }
    if (status == cudaSuccess)
        *out = even + odd;
    return status;
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    if (first_difference == nullptr || !fits(count))
        return cudaErrorInvalidValue;
    std::vector<float> left(count);
    std::vector<float> right(count);
    const auto first = download(left.data(), a, count);
    const auto second = download(right.data(), b, count);
    if (worse(first, second) != cudaSuccess)
        return worse(first, second);
    for (std::size_t index = 0; index < count; ++index) {
        if (left[index] != right[index]) {
            *first_difference = index;
            return cudaSuccess;
        }
    }
    *first_difference = count;
    return cudaSuccess;
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    if (length == 0)
        return cudaSuccess;
    if (device == nullptr || !fits(count))
        return cudaErrorInvalidValue;
    if (length > count || from > count - length || to > count - length) {
        return cudaErrorInvalidValue;
    }
    const std::size_t bytes = length * sizeof(float);
    float* scratch = nullptr;
    auto status = cudaMallocAsync(&scratch, bytes, 0);
    if (status != cudaSuccess)
        return status;
    status = cudaMemcpyAsync(scratch, device + from, bytes, cudaMemcpyDeviceToDevice, 0);
    if (status == cudaSuccess) {
        status = cudaMemcpyAsync(device + to, scratch, bytes, cudaMemcpyDeviceToDevice, 0);
    }
    return worse(status, cudaFreeAsync(scratch, 0));
}

Place place_of(const void* pointer) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess)
        return Place::unregistered;
    if (attributes.type == cudaMemoryTypeDevice)
        return Place::device;
    if (attributes.type == cudaMemoryTypeManaged)
        return Place::managed;
    if (attributes.type == cudaMemoryTypeHost)
        return Place::pinned;
    return Place::unregistered;
}
