#include "grader/virtual_gpu/ptx/operations/any_conversion.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "grader/virtual_gpu/ptx/half_format.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

static_assert(sizeof(ConversionPlan) <= sizeof(std::int64_t));

std::int64_t ConversionPlan::packed() const {
    std::int64_t bits = 0;
    std::memcpy(&bits, this, sizeof *this);
    return bits;
}

ConversionPlan ConversionPlan::unpacked(std::int64_t bits) {
    ConversionPlan plan;
    std::memcpy(static_cast<void*>(&plan), &bits, sizeof plan);
    return plan;
}

namespace {

std::uint64_t low_bits(std::uint64_t bits, std::size_t bytes) {
    return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::uint64_t sign_extended(std::uint64_t bits, std::size_t bytes) {
    const unsigned shift = static_cast<unsigned>(64 - 8 * bytes);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
}

double flushed(double value, bool flush) {
    return flush && std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0, value)
                                                                         : value;
}

double float_value(Type type, std::uint64_t bits) {
    switch (type) {
        case Type::f16:
            return Half::decode(static_cast<std::uint16_t>(bits));
        case Type::bf16:
            return BrainFloat::decode(static_cast<std::uint16_t>(bits));
        case Type::f32: {
            float value;
            std::memcpy(&value, &bits, sizeof value);
            return value;
        }
        default: {
            double value;
            std::memcpy(&value, &bits, sizeof value);
            return value;
        }
    }
}

std::uint64_t bits_of_single(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7fffffffu : bits;
}

int mantissa_bits(Type type) {
    return type == Type::f64 ? 52 : type == Type::f32 ? 23 : type == Type::f16 ? 10 : 7;
}

/// To and from double precision, and from bf16, what fits of a NaN is kept; else there is only one.
std::uint64_t converted_nan(const ConversionPlan& plan, std::uint64_t bits) {
    const bool brain_to_single = plan.from == Type::bf16 && plan.to == Type::f32;
    const bool keeps = (plan.from == Type::f64 || plan.to == Type::f64) && plan.to != Type::bf16;
    if (brain_to_single) {
        return bits << 16;
    }
    if (plan.to == Type::f64 && plan.flush) {
        return 0x7fffffffe0000000u;  // the one of single precision
    }
    if (!keeps || plan.to == plan.from) {
        return plan.to == Type::f64   ? bits | (std::uint64_t{1} << 51)
               : plan.to == Type::f32 ? 0x7fffffffu
                                      : std::uint64_t{Half::not_a_number};
    }
    const int from_width = 8 * static_cast<int>(size_of(plan.from));
    const int to_width = 8 * static_cast<int>(size_of(plan.to));
    const int from_mantissa = mantissa_bits(plan.from), to_mantissa = mantissa_bits(plan.to);
    const std::uint64_t one = 1;
    const std::uint64_t payload = bits & ((one << from_mantissa) - 1);
    const std::uint64_t moved = to_mantissa > from_mantissa
                                    ? payload << (to_mantissa - from_mantissa)
                                    : payload >> (from_mantissa - to_mantissa);
    const std::uint64_t exponent = ((one << (to_width - 1)) - 1) & ~((one << to_mantissa) - 1);
    const std::uint64_t quiet = one << (to_mantissa - 1);
    return (bits >> (from_width - 1)) << (to_width - 1) | exponent | quiet | moved;
}

std::uint64_t float_bits(Type type, double value, Rounding rounding) {
    switch (type) {
        case Type::f16:
            return Half::encode(value, rounding);
        case Type::bf16:
            return BrainFloat::encode(value, rounding);
        case Type::f32:
            return bits_of_single(static_cast<float>(value));
        default: {
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            return bits;
        }
    }
}

std::uint64_t float_to_integer(Type to, Type from, double value, Rounding rounding) {
    const std::size_t bytes = size_of(to);
    const bool is_signed = is_signed_integer(to);
    if (value != value) {
        // As the hardware does: zero, unless either side is 64 bits wide.
        const bool wide = bytes == 8 || from == Type::f64;
        return wide ? std::uint64_t{1} << (8 * bytes - 1) : 0;
    }
    const double rounded = round_to_integral(value, rounding);
    const double limit = std::ldexp(1.0, static_cast<int>(8 * bytes) - (is_signed ? 1 : 0));
    const std::uint64_t most =
        is_signed ? (std::uint64_t{1} << (8 * bytes - 1)) - 1 : low_bits(~std::uint64_t{0}, bytes);
    if (rounded >= limit) {
        return most;
    }
    if (is_signed) {
        return rounded < -limit ? ~most
                                : static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded));
    }
    return rounded <= 0 ? 0 : static_cast<std::uint64_t>(rounded);
}

