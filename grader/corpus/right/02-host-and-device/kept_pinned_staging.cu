// Style: one pinned staging buffer is kept from call to call, a stream of its own carries
// asynchronous copies, and each function waits for it.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "host_and_device.h"

namespace {

constexpr std::size_t most = SIZE_MAX / sizeof(float);
constexpr std::size_t staging_count = 16384;

struct Carrier {
    float* staging = nullptr;
    cudaStream_t stream = nullptr;

    cudaError_t prepare() {
        if (!staging) {
            float* block = nullptr;
            const auto status = cudaMallocHost(&block, staging_count * sizeof(float));
            if (status != cudaSuccess)
                return status;
            staging = block;
        }
        if (!stream) {
            cudaStream_t made = nullptr;
            const auto status = cudaStreamCreate(&made);
            if (status != cudaSuccess)
                return status;
            stream = made;
        }
        return cudaSuccess;
    }

    // Copies and waits, also after a failure: what was queued before may still use the memory.
    cudaError_t carry(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
        const auto copied = cudaMemcpyAsync(to, from, count * sizeof(float), kind, stream);
        const auto waited = cudaStreamSynchronize(stream);
        return copied != cudaSuccess ? copied : waited;
    }
};

Carrier& carrier() {
    static Carrier only;
    return only;
}

// Reads the device piece by piece into the staging buffer.
template <typename Use>
cudaError_t read(const float* device, std::size_t count, Use use) {
    if (count == 0)
        return cudaSuccess;
    if (!device || count > most)
        return cudaErrorInvalidValue;
    if (auto status = carrier().prepare())
        return status;
    for (std::size_t begin = 0; begin < count; begin += staging_count) {
        const std::size_t length = std::min(staging_count, count - begin);
        const auto status =
            carrier().carry(carrier().staging, device + begin, length, cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        use(begin, carrier().staging, length);
    }
    return cudaSuccess;
}

template <typename Provide>
cudaError_t write(float* device, std::size_t count, Provide provide) {
    if (count == 0)
        return cudaSuccess;
    if (!device || count > most)
        return cudaErrorInvalidValue;
    if (auto status = carrier().prepare())
        return status;
    for (std::size_t begin = 0; begin < count; begin += staging_count) {
        const std::size_t length = std::min(staging_count, count - begin);
        provide(begin, carrier().staging, length);
        const auto status =
            carrier().carry(device + begin, carrier().staging, length, cudaMemcpyHostToDevice);
        if (status != cudaSuccess)
            return status;
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t upload(float* device, const float* host, std::size_t count) {
    if (count && !host)
        return cudaErrorInvalidValue;
    return write(device, count, [host](std::size_t begin, float* piece, std::size_t length) {
        std::copy_n(host + begin, length, piece);
    });
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    if (count && !host)
        return cudaErrorInvalidValue;
    return read(device, count, [host](std::size_t begin, const float* piece, std::size_t length) {
        std::copy_n(piece, length, host + begin);
    });
}

cudaError_t fill(float* device, float value, std::size_t count) {
    return write(device, count, [value](std::size_t, float* piece, std::size_t length) {
        std::fill_n(piece, length, value);
    });
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    if (!out)
        return cudaErrorInvalidValue;
    double total = 0;
    const auto status =
        read(device, count, [&total](std::size_t, const float* piece, std::size_t length) {
            total = std::accumulate(piece, piece + length, total);
        });
    *out = total;
    return status;
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    if (!first_difference || count > most)
        return cudaErrorInvalidValue;
    if (count && (!a || !b))
        return cudaErrorInvalidValue;
    float* left = nullptr;
    if (count) {
        if (auto status = cudaMallocHost(&left, count * sizeof(float)))
            return status;
    }
    auto status = download(left, a, count);
    std::size_t found = count;
    if (status == cudaSuccess) {
        status = read(b, count, [&](std::size_t begin, const float* right, std::size_t length) {
            const auto here = std::mismatch(right, right + length, left + begin).first;
            if (here != right + length)
                found = std::min(found, begin + (here - right));
        });
    }
    *first_difference = found;
    const auto freed = cudaFreeHost(left);
    return status != cudaSuccess ? status : freed;
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    if (length == 0)
        return cudaSuccess;
    if (!device || count > most)
        return cudaErrorInvalidValue;
    if (from > count || to > count || length > count - std::max(from, to)) {
        return cudaErrorInvalidValue;
    }
    if (auto status = carrier().prepare())
        return status;
    // Piece by piece through the staging buffer, from the side that is overwritten last.
    for (std::size_t moved = 0; moved < length;) {
        const std::size_t piece = std::min(staging_count, length - moved);
        const std::size_t offset = from < to ? length - moved - piece : moved;
        auto status = carrier().carry(carrier().staging, device + from + offset, piece,
                                      cudaMemcpyDeviceToHost);
        if (status == cudaSuccess) {
            status = carrier().carry(device + to + offset, carrier().staging, piece,
                                     cudaMemcpyHostToDevice);
        }
        if (status != cudaSuccess)
            return status;
        moved += piece;
    }
    return cudaSuccess;
}

Place place_of(const void* pointer) {
    cudaPointerAttributes attributes{};
    const bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
    switch (known ? attributes.type : cudaMemoryTypeUnregistered) {
        case cudaMemoryTypeHost:
            return Place::pinned;
        case cudaMemoryTypeDevice:
            return Place::device;
        case cudaMemoryTypeManaged:
            return Place::managed;
        case cudaMemoryTypeUnregistered:
            break;
    }
    return Place::unregistered;
}
