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

/// Without a processor's instruction for it, the compiler's own way is a call.
inline unsigned count_lanes(std::uint32_t mask) {
    if (mask == ~std::uint32_t{0}) {
        return 32;
    }
    mask -= (mask >> 1) & 0x55555555u;
    mask = (mask & 0x33333333u) + ((mask >> 2) & 0x33333333u);
    mask = (mask + (mask >> 4)) & 0x0f0f0f0fu;
    return (mask * 0x01010101u) >> 24;
}

}  // namespace vram::virtual_gpu::ptx