std::uint64_t integer_to_integer(Type to, std::uint64_t value, bool from_signed, bool saturate) {
    if (!saturate) {
        return value;
    }
    const std::size_t bytes = size_of(to);
    __extension__ typedef __int128 Wide;
    const Wide exact = from_signed ? Wide{static_cast<std::int64_t>(value)} : Wide{value};
    const Wide one = 1;
    const Wide least = is_signed_integer(to) ? -(one << (8 * bytes - 1)) : Wide{0};
    const Wide most = (one << (8 * bytes - (is_signed_integer(to) ? 1 : 0))) - 1;
    return static_cast<std::uint64_t>(std::clamp(exact, least, most));
}

/// What does not fit the 53 bits of a double is kept as a lowest bit that is set, so that rounding
/// to fewer bits comes out right.
std::uint64_t with_sticky_bit(std::uint64_t magnitude) {
    constexpr std::uint64_t below = (1u << 11) - 1;
    if ((magnitude >> 53) == 0 || (magnitude & below) == 0) {
        return magnitude;
    }
    return (magnitude & ~below) | (below + 1);
}

std::uint64_t integer_to_half(Type to, std::uint64_t value, bool from_signed, Rounding rounding) {
    const bool negative = from_signed && static_cast<std::int64_t>(value) < 0;
    const auto magnitude = static_cast<double>(with_sticky_bit(negative ? 0 - value : value));
    return float_bits(to, negative ? -magnitude : magnitude, rounding);
}

/// Rounded once, by the processor's mode.
std::uint64_t integer_to_float(Type to, std::uint64_t value, bool from_signed, Rounding rounding) {
    const auto as_signed = static_cast<std::int64_t>(value);
    if (to == Type::f32) {
        return bits_of_single(from_signed ? static_cast<float>(as_signed)
                                          : static_cast<float>(value));
    }
    if (to == Type::f64) {
        return float_bits(to,
                          from_signed ? static_cast<double>(as_signed) : static_cast<double>(value),
                          rounding);
    }
    return integer_to_half(to, value, from_signed, rounding);
}

/// tf32 is an f32 whose lowest 13 bits are zero.
std::uint32_t tf32_bits(std::uint32_t bits, const ConversionPlan& plan, Rounding rounding) {
    constexpr std::uint32_t sign = 0x80000000u, infinity = 0x7f800000u, dropped = 0x1fff;
    if ((bits & ~sign) > infinity && rounding != Rounding::nearest_away) {
        return 0x7fffe000u;
    }
    if (plan.relu && (bits & sign) != 0) {
        return 0;
    }
    std::uint32_t magnitude = bits & ~sign;
    if (rounding == Rounding::nearest_away) {
        magnitude += 0x1000;  // without a look at what is no number
    } else if (magnitude < infinity && rounding == Rounding::nearest) {
        magnitude += 0xfff + ((magnitude >> 13) & 1);
    }
    magnitude &= ~dropped;
    if (plan.saturate_finite && magnitude >= infinity) {
        magnitude = (infinity - 1) & ~dropped;
    }
    return (bits & sign) | magnitude;
}

/// One element of a pair, in the lowest bits.
std::uint32_t bits_in_pair(Type pair, double value, Rounding rounding) {
    switch (pair) {
        case Type::f16x2:
            return Half::encode(value, rounding);
        case Type::bf16x2:
            return BrainFloat::encode(value, rounding);
        case Type::e4m3x2:
            return E4m3::encode(value);
        default:
            return E5m2::encode(value);
    }
}

double limited(const ConversionPlan& plan, Type type, double value) {
    if (plan.relu && value <= 0) {
        return 0.0;
    }
    if (!plan.saturate_finite || value != value) {
        return value;
    }
    const bool brain = type == Type::bf16 || type == Type::bf16x2;
    const double greatest =
        brain ? BrainFloat::decode(BrainFloat::infinity - 1) : Half::decode(Half::infinity - 1);
    return std::clamp(value, -greatest, greatest);
}

std::uint64_t converted(const ConversionPlan& plan, const Instruction& instruction,
                        std::uint64_t bits) {
    const std::size_t from_bytes = size_of(plan.from);
    if (!is_float(plan.from)) {
        const bool from_signed = is_signed_integer(plan.from);
        const std::uint64_t value =
            from_signed ? sign_extended(bits, from_bytes) : low_bits(bits, from_bytes);
        return is_float(plan.to)
                   ? integer_to_float(plan.to, value, from_signed, instruction.rounding)
                   : integer_to_integer(plan.to, value, from_signed, instruction.saturate);
    }
    if (plan.to == Type::tf32) {
        return tf32_bits(static_cast<std::uint32_t>(bits), plan, instruction.rounding);
    }
    double value = float_value(plan.from, bits);
    if (value != value && is_float(plan.to) && !instruction.saturate && !plan.relu) {
        return converted_nan(plan, bits);
    }
    value = flushed(value, plan.flush && plan.from == Type::f32);
    if (!is_float(plan.to)) {
        return float_to_integer(plan.to, plan.from, value, instruction.rounding);
    }
    if (plan.integral) {
        value = round_to_integral(value, instruction.rounding);
    }
    if (instruction.saturate) {
        value = value > 0 ? std::min(value, 1.0) : 0.0;
    }
    value = limited(plan, plan.to, value);
    return float_bits(plan.to, flushed(value, plan.flush && plan.to == Type::f32),
                      instruction.rounding);
}

