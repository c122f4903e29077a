#include "grader/checks/support/host_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

#include "grader/checks/support/learner.h"

namespace vram::checks {

HostBytes::HostBytes(std::size_t bytes, std::string name) : size_(bytes), name_(std::move(name)) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t usable = (bytes + page - 1) / page * page;
    mapped_bytes_ = usable + page;
    void* mapping =
        mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mapping_ = static_cast<std::byte*>(mapping);
    mprotect(mapping_ + usable, page, PROT_NONE);
    data_ = mapping_ + usable - bytes;
    session().register_host_buffer(data_, size_, name_.c_str());
}

HostBytes::~HostBytes() {
    session().forget_host_buffer(data_);
    munmap(mapping_, mapped_bytes_);
}

void HostBytes::fill_pattern(std::uint32_t seed) {
    std::uint32_t state = seed * 2654435761u + 12345u;
    for (std::size_t index = 0; index < size_; ++index) {
        state = state * 1664525u + 1013904223u;
        data_[index] = static_cast<std::byte>(state >> 24);
    }
}

void HostBytes::fill(std::uint8_t value) {
    std::memset(data_, value, size_);
}

}  // namespace vram::checks
