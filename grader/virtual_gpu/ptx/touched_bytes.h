// The set of bytes that a launch touched: exact, merged, and cheap to add to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/ptx/kernel_execution.h"

namespace vram::virtual_gpu::ptx {

/// One bit for each byte of a page.
struct TouchedPage {
    static constexpr std::uint64_t bytes = 4096;
    std::array<std::uint64_t, bytes / 64> bits;

    /// Both ends lie in the page.
    void mark(std::uint64_t begin, std::uint64_t end);
};

class TouchedBytes {
  public:
    /// The page that holds `address`; valid until `clear`.
    TouchedPage* page(std::uint64_t address);
    void mark(std::uint64_t begin, std::uint64_t end);
    void merge(const TouchedBytes& other);
    std::vector<TouchedRange> ranges() const;
    void clear();

  private:
    std::unordered_map<std::uint64_t, std::unique_ptr<TouchedPage>> pages_;
    std::vector<std::unique_ptr<TouchedPage>> spare_;
    struct Recent {
        std::uint64_t number = ~std::uint64_t{0};
        TouchedPage* page = nullptr;
    };
    static constexpr std::size_t recent_count = 64;
    std::array<Recent, recent_count> recent_;  ///< by page number modulo their count
};

}  // namespace vram::virtual_gpu::ptx
