// Host memory of the harness that ends at a page nobody may touch, so that an access past its end
// is seen at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vram::checks {

/// Raw bytes; the last one lies directly before the guard page. Known to the ledger by name.
class HostBytes {
  public:
    HostBytes(std::size_t bytes, std::string name);
    ~HostBytes();
    HostBytes(const HostBytes&) = delete;
    HostBytes& operator=(const HostBytes&) = delete;

    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }
    /// Fills with bytes that depend on the position and `seed`, never all alike.
    void fill_pattern(std::uint32_t seed);
    void fill(std::uint8_t value);

  private:
    std::byte* mapping_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::string name_;
};

/// The same for `count` elements of a trivial type (its end is at the guard page when
/// count * sizeof(T) keeps T aligned, which holds for every type used by the labs).
template <class T>
class HostArray {
  public:
    HostArray(std::size_t count, std::string name)
        : bytes_(count * sizeof(T), std::move(name)), count_(count) {}
    T* data() { return reinterpret_cast<T*>(bytes_.data()); }
    const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
    std::size_t size() const { return count_; }
    std::size_t bytes() const { return bytes_.size(); }
    T& operator[](std::size_t index) { return data()[index]; }
    const T& operator[](std::size_t index) const { return data()[index]; }
    T* begin() { return data(); }
    T* end() { return data() + count_; }
    void fill_pattern(std::uint32_t seed) { bytes_.fill_pattern(seed); }
    void fill_bytes(std::uint8_t value) { bytes_.fill(value); }

  private:
    HostBytes bytes_;
    std::size_t count_;
};

}  // namespace vram::checks
