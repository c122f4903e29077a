// The 16-bit float formats.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "grader/virtual_gpu/ptx/instruction.h"

namespace vram::virtual_gpu::ptx {

/// Rounds to an integral value.
inline double round_to_integral(double value, Rounding rounding) {
    switch (rounding) {
        case Rounding::zero:
            return std::trunc(value);
        case Rounding::down:
            return std::floor(value);
        case Rounding::up:
            return std::ceil(value);
        case Rounding::nearest_away:
            return std::round(value);
        case Rounding::nearest:
            break;
    }
    // Ties to even whatever the mode of the processor is.
    const double below = std::floor(value);
    const double rest = value - below;
    if (rest < 0.5 || (rest == 0.5 && std::fmod(below, 2.0) == 0.0)) {
        return std::copysign(below, value);
    }
    return std::copysign(below + 1.0, value);
}

/// A binary format of 16 bits with `mantissa` stored fraction bits.
template <int mantissa>
struct HalfFormat {
    static constexpr int exponent_bits = 15 - mantissa;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr std::uint16_t infinity = ((1 << exponent_bits) - 1) << mantissa;
    static constexpr std::uint16_t not_a_number = 0x7fff;

    static double decode(std::uint16_t bits) {
        const int exponent = (bits & 0x7fff) >> mantissa;
        const int fraction = bits & ((1 << mantissa) - 1);
        double value;
        if (exponent == (1 << exponent_bits) - 1) {
            value = fraction != 0 ? std::nan("") : HUGE_VAL;
        } else if (exponent == 0) {
            value = std::ldexp(fraction, 1 - bias - mantissa);
        } else {
            value = std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
        }
        return (bits & 0x8000) != 0 ? -value : value;
    }

    static std::uint16_t encode(double value, Rounding rounding = Rounding::nearest) {
        if (value != value) {
            return not_a_number;
        }
        const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        if (std::isinf(value)) {
            return sign | infinity;
        }
        if (value == 0) {
            return sign;
        }
        int exponent = 0;
        std::frexp(value, &exponent);
        const int quantum = std::max(exponent - 1, 1 - bias) - mantissa;
        const double units = std::fabs(round_to_integral(std::ldexp(value, -quantum), rounding));
        const double rounded = std::ldexp(units, quantum);
        const double greatest = std::ldexp((2 << mantissa) - 1, bias - mantissa);
        if (rounded > greatest) {
            const bool toward_zero = rounding == Rounding::zero ||
                                     (rounding == Rounding::down && sign == 0) ||
                                     (rounding == Rounding::up && sign != 0);
            return sign | static_cast<std::uint16_t>(toward_zero ? infinity - 1 : infinity);
        }
        return sign | bits_of_magnitude(rounded);
    }

  private:
    static std::uint16_t bits_of_magnitude(double value) {
        int exponent = 0;
        std::frexp(value, &exponent);
        const int stored = exponent - 1 + bias;
        if (value == 0 || stored <= 0) {
            return static_cast<std::uint16_t>(std::ldexp(value, bias - 1 + mantissa));
        }
        const auto fraction =
            static_cast<std::uint16_t>(std::ldexp(value, mantissa - (exponent - 1)));
        return static_cast<std::uint16_t>((stored << mantissa) + (fraction - (1 << mantissa)));
    }
};

/// A binary format of eight bits with `mantissa` stored fraction bits, as conversions to it leave
/// it: without infinities.
template <int mantissa>
struct EightBitFormat {
    static constexpr int bias = (1 << (6 - mantissa)) - 1;
    static constexpr std::uint8_t not_a_number = 0x7f;
    /// E4M3 has no infinities at all, so all of its greatest exponent but the NaN are numbers.
    static constexpr std::uint8_t greatest_bits = mantissa == 3 ? 0x7e : 0x7b;

    static double decode(std::uint8_t bits) {
        const int exponent = (bits & 0x7f) >> mantissa;
        const int fraction = bits & ((1 << mantissa) - 1);
        double value = std::nan("");
        if (mantissa == 2 && (bits & 0x7f) == 0x7c) {
            value = HUGE_VAL;
        } else if ((bits & 0x7f) <= greatest_bits) {
            value = exponent == 0
                        ? std::ldexp(fraction, 1 - bias - mantissa)
                        : std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
        }
        return (bits & 0x80) != 0 ? -value : value;
    }

    /// Rounded to nearest; what is greater than the greatest number becomes that.
    static std::uint8_t encode(double value) {
        if (value != value) {
            return not_a_number;
        }
        const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
        const double magnitude = std::fmin(std::fabs(value), decode(greatest_bits));
        int exponent = 0;
        std::frexp(magnitude, &exponent);
        const int lowest = 1 - bias;
        const int quantum = (magnitude == 0 || exponent - 1 < lowest ? lowest : exponent - 1);
        // A carry out of the fraction goes on into the exponent, as it should.
        const double units =
            round_to_integral(std::ldexp(magnitude, mantissa - quantum), Rounding::nearest);
        const int first = quantum == lowest ? 0 : (quantum + bias - 1) << mantissa;
        return static_cast<std::uint8_t>(sign | (first + static_cast<int>(units)));
    }
};

using E4m3 = EightBitFormat<3>;
using E5m2 = EightBitFormat<2>;

using Half = HalfFormat<10>;
using BrainFloat = HalfFormat<7>;

}  // namespace vram::virtual_gpu::ptx
