// Results of arithmetic, against the same computed by the host.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "grader/tests/ptx/kernel_test.h"
#include "grader/virtual_gpu/ptx/half_format.h"

namespace vram::virtual_gpu::ptx {
namespace {

class Arithmetic : public KernelTestOfBothFlavours {
  protected:
    void SetUp() override { load_kernels("numbers"); }
};
FOR_BOTH_FLAVOURS(Arithmetic);

int reversed(unsigned value) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; ++bit) {
        result |= ((value >> bit) & 1u) << (31 - bit);
    }
    return static_cast<int>(result);
}

TEST_P(Arithmetic, Integers) {
    const std::vector<int> a = {0,  1,  -1, 7,      -7,        INT32_MAX, INT32_MIN, 123456789,
                                42, -3, 31, 0x5555, -87654321, 2,         65536,     -65537};
    std::vector<int> b(a.rbegin(), a.rend());
    const std::uint64_t out = memory.allocate(16 * 24 * 4);
    run("integers", {1}, {16}, memory.upload(a), memory.upload(b), out, 16);
    const std::vector<int> r = memory.download<int>(out, 16 * 24);
    for (int i = 0; i < 16; ++i) {
        const int x = a[i], y = b[i];
        const unsigned ux = x, uy = y;
        const long long lx = x, ly = y;
        int dot = 5;
        for (int byte = 0; byte < 4; ++byte) {
            dot += static_cast<signed char>(ux >> (8 * byte)) *
                   static_cast<signed char>(uy >> (8 * byte));
        }
        const std::vector<int> expected = {
            static_cast<int>(ux + uy),
            static_cast<int>(ux - uy),
            static_cast<int>(ux * uy),
            y != 0 ? static_cast<int>(lx / (ly | 1)) : 0,
            y != 0 ? static_cast<int>(lx % (ly | 1)) : 0,
            static_cast<int>(ux / (uy | 1)),
            static_cast<int>(ux % (uy | 1)),
            static_cast<int>((lx * ly) >> 32),
            static_cast<int>((static_cast<unsigned long long>(ux) * uy) >> 32),
            std::min(x, y),
            static_cast<int>(std::max(ux, uy)),
            __builtin_popcount(ux),
            ux == 0 ? 32 : __builtin_clz(ux),
            __builtin_ffs(x),
            reversed(ux),
            x >> (y & 31),
            static_cast<int>(ux >> (y & 31)),
            static_cast<int>(ux << (y & 31)),
            static_cast<int>(((ux >> 8) & 0xff) | ((ux >> 24) << 8) | (((uy >> 8) & 0xff) << 16) |
                             ((uy >> 24) << 24)),
            static_cast<int>((ux << 7) | (ux >> 25)),
            dot,
            static_cast<int>(3u + static_cast<unsigned>(lx < ly ? ly - lx : lx - ly)),
            x < 0 ? static_cast<int>(0u - ux) : x,
            (x ^ ~y) & (x | y),
        };
        const std::vector<int> got(r.begin() + i * 24, r.begin() + i * 24 + 24);
        ASSERT_EQ(got, expected) << x << " " << y;
    }
}

TEST_P(Arithmetic, LongIntegers) {
    const std::vector<long long> a = {
        0, 1, -1, INT64_MAX, INT64_MIN + 1, 1234567890123456789LL, -42, 1LL << 40};
    const std::vector<long long> b(a.rbegin(), a.rend());
    const std::uint64_t out = memory.allocate(8 * 10 * 8);
    run("long_integers", {1}, {8}, memory.upload(a), memory.upload(b), out);
    const std::vector<long long> r = memory.download<long long>(out, 80);
    __extension__ typedef __int128 Wide;
    for (int i = 0; i < 8; ++i) {
        const long long x = a[i], y = b[i];
        const auto ux = static_cast<unsigned long long>(x), uy = static_cast<unsigned long long>(y);
        EXPECT_EQ(r[i * 10], static_cast<long long>(ux * uy));
        EXPECT_EQ(r[i * 10 + 1], x / (y | 1));
        EXPECT_EQ(r[i * 10 + 2], x % (y | 1));
        EXPECT_EQ(r[i * 10 + 3], static_cast<long long>((static_cast<Wide>(x) * y) >> 64));
        EXPECT_EQ(r[i * 10 + 4], static_cast<long long>(ux / (uy | 1)));
        EXPECT_EQ(r[i * 10 + 5], __builtin_popcountll(ux));
        EXPECT_EQ(r[i * 10 + 6], ux == 0 ? 64 : __builtin_clzll(ux));
        EXPECT_EQ(r[i * 10 + 8], x >> (y & 63));
        EXPECT_EQ(r[i * 10 + 9], std::min(x, y));
    }
}

