// What instructions of PTX give, bit for bit.
//
// A fact holds a digest of the results of 512 threads, so that the recording stays small. With
// VRAM_CONFORMANCE_VALUES in the environment it holds the results themselves.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "grader/tests/conformance/instructions.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

constexpr unsigned threads_per_block = 128;
constexpr unsigned operand_count = 512;

// ---- operands -----------------------------------------------------------------------------------

/// The same numbers in every run (splitmix64).
class Numbers {
  public:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    unsigned below(unsigned limit) { return static_cast<unsigned>(next() % limit); }

  private:
    std::uint64_t state_ = 1;
};

/// A binary format, and patterns of it that are worth trying with each other.
struct Format {
    int bits;
    int mantissa_bits;
    std::vector<std::uint64_t> special;

    /// Any pattern, or one whose value lies between 2^-6 and 2^12, so that sums round.
    std::uint64_t any(Numbers& numbers) const {
        const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        const std::uint64_t pattern = numbers.next() & all;
        if (mantissa_bits == 0 || numbers.below(4) == 0) {
            return pattern;
        }
        const int exponent_bits = bits - 1 - mantissa_bits;
        const std::uint64_t bias = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
        const std::uint64_t exponents = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
        const std::uint64_t exponent = bias - 6 + numbers.below(18);
        return (pattern & ~exponents) | (exponent << mantissa_bits);
    }
};

Format halves() {
    return {16,
            10,
            {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x3555, 0x7bff, 0xfbff,
             0x7c00, 0xfc00, 0x7e00, 0x7d01, 0x4248}};
}

Format brains() {
    return {16,
            7,
            {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x3f80, 0xbf80, 0x3f81, 0x3eab, 0x7f7f, 0xff7f,
             0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x4049}};
}

Format singles() {
    return {32,
            23,
            {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000,
             0x3f800001, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
             0x7f800001, 0xc2f6e979}};
}

