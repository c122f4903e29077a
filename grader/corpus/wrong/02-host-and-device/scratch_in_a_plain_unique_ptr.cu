// fails: CopyWithin.SurvivesOverlap
// diagnosis: free-by-c-library
// may also fail: Failure.IsReportedAndLeavesNothing
// mistake: D10

// A unique_ptr without a deleter of its own gives the block to delete[].
#include "host_and_device.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace {

bool bytes_overflow(std::size_t count) {
    return count > SIZE_MAX / sizeof(float);
}

// Both transfers differ in their direction only. cudaMemcpy returns when the copy is over.
cudaError_t copy(float* destination, const float* source, std::size_t count, cudaMemcpyKind kind) {
    if (count == 0)
        return cudaSuccess;
    if (destination == nullptr || source == nullptr)
        return cudaErrorInvalidValue;
    if (bytes_overflow(count))
        return cudaErrorInvalidValue;
    return cudaMemcpy(destination, source, count * sizeof(float), kind);
}

// The host can't read device memory: it reads a copy of it. Checks the arguments before it makes
// room for the copy.
cudaError_t read_back(std::vector<float>& elements, const float* device, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (device == nullptr || bytes_overflow(count))
        return cudaErrorInvalidValue;
    elements.resize(count);
    return download(elements.data(), device, count);
}

}  // namespace

cudaError_t upload(float* device, const float* host, std::size_t count) {
    return copy(device, host, count, cudaMemcpyHostToDevice);
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    return copy(host, device, count, cudaMemcpyDeviceToHost);
}

cudaError_t fill(float* device, float value, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (device == nullptr || bytes_overflow(count))
        return cudaErrorInvalidValue;
    // cudaMemset sets bytes, and most floats do not consist of four equal ones.
    const std::vector<float> elements(count, value);
    return upload(device, elements.data(), count);
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    if (out == nullptr)
        return cudaErrorInvalidValue;
    std::vector<float> elements;
    const cudaError_t status = read_back(elements, device, count);
    if (status != cudaSuccess)
        return status;
    double total = 0;
    for (float element : elements)
        total += element;
    *out = total;
    return cudaSuccess;
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    if (first_difference == nullptr)
        return cudaErrorInvalidValue;
    std::vector<float> left;
    std::vector<float> right;
    cudaError_t status = read_back(left, a, count);
    if (status == cudaSuccess)
        status = read_back(right, b, count);
    if (status != cudaSuccess)
        return status;
    std::size_t index = 0;
    while (index < count && left[index] == right[index])
        ++index;
    *first_difference = index;
    return cudaSuccess;
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    if (length == 0)
        return cudaSuccess;
    if (device == nullptr || bytes_overflow(count))
        return cudaErrorInvalidValue;
    // Written so that no sum can overflow.
    if (length > count || from > count - length || to > count - length) {
        return cudaErrorInvalidValue;
    }

    // The areas of a copy may not overlap, so the elements go by way of a block of their own.
    float* scratch = nullptr;
    cudaError_t status = cudaMalloc(&scratch, length * sizeof(float));
    if (status != cudaSuccess)
        return status;
    const std::unique_ptr<float[]> owner(scratch);
    status = copy(scratch, device + from, length, cudaMemcpyDeviceToDevice);
    if (status == cudaSuccess) {
        status = copy(device + to, scratch, length, cudaMemcpyDeviceToDevice);
    }
    return status;
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
