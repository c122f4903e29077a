// The numbers that a seed gives: the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace vram::differential {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }
    /// In [0, bound); `bound` is not 0.
    std::size_t below(std::size_t bound) { return next() % bound; }
    /// In [first, last].
    std::size_t between(std::size_t first, std::size_t last) {
        return first + below(last - first + 1);
    }
    bool one_in(std::size_t chances) { return below(chances) == 0; }
    template <typename Choices>
    auto pick(const Choices& choices) {
        return *(std::begin(choices) + static_cast<std::ptrdiff_t>(below(std::size(choices))));
    }

  private:
    std::uint64_t state_;
};

}  // namespace vram::differential