TEST_P(Arithmetic, Carries) {
    const std::vector<unsigned> a = {~0u, ~0u, ~0u, 1, 5, ~0u, 0, 0};
    const std::vector<unsigned> b = {1, 0, 0, 2, 7, 1, ~0u, 9};
    const std::uint64_t out = memory.allocate(32);
    run("wide_sum", {1}, {2}, memory.upload(a), memory.upload(b), out);
    EXPECT_EQ(memory.download<unsigned>(out, 8), (std::vector<unsigned>{0, 0, 0, 4, 12, 0, 0, 10}));
}

TEST_P(Arithmetic, BitFields) {
    std::vector<unsigned> a(32);
    for (unsigned i = 0; i < 32; ++i) {
        a[i] = 2654435761u * (i + 1);
    }
    const std::uint64_t out = memory.allocate(32 * 16);
    run("bit_fields", {1}, {32}, memory.upload(a), out);
    const std::vector<unsigned> r = memory.download<unsigned>(out, 128);
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned field = (a[i] >> i) & 0x7f;
        const unsigned top = std::min(i + 6, 31u);
        const int kept = std::min(7u, 32 - i);
        const bool negative = (a[i] >> top) & 1u;
        const unsigned mask = (kept >= 32 ? 0 : (1u << kept)) - 1;
        EXPECT_EQ(r[i * 4], field & mask);
        EXPECT_EQ(r[i * 4 + 1], negative ? (field & mask) | ~mask : field & mask);
        const unsigned insert_mask = 0x1ffu << i;
        EXPECT_EQ(r[i * 4 + 2], (~a[i] & ~insert_mask) | ((a[i] << i) & insert_mask));
        EXPECT_EQ(r[i * 4 + 3], 31u - __builtin_clz(a[i]));
    }
}

TEST_P(Arithmetic, Singles) {
    const std::vector<float> a = {0.0f, 1.5f, -2.5f, 1e30f, -1e-30f, 3.14159f, 0.7f, -0.5f};
    const std::vector<float> b = {1.0f, -2.0f, 2.5f, 3e10f, 1e-30f, 0.1f, 0.7f, 123456.0f};
    const std::uint64_t out = memory.allocate(8 * 20 * 4);
    run("singles", {1}, {8}, memory.upload(a), memory.upload(b), out);
    const std::vector<float> r = memory.download<float>(out, 160);
    const auto rounded = [](int mode, auto compute) {
        std::fesetround(mode);
        const float value = compute();
        std::fesetround(FE_TONEAREST);
        return value;
    };
    for (int i = 0; i < 8; ++i) {
        const volatile float vx = a[i], vy = b[i];
        const float x = a[i], y = b[i];
        const std::vector<float> expected = {
            x + y,
            x * y,
            x / y,
            std::fma(x, y, 1.5f),
            std::sqrt(std::fabs(x)),
            std::fmin(x, y),
            std::fmax(x, y),
            std::floor(x),
            std::ceil(x),
            std::trunc(x),
            std::nearbyint(x),
            std::fabs(x) < 2e9f ? static_cast<float>(static_cast<int>(x)) : 2147483648.0f,
            std::copysign(x, y),
            rounded(FE_TOWARDZERO, [&] { return vx + vy; }),
            rounded(FE_UPWARD, [&] { return vx + vy; }),
            rounded(FE_DOWNWARD, [&] { return vx * vy; }),
            x > 0 ? std::min(x, 1.0f) : 0.0f,
            std::fabs(y) < 4e9f ? std::trunc(std::fabs(y)) : 4294967296.0f,
            static_cast<float>(static_cast<double>(x) * y),
            x < y ? 1.0f : (x == y ? 0.5f : 0.0f),
        };
        const std::vector<float> got(r.begin() + i * 20, r.begin() + i * 20 + 20);
        ASSERT_EQ(got, expected) << x << " " << y;
    }
}

