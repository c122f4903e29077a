// Style: scratch memory has an owner, released by exchange; one function reads the device in
// pieces.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "host_and_device.h"

namespace {

constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float);

class Scratch {
  public:
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { release(); }
    cudaError_t allocate(std::size_t count) { return cudaMalloc(&block_, count * sizeof(float)); }
    cudaError_t release() { return cudaFree(std::exchange(block_, nullptr)); }
    float* get() const { return block_; }

  private:
    float* block_ = nullptr;
};

// Calls `visit(index, element)` for each element of the device until it returns false.
template <typename Visit>
cudaError_t for_each(const float* device, std::size_t count, Visit visit) {
    std::vector<float> piece(std::min<std::size_t>(count, 4096));
    for (std::size_t begin = 0; begin < count; begin += piece.size()) {
        const std::size_t length = std::min(piece.size(), count - begin);
        const auto status = download(piece.data(), device + begin, length);
        if (status != cudaSuccess)
            return status;
        for (std::size_t index = 0; index < length; ++index) {
            if (!visit(begin + index, piece[index]))
                return cudaSuccess;
        }
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t upload(float* device, const float* host, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (!device || !host || count > most)
        return cudaErrorInvalidValue;
    return cudaMemcpy(device, host, sizeof(*host) * count, cudaMemcpyDefault);
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (!device || !host || count > most)
        return cudaErrorInvalidValue;
    return cudaMemcpy(host, device, sizeof(*host) * count, cudaMemcpyDefault);
}

cudaError_t fill(float* device, float value, std::size_t count) {
    if (count == 0)
        return cudaSuccess;
    if (!device || count > most)
        return cudaErrorInvalidValue;
    // One element from the host, then what is there already is doubled.
    auto status = cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice);
    for (std::size_t done = 1; done < count && status == cudaSuccess;) {
        const std::size_t next = std::min(done, count - done);
        status = cudaMemcpy(device + done, device, next * sizeof(float), cudaMemcpyDeviceToDevice);
        done += next;
    }
    return status;
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    if (!out || count > most || (!device && count))
        return cudaErrorInvalidValue;
    *out = 0;
    return for_each(device, count, [&](std::size_t, float element) {
        *out += element;
        return true;
    });
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    if (!first_difference || count > most || (count && (!a || !b)))
        return cudaErrorInvalidValue;
    std::vector<float> right(count);
    const auto status = download(right.data(), b, count);
    if (status != cudaSuccess)
        return status;
    *first_difference = count;
    return for_each(a, count, [&](std::size_t index, float element) {
        if (element == right[index])
            return true;
        *first_difference = index;
        return false;
    });
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    if (length == 0)
        return cudaSuccess;
    if (!device || count > most || length > count || std::max(from, to) > count - length) {
        return cudaErrorInvalidValue;
    }
    Scratch scratch;
    if (auto status = scratch.allocate(length))
        return status;
    const std::size_t bytes = length * sizeof(float);
    auto status = cudaMemcpy(scratch.get(), device + from, bytes, cudaMemcpyDeviceToDevice);
    if (!status) {
        status = cudaMemcpy(device + to, scratch.get(), bytes, cudaMemcpyDeviceToDevice);
    }
    if (!status)
        status = cudaDeviceSynchronize();
    const auto freed = scratch.release();
    return status ? status : freed;
}

Place place_of(const void* pointer) {
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, pointer))
        return Place::unregistered;
    static const std::pair<cudaMemoryType, Place> places[] = {
        {cudaMemoryTypeHost, Place::pinned},
        {cudaMemoryTypeDevice, Place::device},
        {cudaMemoryTypeManaged, Place::managed},
    };
    for (auto [type, place] : places) {
        if (attributes.type == type)
            return place;
    }
    return Place::unregistered;
}