Format doubles() {
    return {
        64,
        52,
        {0x0000'0000'0000'0000, 0x8000'0000'0000'0000, 0x0000'0000'0000'0001, 0x800f'ffff'ffff'ffff,
         0x0010'0000'0000'0000, 0x3ff0'0000'0000'0000, 0xbff0'0000'0000'0000, 0x3ff0'0000'0000'0001,
         0x4009'21fb'5444'2d18, 0x7fef'ffff'ffff'ffff, 0xffef'ffff'ffff'ffff, 0x7ff0'0000'0000'0000,
         0xfff0'0000'0000'0000, 0x7ff8'0000'0000'0000, 0x7ff0'0000'0000'0001,
         0x47ef'ffff'ffff'ffff}};
}

Format integers() {
    return {64,
            0,
            {0, 1, 0x7f, 0x80, 0x8000, 0xffff, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff,
             0x0123'4567'89ab'cdef, 0x7fff'ffff'ffff'ffff, 0x8000'0000'0000'0000,
             0xffff'ffff'ffff'fff5, 0x5555'aaaa'5555'aaaa, 31, 33}};
}

/// Each two of the special patterns, then a mixture.
std::vector<Operands> mixture(const Format& format) {
    Numbers numbers;
    const auto specials = static_cast<unsigned>(format.special.size());
    const auto one = [&] {
        return numbers.below(4) == 0 ? format.special[numbers.below(specials)]
                                     : format.any(numbers);
    };
    /// 64 bits whose lowest value is `lowest`.
    const auto filled = [&](std::uint64_t lowest) {
        std::uint64_t bits = lowest;
        for (int at = format.bits; at < 64; at += format.bits) {
            bits |= one() << at;
        }
        return bits;
    };
    std::vector<Operands> operands;
    for (unsigned i = 0; i < operand_count; ++i) {
        const bool pair = i < specials * specials;
        const std::uint64_t a = pair ? format.special[i / specials] : one();
        const std::uint64_t b = pair ? format.special[i % specials] : one();
        const std::uint64_t first = filled(a), second = filled(b);
        operands.push_back({first, second, filled(one())});
    }
    return operands;
}

std::vector<Operands> small_integers() {
    Numbers numbers;
    std::vector<Operands> operands;
    for (unsigned i = 0; i < operand_count; ++i) {
        const std::uint64_t a = numbers.below(41), b = numbers.below(41);
        operands.push_back({a, b, numbers.below(41)});
    }
    return operands;
}

/// Each two of a few patterns, and the first again up to a full block.
std::vector<Operands> only(const std::vector<std::uint64_t>& patterns) {
    std::vector<Operands> operands;
    for (const std::uint64_t a : patterns) {
        for (const std::uint64_t b : patterns) {
            operands.push_back({a, b, 0});
        }
    }
    operands.resize(threads_per_block, operands.front());
    return operands;
}

std::vector<Operands> operands_of(OperandKind kind) {
    switch (kind) {
        case OperandKind::integers:
            return mixture(integers());
        case OperandKind::small_integers:
            return small_integers();
        case OperandKind::halves:
            return mixture(halves());
        case OperandKind::brains:
            return mixture(brains());
        case OperandKind::singles:
            return mixture(singles());
        case OperandKind::doubles:
            return mixture(doubles());
        case OperandKind::special_halves:
            return only({0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7d01});
        case OperandKind::special_brains:
            return only({0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x7f81});
        case OperandKind::special_singles:
            return only({0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001});
        case OperandKind::flushed_singles:
            return only({0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x807fffff});
        case OperandKind::special_doubles:
            return only({0, 0x8000'0000'0000'0000, 0x7ff0'0000'0000'0000, 0xfff0'0000'0000'0000,
                         0x7ff8'0000'0000'0000});
    }
    return {};
}

// ---- running ------------------------------------------------------------------------------------

/// Runs `kernel` once for each input and answers an error, or fills `out`.
template <typename In, typename Out>
cudaError_t run(const void* kernel, const std::vector<In>& in, std::vector<Out>& out) {
    In* device_in = nullptr;
    Out* device_out = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&device_in), in.size() * sizeof(In));
    cudaMalloc(reinterpret_cast<void**>(&device_out), in.size() * sizeof(Out));
    cudaMemcpy(device_in, in.data(), in.size() * sizeof(In), cudaMemcpyHostToDevice);
    void* arguments[] = {&device_in, &device_out};
    const auto blocks = static_cast<unsigned>(in.size() / threads_per_block);
    cudaError_t error =
        cudaLaunchKernel(kernel, dim3(blocks), dim3(threads_per_block), arguments, 0, nullptr);
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    out.resize(in.size());
    if (error == cudaSuccess) {
        error =
            cudaMemcpy(out.data(), device_out, out.size() * sizeof(Out), cudaMemcpyDeviceToHost);
    }
    cudaFree(device_in);
    cudaFree(device_out);
    cudaGetLastError();
    return error;
}

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string digest(const std::vector<std::uint64_t>& values) {
    std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a, eight bytes at a time
    for (const std::uint64_t value : values) {
        sum = (sum ^ value) * 0x100000001b3;
        sum ^= sum >> 29;
    }
    return hexadecimal(sum);
}

std::string list(const std::vector<std::uint64_t>& values) {
    std::string text;
    for (const std::uint64_t value : values) {
        text += (text.empty() ? "" : " ") + hexadecimal(value);
    }
    return text;
}

void tell_instructions(Facts& fact, std::initializer_list<OperandKind> kinds) {
    const bool in_full = std::getenv("VRAM_CONFORMANCE_VALUES") != nullptr;
    for (const OperandKind kind : kinds) {
        const std::vector<Operands> operands = operands_of(kind);
        const bool special = operands.size() <= threads_per_block;
        const std::string prefix = kind == OperandKind::small_integers ? "small " : "";
        for (const InstructionCase& one : instruction_cases()) {
            if (one.operands != kind) {
                continue;
            }
            std::vector<std::uint64_t> results;
            const cudaError_t error = run(one.kernel, operands, results);
            if (error != cudaSuccess) {
                fact(prefix + one.text, error);
                continue;
            }
            const std::string what = special ? "results " : "digest ";
            if (special) {
                results.resize(49);
            }
            fact(prefix + one.text, what + (in_full || special ? list(results) : digest(results)));
        }
    }
}

PROBE(instructions_on_integers) {
    tell_instructions(fact, {OperandKind::integers, OperandKind::small_integers});
}

PROBE(instructions_on_halves) {
    tell_instructions(fact, {OperandKind::halves, OperandKind::special_halves});
}

PROBE(instructions_on_brain_floats) {
    tell_instructions(fact, {OperandKind::brains, OperandKind::special_brains});
}

PROBE(instructions_on_singles) {
    tell_instructions(
        fact, {OperandKind::singles, OperandKind::special_singles, OperandKind::flushed_singles});
}

PROBE(instructions_on_doubles) {
    tell_instructions(fact, {OperandKind::doubles, OperandKind::special_doubles});
}

// ---- approximations -----------------------------------------------------------------------------

/// The largest errors are those of the PTX ISA's documentation.
struct Bound {
    const char* text;
    double from, to, step;
    bool relative;
    double largest_error;
    std::function<double(double)> exact;
};

const std::vector<Bound>& bounds() {
    static const double pi = std::acos(-1.0);
    static const std::vector<Bound> all = {
        {"sin.approx.f32", -pi, pi, 1e-3, false, std::exp2(-20.5),
         [](double x) { return std::sin(x); }},
        {"cos.approx.f32", -pi, pi, 1e-3, false, std::exp2(-20.5),
         [](double x) { return std::cos(x); }},
        {"tanh.approx.f32", -9, 9, 5e-3, true, std::exp2(-11),
         [](double x) { return std::tanh(x); }},
        {"ex2.approx.f32", -30, 30, 1e-2, true, std::exp2(-22),
         [](double x) { return std::exp2(x); }},
        {"lg2.approx.f32", 0.5, 2, 1e-3, false, std::exp2(-22),
         [](double x) { return std::log2(x); }},
        {"lg2.approx.f32", 2.5, 1000, 0.3, true, std::exp2(-22),
         [](double x) { return std::log2(x); }},
        {"rcp.approx.f32", 0.01, 100, 0.05, true, std::exp2(-23), [](double x) { return 1 / x; }},
        {"rsqrt.approx.f32", 0.01, 100, 0.05, true, std::exp2(-22.9),
         [](double x) { return 1 / std::sqrt(x); }},
        {"sqrt.approx.f32", 0.01, 100, 0.05, true, std::exp2(-23),
         [](double x) { return std::sqrt(x); }},
        {"div.approx.f32", 0.01, 100, 0.05, true, std::exp2(-22), [](double x) { return 3 / x; }},
        {"div.full.f32", 0.01, 100, 0.05, true, std::exp2(-22), [](double x) { return 3 / x; }},
        // All of these can be held in a bf16 and in an f16.
        {"tanh.approx.f16", -7.9375, 7.9375, 0.0625, false, std::exp2(-10.987),
         [](double x) { return std::tanh(x); }},
        {"ex2.approx.f16", -7.9375, 7.9375, 0.0625, true, std::exp2(-9.9),
         [](double x) { return std::exp2(x); }},
        {"tanh.approx.bf16", -7.9375, 7.9375, 0.0625, false, std::exp2(-8),
         [](double x) { return std::tanh(x); }},
        {"ex2.approx.ftz.bf16", -7.9375, 7.9375, 0.0625, true, std::exp2(-7),
         [](double x) { return std::exp2(x); }},
    };
    return all;
}

PROBE(approximations_within_their_bounds) {
    for (const Bound& bound : bounds()) {
        std::vector<float> in;
        for (double x = bound.from; x <= bound.to; x += bound.step) {
            in.push_back(static_cast<float>(x));
        }
        while (in.size() % threads_per_block != 0) {
            in.push_back(in.front());
        }
        char name[96];
        std::snprintf(name, sizeof name, "%s from %g to %g", bound.text, bound.from, bound.to);
        for (const Approximation& one : approximations()) {
            if (std::string(one.text) != bound.text) {
                continue;
            }
            std::vector<float> out;
            const cudaError_t error = run(one.kernel, in, out);
            double largest = 0;
            for (std::size_t i = 0; i < in.size(); ++i) {
                const double exact = bound.exact(in[i]);
                const double difference = std::fabs(out[i] - exact);
                const double weight = bound.relative && exact != 0 ? 1 / std::fabs(exact) : 1;
                largest = std::max(largest, difference * weight);
            }
            fact(name, {error, largest <= bound.largest_error});
            if (std::getenv("VRAM_CONFORMANCE_VALUES") != nullptr) {
                fact(std::string(name) + ", largest error by bound", largest / bound.largest_error);
            }
        }
    }
}

}  // namespace
}  // namespace vram::conformance
