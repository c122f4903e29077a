// Memory for the ledger's indexes, apart from the program's heap: a program that overruns its heap
// cannot reach them, and a hook never waits for the lock of malloc.
#pragma once

#include <cstddef>

namespace vram::runtime {

/// Not thread-safe: called with the ledger's lock held. Never fails within the ledger's limits.
void* take_private(std::size_t bytes);
void return_private(void* memory, std::size_t bytes);

template <typename T>
struct PrivateAllocator {
    using value_type = T;
    PrivateAllocator() = default;
    template <typename Other>
    PrivateAllocator(const PrivateAllocator<Other>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(take_private(count * sizeof(T))); }
    void deallocate(T* memory, std::size_t count) { return_private(memory, count * sizeof(T)); }
    template <typename Other>
    bool operator==(const PrivateAllocator<Other>&) const {
        return true;
    }
};

}  // namespace vram::runtime