std::uint64_t read_register(const std::byte* registers, int lane, std::size_t width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, registers + lane * width, width);
    return bits;
}

}  // namespace

void convert_any(Warp& warp, const Instruction& instruction) {
    const ConversionPlan plan = ConversionPlan::unpacked(instruction.immediate);
    auto* d = warp.destination<std::byte>(instruction.d);
    const auto* a = warp.source<std::byte>(instruction.a);
    const std::size_t to_bytes = size_of(plan.to);
    for (int lane : ActiveLanes{warp.mask}) {
        std::uint64_t bits = converted(plan, instruction, read_register(a, lane, plan.from_width));
        bits =
            is_signed_integer(plan.to) ? sign_extended(bits, to_bytes) : low_bits(bits, to_bytes);
        std::memcpy(d + lane * plan.to_width, &bits, plan.to_width);
    }
}

void convert_pair(Warp& warp, const Instruction& instruction) {
    const ConversionPlan plan = ConversionPlan::unpacked(instruction.immediate);
    const auto* upper = warp.source<float>(instruction.a);
    const auto* lower = warp.source<float>(instruction.b);
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint32_t low =
            bits_in_pair(plan.to, limited(plan, plan.to, lower[lane]), instruction.rounding);
        const std::uint32_t high =
            bits_in_pair(plan.to, limited(plan, plan.to, upper[lane]), instruction.rounding);
        if (size_of(plan.to) == 2) {
            warp.destination<std::uint16_t>(instruction.d)[lane] =
                static_cast<std::uint16_t>(low | (high << 8));
        } else {
            warp.destination<std::uint32_t>(instruction.d)[lane] = low | (high << 16);
        }
    }
}

void convert_packed(Warp& warp, const Instruction& instruction) {
    const ConversionPlan plan = ConversionPlan::unpacked(instruction.immediate);
    for (int lane : ActiveLanes{warp.mask}) {
        std::uint32_t result = 0;
        if (size_of(plan.to) == 2) {
            const std::uint32_t pair = warp.source<std::uint32_t>(instruction.a)[lane];
            for (int half = 0; half < 2; ++half) {
                const double value = Half::decode(static_cast<std::uint16_t>(pair >> (16 * half)));
                result |=
                    bits_in_pair(plan.to, plan.relu && value <= 0 ? 0.0 : value, Rounding::nearest)
                    << (8 * half);
            }
            warp.destination<std::uint16_t>(instruction.d)[lane] =
                static_cast<std::uint16_t>(result);
            continue;
        }
        const std::uint16_t pair = warp.source<std::uint16_t>(instruction.a)[lane];
        for (int half = 0; half < 2; ++half) {
            const auto bits = static_cast<std::uint8_t>(pair >> (8 * half));
            const double value =
                plan.from == Type::e4m3x2 ? E4m3::decode(bits) : E5m2::decode(bits);
            result |= std::uint32_t{Half::encode(plan.relu && value <= 0 ? 0.0 : value)}
                      << (16 * half);
        }
        warp.destination<std::uint32_t>(instruction.d)[lane] = result;
    }
}

void pack_saturated(Warp& warp, const Instruction& instruction) {
    const ConversionPlan plan = ConversionPlan::unpacked(instruction.immediate);
    const std::size_t bytes = size_of(plan.to);
    auto* d = warp.destination<std::uint32_t>(instruction.d);
    const auto* a = warp.source<std::int32_t>(instruction.a);
    const auto* b = warp.source<std::int32_t>(instruction.b);
    const auto* c = warp.source<std::uint32_t>(instruction.c);
    const auto saturated = [&](std::int32_t value) {
        const auto wide = static_cast<std::uint64_t>(std::int64_t{value});
        return static_cast<std::uint32_t>(
            low_bits(integer_to_integer(plan.to, wide, true, true), bytes));
    };
    for (int lane : ActiveLanes{warp.mask}) {
        const std::uint32_t pair = (saturated(a[lane]) << (8 * bytes)) | saturated(b[lane]);
        d[lane] = bytes == 1 && instruction.has_result ? pair | (c[lane] << 16) : pair;
    }
}

}  // namespace vram::virtual_gpu::ptx
