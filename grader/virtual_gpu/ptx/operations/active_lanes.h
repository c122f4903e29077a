// Loops over the lanes of a mask.
#pragma once

#include <cstdint>

namespace vram::virtual_gpu::ptx {

/// `for (int lane : ActiveLanes{mask})` visits the set bits from the lowest on.
struct ActiveLanes {
    std::uint32_t mask;

    struct Iterator {
        std::uint32_t rest;
        int operator*() const { return __builtin_ctz(rest); }
        Iterator& operator++() {
            rest &= rest - 1;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return rest != other.rest; }
    };
    Iterator begin() const { return {mask}; }
    Iterator end() const { return {0}; }
};

}  // namespace vram::virtual_gpu::ptx