TEST_P(Arithmetic, FunctionsWithinTheirDocumentedError) {
    std::vector<float> a(32);
    for (int i = 0; i < 32; ++i) {
        a[i] = 0.1f + 0.61f * static_cast<float>(i);
    }
    const std::uint64_t out = memory.allocate(32 * 12 * 4);
    run("functions", {1}, {32}, memory.upload(a), out);
    const std::vector<float> r = memory.download<float>(out, 32 * 12);
    const float epsilon = std::numeric_limits<float>::epsilon();
    for (int i = 0; i < 32; ++i) {
        const double x = a[i];
        const double expected[12] = {std::sin(x),      std::cos(x),       std::exp(x),
                                     std::log(x),      std::pow(x, 1.7f), std::tanh(x),
                                     1 / std::sqrt(x), std::sin(x),       std::exp(x),
                                     std::log(x),      std::erf(x),       std::atan2(x, 2.0)};
        // Units in the last place, after the tables of the CUDA C++ Programming Guide; the
        // absolute errors of __sinf and __logf are given for small arguments only.
        const double units[12] = {2, 2, 2, 1, 4, 2, 2, 0, 2 + 1.173 * x, 3, 2, 3};
        for (int f = 0; f < 12; ++f) {
            const double allowed =
                f == 7 ? 3e-6 * std::max(1.0, x)
                       : (units[f] + 1) * epsilon * std::max(std::fabs(expected[f]), 1e-3);
            EXPECT_NEAR(r[i * 12 + f], expected[f], allowed) << f << " of " << x;
        }
    }
}

TEST_P(Arithmetic, Doubles) {
    std::vector<double> a(16);
    for (int i = 0; i < 16; ++i) {
        a[i] = 0.1 + 0.77 * i;
    }
    const std::uint64_t out = memory.allocate(16 * 8 * 8);
    run("doubles", {1}, {16}, memory.upload(a), out);
    const std::vector<double> r = memory.download<double>(out, 128);
    for (int i = 0; i < 16; ++i) {
        const double x = a[i];
        EXPECT_EQ(r[i * 8], x / 3.0);
        EXPECT_EQ(r[i * 8 + 1], std::sqrt(x));
        EXPECT_NEAR(r[i * 8 + 2], std::exp(x), 1e-15 * std::exp(x));
        EXPECT_NEAR(r[i * 8 + 3], std::log(x), 1e-15 * (1 + std::fabs(std::log(x))));
        EXPECT_NEAR(r[i * 8 + 4], std::sin(x), 1e-15);
        EXPECT_NEAR(r[i * 8 + 5], std::pow(x, 2.5), 2e-15 * std::pow(x, 2.5));
        EXPECT_EQ(r[i * 8 + 6], std::trunc(x));
        EXPECT_EQ(r[i * 8 + 7], std::fma(x, x, -x));
    }
}

TEST(HalfFormats, EveryValueSurvivesARoundTrip) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double value = Half::decode(half);
        if (value == value) {
            ASSERT_EQ(Half::encode(value), half);
        } else {
            ASSERT_EQ(Half::encode(value), Half::not_a_number);
        }
        const double brain = BrainFloat::decode(half);
        if (brain == brain) {
            ASSERT_EQ(BrainFloat::encode(brain), half);
        }
    }
}

TEST(HalfFormats, TiesGoToEven) {
    EXPECT_EQ(Half::encode(1.0 + std::ldexp(1, -11)), 0x3c00);
    EXPECT_EQ(Half::encode(1.0 + 3 * std::ldexp(1, -11)), 0x3c02);
    EXPECT_EQ(Half::encode(65519.9), 0x7bff);
    EXPECT_EQ(Half::encode(65520), Half::infinity);
    EXPECT_EQ(Half::encode(1e9, Rounding::zero), 0x7bff);
    EXPECT_EQ(Half::encode(std::ldexp(1, -25)), 0);
    EXPECT_EQ(Half::encode(std::ldexp(1, -24)), 1);
    EXPECT_EQ(Half::encode(-std::ldexp(3, -25)), 0x8002);
}

