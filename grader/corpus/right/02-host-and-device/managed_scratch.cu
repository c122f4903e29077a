// Style: managed memory as the place where host and device meet; two-dimensional and asynchronous
// copies; exceptions inside, codes outside.
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "host_and_device.h"

namespace {

class Failure : public std::runtime_error {
  public:
    explicit Failure(cudaError_t code) : std::runtime_error(cudaGetErrorName(code)), code_(code) {}
    cudaError_t code() const { return code_; }

  private:
    cudaError_t code_;
};

void check(cudaError_t code) {
    if (code != cudaSuccess)
        throw Failure(code);
}

void require(bool condition) {
    if (!condition)
        throw Failure(cudaErrorInvalidValue);
}

std::size_t bytes_of(std::size_t count) {
    require(count <= SIZE_MAX / sizeof(float));
    return count * sizeof(float);
}

template <typename Work>
cudaError_t guarded(Work work) noexcept {
    try {
        work();
    } catch (const Failure& failure) {
        return failure.code();
    }
    return cudaSuccess;
}

struct Free {
    void operator()(float* memory) const { cudaFree(memory); }
};

// Elements that both sides can read, filled by a copy that is over when this returns.
std::unique_ptr<float, Free> shared_copy(const float* device, std::size_t count) {
    require(device != nullptr);
    const std::size_t bytes = bytes_of(count);
    float* memory = nullptr;
    check(cudaMallocManaged(&memory, bytes));
    std::unique_ptr<float, Free> copy(memory);
    check(cudaMemcpyAsync(memory, device, bytes, cudaMemcpyDefault, nullptr));
    check(cudaStreamSynchronize(nullptr));
    return copy;
}

}  // namespace

cudaError_t upload(float* device, const float* host, std::size_t count) {
    return guarded([=] {
        if (count == 0)
            return;
        require(device && host);
        check(cudaMemcpyAsync(device, host, bytes_of(count), cudaMemcpyHostToDevice, nullptr));
        check(cudaDeviceSynchronize());
    });
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    return guarded([=] {
        if (count == 0)
            return;
        require(device && host);
        check(cudaMemcpyAsync(host, device, bytes_of(count), cudaMemcpyDeviceToHost, nullptr));
        check(cudaDeviceSynchronize());
    });
}

cudaError_t fill(float* device, float value, std::size_t count) {
    return guarded([=] {
        if (count == 0)
            return;
        require(device != nullptr);
        const std::size_t bytes = bytes_of(count);
        float* memory = nullptr;
        check(cudaMallocManaged(&memory, bytes));
        std::unique_ptr<float, Free> values(memory);
        for (std::size_t index = 0; index < count; ++index)
            memory[index] = value;
        check(cudaMemcpy2D(device, bytes, memory, bytes, bytes, 1, cudaMemcpyDefault));
        check(cudaDeviceSynchronize());
        check(cudaFree(values.release()));
    });
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    return guarded([=] {
        require(out != nullptr);
        *out = 0;
        if (count == 0)
            return;
        auto elements = shared_copy(device, count);
        double total = 0;
        for (std::size_t index = 0; index < count; ++index)
            total += elements.get()[index];
        check(cudaFree(elements.release()));
        *out = total;
    });
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    return guarded([=] {
        require(first_difference != nullptr);
        *first_difference = 0;
        if (count == 0)
            return;
        require(b != nullptr);
        auto left = shared_copy(a, count);
        auto right = shared_copy(b, count);
        std::size_t index = 0;
        while (index < count && left.get()[index] == right.get()[index])
            ++index;
        *first_difference = index;
    });
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    return guarded([=] {
        if (length == 0)
            return;
        require(device != nullptr);
        bytes_of(count);
        require(from <= count && length <= count - from);
        require(to <= count && length <= count - to);
        auto elements = shared_copy(device + from, length);
        check(cudaMemcpyAsync(device + to, elements.get(), bytes_of(length), cudaMemcpyDefault,
                              nullptr));
        check(cudaStreamSynchronize(nullptr));
    });
}

Place place_of(const void* pointer) {
    cudaPointerAttributes attributes;
    std::memset(&attributes, 0, sizeof attributes);
    cudaPointerGetAttributes(&attributes, pointer);
    const Place places[] = {Place::unregistered, Place::pinned, Place::device, Place::managed};
    return places[attributes.type];
}
