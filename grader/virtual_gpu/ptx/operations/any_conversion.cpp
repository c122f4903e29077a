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

/// What is left of a NaN of double precision.
std::uint64_t bits_of_narrowed_nan(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
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

/// Rounded once, by the processor's mode.
std::uint64_t integer_to_float(Type to, std::uint64_t value, bool from_signed, Rounding rounding) {
    const auto as_signed = static_cast<std::int64_t>(value);
    if (to == Type::f32) {
        return bits_of_single(from_signed ? static_cast<float>(as_signed)
                                          : static_cast<float>(value));
    }
    return float_bits(to, from_signed ? static_cast<double>(as_signed) : static_cast<double>(value),
                      rounding);
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
    double value = float_value(plan.from, bits);
    if (value != value && plan.from == Type::f64 && plan.to == Type::f32) {
        return bits_of_narrowed_nan(static_cast<float>(value));
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
    if (plan.relu && value <= 0) {
        value = 0.0;
    }
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
    auto* d = warp.destination<std::uint32_t>(instruction.d);
    const auto* upper = warp.source<float>(instruction.a);
    const auto* lower = warp.source<float>(instruction.b);
    for (int lane : ActiveLanes{warp.mask}) {
        double values[2] = {lower[lane], upper[lane]};
        std::uint32_t halves[2];
        for (int half = 0; half < 2; ++half) {
            if (plan.relu && values[half] <= 0) {
                values[half] = 0.0;
            }
            halves[half] =
                static_cast<std::uint32_t>(float_bits(plan.to, values[half], instruction.rounding));
        }
        d[lane] = halves[0] | (halves[1] << 16);
    }
}

}  // namespace vram::virtual_gpu::ptx