TEST_P(Arithmetic, Halves) {
    const std::vector<double> a = {1.0, 0.1, 60000, -2.5, 0.0001}, b = {2.0, 0.7, 60000, 3, 0.5};
    std::vector<std::uint16_t> ha, hb;
    for (int i = 0; i < 5; ++i) {
        ha.push_back(Half::encode(a[i]));
        hb.push_back(Half::encode(b[i]));
    }
    const std::uint64_t out = memory.allocate(5 * 16);
    run("halves", {1}, {5}, memory.upload(ha), memory.upload(hb), out);
    const auto r = memory.download<std::uint16_t>(out, 40);
    for (int i = 0; i < 5; ++i) {
        const double x = Half::decode(ha[i]), y = Half::decode(hb[i]);
        const std::vector<std::uint16_t> expected = {
            Half::encode(x + y),
            Half::encode(x * y),
            Half::encode(x * y + x),
            Half::encode(x - y),
            Half::encode(static_cast<float>(x) * 0.3f),
            Half::encode(-x),
            Half::encode(x + y),
            Half::encode(y + y),
        };
        const std::vector<std::uint16_t> got(r.begin() + i * 8, r.begin() + i * 8 + 8);
        EXPECT_EQ(got, expected) << i;
    }
}

TEST_P(Arithmetic, BrainFloatsAndHalfAtomics) {
    const std::vector<float> a = {1.0f, 3.14159f, -1e20f, 65537.0f};
    const std::uint64_t out = memory.allocate(8);
    run("round_to_bfloat", {1}, {4}, memory.upload(a), out);
    const auto r = memory.download<std::uint16_t>(out, 4);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(r[i], BrainFloat::encode(a[i]));
    }
    const std::uint64_t sum = memory.upload(std::vector<std::uint32_t>{0});
    run("add_halves", {1}, {32}, sum);
    EXPECT_EQ(Half::decode(memory.download<std::uint16_t>(sum, 2)[0]), 32.0);
    EXPECT_EQ(Half::decode(memory.download<std::uint16_t>(sum, 2)[1]), 16.0);
}

TEST_P(Arithmetic, Bytes) {
    const std::vector<signed char> a = {1, -2, 127, -128};
    const std::vector<unsigned char> b = {5, 255, 7, 0};
    const std::uint64_t out = memory.allocate(8);
    run("bytes", {1}, {4}, memory.upload(a), memory.upload(b), out);
    EXPECT_EQ(memory.download<short>(out, 4), (std::vector<short>{-2, -261, 374, -384}));
}

TEST_P(Arithmetic, Atomics) {
    const std::uint64_t i = memory.upload(std::vector<int>(80, 0));
    const std::uint64_t u = memory.upload(std::vector<unsigned>{~0u, 0, 0, 0, 0});
    const std::uint64_t q = memory.upload(std::vector<unsigned long long>{0, 0});
    const std::uint64_t f = memory.upload(std::vector<float>{0});
    const std::uint64_t d = memory.upload(std::vector<double>{0});
    run("atomics", {1}, {64}, i, u, q, f, d);
    const std::vector<int> ints = memory.download<int>(i, 74);
    EXPECT_EQ(ints[0], 63);
    EXPECT_EQ(ints[1], 0);
    EXPECT_EQ(ints[2], 63);
    EXPECT_EQ(ints[3], 1);
    EXPECT_EQ(ints[4], -64);
    EXPECT_EQ(ints[5], 128);
    EXPECT_EQ(ints[10 + 63], 126);
    const std::vector<unsigned> bits = memory.download<unsigned>(u, 5);
    EXPECT_EQ(bits[0], 0u);
    EXPECT_EQ(bits[1], 63u);
    EXPECT_EQ(bits[2], 0u);
    EXPECT_EQ(bits[3], 64u % 11);
    EXPECT_EQ(bits[4], (11u - 64u % 11u) % 11u);
    EXPECT_EQ(memory.download<unsigned long long>(q, 2),
              (std::vector<unsigned long long>{64, 63ull << 40}));
    EXPECT_EQ(memory.download<float>(f, 1)[0], 64);
    EXPECT_EQ(memory.download<double>(d, 1)[0], 32);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
