// Device memory as the harness handles it: its calls are never the learner's.
#pragma once

#include <cstddef>
#include <vector>

namespace vram::checks {

/// Allocates device memory for the harness; released at the end of the scope.
class DeviceBytes {
  public:
    explicit DeviceBytes(std::size_t bytes);
    ~DeviceBytes();
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;
    void* get() const { return pointer_; }
    template <class T>
    T* as() const {
        return static_cast<T*>(pointer_);
    }
    std::size_t size() const { return size_; }

  private:
    void* pointer_ = nullptr;
    std::size_t size_ = 0;
};

/// Copies between host and device for the harness, waiting for the whole device first. Returns
/// false when the runtime refuses (the address is not what the check thought); the last-error slot
/// is left as it was.
[[nodiscard]] bool write_device(void* device, const void* host, std::size_t bytes);
[[nodiscard]] bool read_device(void* host, const void* device, std::size_t bytes);

/// `count` elements from the device; empty when the runtime refuses.
template <class T>
std::vector<T> read_device_array(const void* device, std::size_t count) {
    std::vector<T> result(count);
    if (!read_device(result.data(), device, count * sizeof(T))) {
        result.clear();
    }
    return result;
}

}  // namespace vram::checks
