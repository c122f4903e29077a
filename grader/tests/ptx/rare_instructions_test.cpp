// Instructions on bits and parts of words, halves and brain floats, and what is refused. What each
// should give is worked out here from its description in the PTX ISA.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "grader/tests/ptx/instruction_test.h"

namespace vram::virtual_gpu::ptx {
namespace {

// ---- integers -----------------------------------------------------------------------------------

S32 signed_part(U64 word, int bits, int number) {
    const U32 raw = static_cast<U32>(word) << (32 - bits * (number + 1));
    return static_cast<S32>(raw) >> (32 - bits);
}
U32 unsigned_part(U64 word, int bits, int number) {
    return (static_cast<U32>(word) >> (bits * number)) & ((1u << bits) - 1);
}
/// The parts of a word that `f(number)` gives.
template <class F>
U64 parts(int bits, F f) {
    U32 word = 0;
    for (int number = 0; number < 32 / bits; ++number) {
        word |= (static_cast<U32>(f(number)) & ((1u << bits) - 1)) << (bits * number);
    }
    return word;
}
S32 limited(S64 value) {
    return static_cast<S32>(
        std::clamp<S64>(value, std::numeric_limits<S32>::min(), std::numeric_limits<S32>::max()));
}

TEST_F(Instructions, OnTwoHalvesOfAWord) {
    const auto each = [](auto combine) {
        return [=](const Operands& o) {
            return parts(16, [&](int n) {
                return combine(signed_part(o.a, 16, n), signed_part(o.b, 16, n));
            });
        };
    };
    const auto each_unsigned = [](auto combine) {
        return [=](const Operands& o) {
            return parts(16, [&](int n) {
                return combine(unsigned_part(o.a, 16, n), unsigned_part(o.b, 16, n));
            });
        };
    };
    check32({
        {"add.u16x2 %r0, %r1, %r2;", each([](S32 a, S32 b) { return a + b; })},
        {"add.s16x2 %r0, %r1, %r2;", each([](S32 a, S32 b) { return a + b; })},
        {"min.s16x2 %r0, %r1, %r2;", each([](S32 a, S32 b) { return std::min(a, b); })},
        {"max.s16x2 %r0, %r1, %r2;", each([](S32 a, S32 b) { return std::max(a, b); })},
        {"min.u16x2 %r0, %r1, %r2;", each_unsigned([](U32 a, U32 b) { return std::min(a, b); })},
        {"max.u16x2 %r0, %r1, %r2;", each_unsigned([](U32 a, U32 b) { return std::max(a, b); })},
        {"min.relu.s16x2 %r0, %r1, %r2;",
         each([](S32 a, S32 b) { return std::max(std::min(a, b), 0); })},
        {"max.s16x2.relu %r0, %r1, %r2;", each([](S32 a, S32 b) {
             return std::max({a, b, 0});
         })},
        {"min.relu.s32 %r0, %r1, %r2;",
         [](auto& o) { return U64(U32(std::max(std::min(low<S32>(o.a), low<S32>(o.b)), 0))); }},
        {"max.relu.s32 %r0, %r1, %r2;",
         [](auto& o) {
             return U64(U32(std::max({low<S32>(o.a), low<S32>(o.b), 0})));
         }},
    });
}

TEST_F(Instructions, OnTheBytesOfAWord) {
    check32({
        {"vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return parts(8, [&](int n) {
                 return std::abs(S32(unsigned_part(o.a, 8, n)) - S32(unsigned_part(o.b, 8, n)));
             });
         }},
        {"vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;",
         [](auto& o) {
             U32 sum = low<U32>(o.c);
             for (int n = 0; n < 4; ++n) {
                 sum += std::abs(S32(unsigned_part(o.a, 8, n)) - S32(unsigned_part(o.b, 8, n)));
             }
             return U64{sum};
         }},
        {"vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return parts(
                 8, [&](int n) { return unsigned_part(o.a, 8, n) + unsigned_part(o.b, 8, n); });
         }},
        {"vsub2.s32.s32.s32.sat %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return parts(16, [&](int n) {
                 return std::clamp(signed_part(o.a, 16, n) - signed_part(o.b, 16, n), -32768,
                                   32767);
             });
         }},
        {"vavrg4.u32.u32.u32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return parts(8, [&](int n) {
                 return (unsigned_part(o.a, 8, n) + unsigned_part(o.b, 8, n) + 1) / 2;
             });
         }},
        {"vmax4.s32.s32.s32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return parts(8, [&](int n) {
                 return std::max(signed_part(o.a, 8, n), signed_part(o.b, 8, n));
             });
         }},
        {"vset4.u32.u32.lt %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return parts(
                 8, [&](int n) { return unsigned_part(o.a, 8, n) < unsigned_part(o.b, 8, n); });
         }},
    });
}

TEST_F(Instructions, OnProductsOf24BitsAndSaturation) {
    const auto product = [](const Operands& o) {
        const S64 a = low<S32>(o.a << 8) >> 8, b = low<S32>(o.b << 8) >> 8;
        return (a * b) >> 16;
    };
    check32({
        {"mul24.hi.s32 %r0, %r1, %r2;", [=](auto& o) { return U64(U32(product(o))); }},
        {"mul24.hi.u32 %r0, %r1, %r2;",
         [](auto& o) { return U64(U32(((o.a & 0xffffff) * (o.b & 0xffffff)) >> 16)); }},
        {"mad24.hi.s32 %r0, %r1, %r2, %r3;",
         [=](auto& o) { return U64(U32(product(o)) + low<U32>(o.c)) & 0xffffffff; }},
        {"mad24.hi.sat.s32 %r0, %r1, %r2, %r3;",
         [=](auto& o) { return U64(U32(limited(S32(product(o)) + S64{low<S32>(o.c)}))); }},
        {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             const S64 high = (S64{low<S32>(o.a)} * low<S32>(o.b)) >> 32;
             return U64(U32(limited(high + low<S32>(o.c))));
         }},
    });
}

TEST_F(Instructions, ThatCarryIntoTheHighHalfOfASignedProduct) {
    const auto high = [](const Operands& o) {
        return static_cast<U32>((S64{low<S32>(o.a)} * low<S32>(o.b)) >> 32);
    };
    check32({
        {"mad.hi.cc.s32 %r0, %r1, %r2, %r3;",
         [=](auto& o) { return U64{high(o) + low<U32>(o.c)} & 0xffffffff; }},
        {"mad.hi.cc.s32 %r0, %r1, %r2, %r3; addc.u32 %r0, 0, 0;",
         [=](auto& o) { return (U64{high(o)} + low<U32>(o.c)) >> 32; }},
        {"add.cc.u32 %r0, %r2, %r3; madc.hi.s32 %r0, %r1, %r2, %r3;",
         [=](auto& o) {
             const U64 carry = (U64{low<U32>(o.b)} + low<U32>(o.c)) >> 32;
             return U64{high(o) + low<U32>(o.c) + U32(carry)} & 0xffffffff;
         }},
    });
}

TEST_F(Instructions, OnBits) {
    const auto nth = [](U32 mask, S32 base, S32 offset) -> U64 {
        if (offset == 0) {
            return (mask >> base) & 1 ? base : 0xffffffff;
        }
        S64 count = std::abs(S64{offset}) - 1;
        for (S32 at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
            if (((mask >> at) & 1) != 0 && count-- == 0) {
                return at;
            }
        }
        return 0xffffffff;
    };
    const auto extended = [](U32 a, U32 width, bool with_sign) -> U64 {
        const U64 kept = a & ((U64{1} << width) - 1);
        const bool negative = with_sign && width > 0 && ((kept >> (width - 1)) & 1) != 0;
        return (negative ? kept | (~U64{0} << width) : kept) & 0xffffffff;
    };
    const auto mask = [](U32 position, U32 width) -> U64 {
        return (((U64{1} << width) - 1) << position) & 0xffffffff;
    };
    std::vector<Operands> small;
    for (U64 a = 0; a < 40; ++a) {
        for (U64 b = 0; b < 40; ++b) {
            small.push_back({a, b, a * 0x9e3779b97f4a7c15 ^ b});
        }
    }
    const std::vector<Case> cases = {
        {"and.b32 %r4, %r1, 31; sub.s32 %r5, %r2, 20; fns.b32 %r0, %r3, %r4, %r5;",
         [=](auto& o) { return nth(low<U32>(o.c), o.a & 31, S32(o.b) - 20); }},
        {"szext.wrap.s32 %r0, %r3, %r2;",
         [=](auto& o) { return extended(low<U32>(o.c), o.b & 31, true); }},
        {"szext.clamp.s32 %r0, %r3, %r2;",
         [=](auto& o) { return extended(low<U32>(o.c), std::min<U32>(o.b, 32), true); }},
        {"szext.wrap.u32 %r0, %r3, %r2;",
         [=](auto& o) { return extended(low<U32>(o.c), o.b & 31, false); }},
        {"szext.clamp.u32 %r0, %r3, %r2;",
         [=](auto& o) { return extended(low<U32>(o.c), std::min<U32>(o.b, 32), false); }},
        {"bmsk.wrap.b32 %r0, %r1, %r2;", [=](auto& o) { return mask(o.a & 31, o.b & 31); }},
        {"bmsk.clamp.b32 %r0, %r1, %r2;",
         [=](auto& o) { return o.a >= 32 ? 0 : mask(o.a, std::min<U32>(o.b, 32)); }},
    };
    check(cases, "cvt.u64.u32 %rd0, %r0;", small);
}

TEST_F(Instructions, ThatPermuteBytesInAMode) {
    // For each selector the bytes of {b, a} that are taken, the highest first.
    const auto taken = [](std::initializer_list<const char*> rows) {
        std::vector<std::string> kept(rows.begin(), rows.end());
        return [=](const Operands& o) {
            const U64 bytes = U64{low<U32>(o.b)} << 32 | low<U32>(o.a);
            U64 result = 0;
            for (const char digit : kept[o.c & 3]) {
                result = result << 8 | ((bytes >> (8 * (digit - '0'))) & 0xff);
            }
            return result;
        };
    };
    check32({
        {"prmt.b32.f4e %r0, %r1, %r2, %r3;", taken({"3210", "4321", "5432", "6543"})},
        {"prmt.b32.b4e %r0, %r1, %r2, %r3;", taken({"5670", "6701", "7012", "0123"})},
        {"prmt.b32.rc8 %r0, %r1, %r2, %r3;", taken({"0000", "1111", "2222", "3333"})},
        {"prmt.b32.ecl %r0, %r1, %r2, %r3;", taken({"3210", "3211", "3222", "3333"})},
        {"prmt.b32.ecr %r0, %r1, %r2, %r3;", taken({"0000", "1110", "2210", "3210"})},
        {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", taken({"1010", "3232", "1010", "3232"})},
    });
}

TEST_F(Instructions, OnPredicates) {
    const auto table = [](const Operands& o) {  // 0x6a: (a & b) ^ c
        return (low<U32>(o.a) & low<U32>(o.b)) ^ low<U32>(o.c);
    };
    const auto less = [](const Operands& o) { return low<U32>(o.a) < low<U32>(o.b); };
    check(
        {
            {"setp.lt.u32 %p1, %r1, %r2; lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x6a, %p1;"
             " selp.u64 %rd0, 1, 0, %p0;",
             [=](auto& o) { return U64{table(o) != 0 || less(o)}; }},
            {"setp.lt.u32 %p1, %r1, %r2; lop3.and.b32 %r0|%p0, %r1, %r2, %r3, 0x6a, !%p1;"
             " selp.u64 %rd0, 1, 0, %p0;",
             [=](auto& o) { return U64{table(o) != 0 && !less(o)}; }},
            {"setp.lt.u32 %p1, %r1, %r2; lop3.and.b32 %r0|_, %r1, %r2, %r3, 0x6a, %p1;"
             " cvt.u64.u32 %rd0, %r0;",
             [=](auto& o) { return U64{table(o)}; }},
            {"setp.lt.u32 %p1, %r1, %r2; setp.eq.u32 %p2, %r2, %r3; and.pred %p0, !%p1, %p2;"
             " selp.u64 %rd0, 1, 0, %p0;",
             [=](auto& o) { return U64{!less(o) && low<U32>(o.b) == low<U32>(o.c)}; }},
            {"setp.lt.u32 %p1, %r1, %r2; setp.eq.u32 %p2, %r2, %r3; or.pred %p0, %p1, !%p2;"
             " selp.u64 %rd0, 1, 0, %p0;",
             [=](auto& o) { return U64{less(o) || low<U32>(o.b) != low<U32>(o.c)}; }},
            {"setp.lt.u32 %p1, %r1, %r2; xor.pred %p0, %p1, 1; selp.u64 %rd0, 1, 0, %p0;",
             [=](auto& o) { return U64{!less(o)}; }},
        },
        "", combinations(integers()));
}

TEST_F(Instructions, ThatPackAndUnpackBytes) {
    check32({
        {"{ .reg.b8 %b<4>; mov.b32 {%b0, %b1, %b2, %b3}, %r1;"
         " mov.b32 %r0, {%b3, %b2, %b1, %b0}; }",
         [](auto& o) { return U64{__builtin_bswap32(low<U32>(o.a))}; }},
        {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;",
         [](auto& o) {
             const U32 upper = U16(std::clamp(low<S32>(o.a), -32768, 32767));
             return U64{upper << 16 | U16(std::clamp(low<S32>(o.b), -32768, 32767))};
         }},
        {"cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             const U32 upper = std::clamp(low<S32>(o.a), 0, 255);
             const U32 lower = std::clamp(low<S32>(o.b), 0, 255);
             return U64{low<U32>(o.c) << 16 | upper << 8 | lower};
         }},
    });
}

// ---- halves -------------------------------------------------------------------------------------

constexpr U64 half_nan = 0x7fff;  ///< the one that the hardware makes

__extension__ using Half16 = _Float16;
__extension__ using Exact = __float128;

Half16 half(U64 bits) {
    return std::bit_cast<Half16>(static_cast<U16>(bits));
}
bool is_nan(Half16 value) {
    return value != value;
}
U64 bits_of_half(Half16 value) {
    return is_nan(value) ? half_nan : std::bit_cast<U16>(value);
}
U64 flushed(U64 bits) {
    return (bits & 0x7c00) == 0 ? bits & 0x8000 : bits & 0xffff;
}
Half16 saturated(Half16 value) {
    return value > Half16{0} ? std::min(value, Half16{1}) : Half16{0};
}

std::vector<U64> halves() {
    // In pairs: the upper half has something else to compute with.
    return {0x3c00'0000, 0x0001'8000, 0x7bff'0001, 0x8000'83ff, 0x7c00'0400,
            0xbc00'3c00, 0x0000'bc01, 0x5555'3555, 0x3800'7bff, 0x7e00'7c00,
            0x3c01'fc00, 0xfc00'7e00, 0x4248'c248};
}

const char* const half_result = "cvt.u64.u16 %rd0, %h0;";
const char* const word_result = "cvt.u64.u32 %rd0, %r0;";

TEST_F(Instructions, OfHalfPrecision) {
    const auto least = [](Half16 a, Half16 b) {
        return is_nan(a)   ? b
               : is_nan(b) ? a
               : a == b    ? (std::signbit(static_cast<float>(a)) ? a : b)
                           : std::min(a, b);
    };
    check(
        {
            {"add.f16 %h0, %h1, %h2;",
             [](auto& o) { return bits_of_half(Half16(half(o.a) + half(o.b))); }},
            {"sub.f16 %h0, %h1, %h2;",
             [](auto& o) { return bits_of_half(Half16(half(o.a) - half(o.b))); }},
            {"mul.f16 %h0, %h1, %h2;",
             [](auto& o) { return bits_of_half(Half16(half(o.a) * half(o.b))); }},
            {"add.ftz.f16 %h0, %h1, %h2;",
             [](auto& o) {
                 const Half16 sum = Half16(half(flushed(o.a)) + half(flushed(o.b)));
                 return flushed(bits_of_half(sum));
             }},
            {"mul.ftz.sat.f16 %h0, %h1, %h2;",
             [](auto& o) {
                 const Half16 product = Half16(half(flushed(o.a)) * half(flushed(o.b)));
                 return flushed(bits_of_half(saturated(product)));
             }},
            {"fma.rn.f16 %h0, %h1, %h2, %h3;",
             [](auto& o) {
                 const Exact sum = Exact(half(o.a)) * Exact(half(o.b)) + Exact(half(o.c));
                 return bits_of_half(static_cast<Half16>(sum));
             }},
            {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;",
             [](auto& o) {
                 const Exact sum = Exact(half(o.a)) * Exact(half(o.b)) + Exact(half(o.c));
                 return sum != sum ? half_nan
                                   : bits_of_half(static_cast<Half16>(sum > 0 ? sum : 0));
             }},
            {"min.f16 %h0, %h1, %h2;",
             [=](auto& o) { return bits_of_half(least(half(o.a), half(o.b))); }},
            {"min.ftz.f16 %h0, %h1, %h2;",
             [=](auto& o) { return bits_of_half(least(half(flushed(o.a)), half(flushed(o.b)))); }},
            {"min.NaN.f16 %h0, %h1, %h2;",
             [=](auto& o) {
                 const bool any = is_nan(half(o.a)) || is_nan(half(o.b));
                 return any ? half_nan : bits_of_half(least(half(o.a), half(o.b)));
             }},
            {"min.xorsign.abs.f16 %h0, %h1, %h2;",
             [=](auto& o) {
                 const U64 magnitude = bits_of_half(least(half(o.a & 0x7fff), half(o.b & 0x7fff)));
                 return magnitude == half_nan ? magnitude : magnitude | ((o.a ^ o.b) & 0x8000);
             }},
            {"neg.ftz.f16 %h0, %h1;",
             [](auto& o) { return is_nan(half(o.a)) ? half_nan : flushed(o.a) ^ 0x8000; }},
            {"abs.f16 %h0, %h1;",
             [](auto& o) { return is_nan(half(o.a)) ? half_nan : o.a & 0x7fff; }},
        },
        half_result, combinations(halves()));
}

TEST_F(Instructions, ThatCompareHalves) {
    using Compare = bool (*)(Half16, Half16);
    struct Named {
        const char* name;
        Compare holds;
    };
    static const Named comparisons[] = {
        {"eq", [](Half16 a, Half16 b) { return a == b; }},
        {"ne", [](Half16 a, Half16 b) { return a < b || a > b; }},
        {"lt", [](Half16 a, Half16 b) { return a < b; }},
        {"le", [](Half16 a, Half16 b) { return a <= b; }},
        {"gt", [](Half16 a, Half16 b) { return a > b; }},
        {"ge", [](Half16 a, Half16 b) { return a >= b; }},
        {"equ", [](Half16 a, Half16 b) { return a == b || is_nan(a) || is_nan(b); }},
        {"neu", [](Half16 a, Half16 b) { return a != b; }},
        {"ltu", [](Half16 a, Half16 b) { return !(a >= b); }},
        {"leu", [](Half16 a, Half16 b) { return !(a > b); }},
        {"gtu", [](Half16 a, Half16 b) { return !(a <= b); }},
        {"geu", [](Half16 a, Half16 b) { return !(a < b); }},
        {"num", [](Half16 a, Half16 b) { return !is_nan(a) && !is_nan(b); }},
        {"nan", [](Half16 a, Half16 b) { return is_nan(a) || is_nan(b); }},
    };
    std::vector<std::string> texts;
    texts.reserve(8 * std::size(comparisons));
    std::vector<Case> cases;
    const auto add = [&](const std::string& text, std::function<U64(const Operands&)> expected) {
        texts.push_back(text);
        cases.push_back({texts.back().c_str(), std::move(expected)});
    };
    for (const Named& one : comparisons) {
        const std::string name = one.name;
        const Compare holds = one.holds;
        const auto low_holds = [=](const Operands& o) { return holds(half(o.a), half(o.b)); };
        const auto high_holds = [=](const Operands& o) {
            return holds(half(o.a >> 16), half(o.b >> 16));
        };
        add("setp." + name + ".f16 %p0, %h1, %h2; selp.u64 %rd0, 1, 0, %p0;",
            [=](auto& o) { return U64{low_holds(o)}; });
        add("setp." + name +
                ".f16x2 %p0|%p1, %r1, %r2; selp.u64 %rd0, 1, 0, %p0;"
                " @%p1 add.u64 %rd0, %rd0, 2;",
            [=](auto& o) { return U64{low_holds(o)} + 2 * high_holds(o); });
        add("setp.eq.u32 %p2, %r2, %r3; setp." + name +
                ".and.f16x2 %p0|%p1, %r1, %r2, !%p2; selp.u64 %rd0, 1, 0, %p0;"
                " @%p1 add.u64 %rd0, %rd0, 2;",
            [=](auto& o) {
                const bool other = low<U32>(o.b) != low<U32>(o.c);
                return U64{low_holds(o) && other} + 2 * (high_holds(o) && other);
            });
        add("set." + name + ".f16.f16 %h0, %h1, %h2; cvt.u64.u16 %rd0, %h0;",
            [=](auto& o) { return low_holds(o) ? U64{0x3c00} : 0; });
        add("set." + name + ".u16.f16 %h0, %h1, %h2; cvt.u64.u16 %rd0, %h0;",
            [=](auto& o) { return low_holds(o) ? U64{0xffff} : 0; });
        add("set." + name + ".f16x2.f16x2 %r0, %r1, %r2; cvt.u64.u32 %rd0, %r0;", [=](auto& o) {
            return (low_holds(o) ? U64{0x3c00} : 0) | (high_holds(o) ? U64{0x3c00'0000} : 0);
        });
        add("set." + name + ".u32.f16x2 %r0, %r1, %r2; cvt.u64.u32 %rd0, %r0;", [=](auto& o) {
            return (low_holds(o) ? U64{0xffff} : 0) | (high_holds(o) ? U64{0xffff'0000} : 0);
        });
        add("setp.eq.u32 %p2, %r2, %r3; set." + name +
                ".xor.s32.f16 %r0, %h1, %h2, %p2; cvt.u64.u32 %rd0, %r0;",
            [=](auto& o) {
                const bool other = low<U32>(o.b) == low<U32>(o.c);
                return low_holds(o) != other ? U64{0xffffffff} : 0;
            });
    }
    check(cases, "", combinations(halves()));
}

TEST_F(Instructions, ThatCompareFlushedHalves) {
    const std::vector<U64> tiny = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x8400};
    check(
        {
            {"setp.eq.ftz.f16 %p0, %h1, %h2; selp.u64 %rd0, 1, 0, %p0;",
             [](auto& o) { return U64{half(flushed(o.a)) == half(flushed(o.b))}; }},
            {"set.lt.ftz.f16.f16 %h0, %h1, %h2; cvt.u64.u16 %rd0, %h0;",
             [](auto& o) { return half(flushed(o.a)) < half(flushed(o.b)) ? U64{0x3c00} : 0; }},
        },
        "", combinations(tiny));
}

// ---- brain floats -------------------------------------------------------------------------------

double brain(U64 bits) {
    return std::bit_cast<float>(static_cast<U32>(bits << 16));
}
/// Of a number that a double holds exactly, rounded to nearest, ties to even.
U64 bits_of_brain(double value) {
    if (std::isnan(value)) {
        return 0x7fff;
    }
    // A double that is rounded to odd on its way to float rounds right from there.
    float single = static_cast<float>(value);
    if (static_cast<double>(single) != value && std::isfinite(single)) {
        const bool beyond = std::fabs(static_cast<double>(single)) > std::fabs(value);
        U32 raw = std::bit_cast<U32>(single);
        raw = (beyond ? raw - 1 : raw) | 1;
        single = std::bit_cast<float>(raw);
    }
    const U32 raw = std::bit_cast<U32>(single);
    return std::isinf(single) ? raw >> 16 : (raw + 0x7fff + ((raw >> 16) & 1)) >> 16;
}

std::vector<U64> brains() {
    return {0x3f80'0000, 0x0001'8000, 0x7f7f'3f80, 0x8000'bf81, 0x7f80'3eab, 0xbf80'4049,
            0x0000'7f80, 0x5555'ff80, 0x3800'7fc0, 0x7fc0'4316, 0x3f81'c2c8, 0x4049'3d00};
}

TEST_F(Instructions, OfBrainFloats) {
    const auto sum = [](U64 a, U64 b) { return bits_of_brain(brain(a) + brain(b)); };
    const auto product = [](U64 a, U64 b) { return bits_of_brain(brain(a) * brain(b)); };
    check(
        {
            {"add.bf16 %h0, %h1, %h2;", [=](auto& o) { return sum(o.a, o.b); }},
            {"sub.bf16 %h0, %h1, %h2;", [=](auto& o) { return sum(o.a, o.b ^ 0x8000); }},
            {"mul.bf16 %h0, %h1, %h2;", [=](auto& o) { return product(o.a, o.b); }},
            {"max.NaN.bf16 %h0, %h1, %h2;",
             [](auto& o) {
                 const double a = brain(o.a), b = brain(o.b);
                 if (std::isnan(a) || std::isnan(b)) {
                     return U64{0x7fff};
                 }
                 return (a == b ? o.a & o.b : a > b ? o.a : o.b) & 0xffff;
             }},
            {"set.leu.bf16.bf16 %h0, %h1, %h2;",
             [](auto& o) { return !(brain(o.a) > brain(o.b)) ? U64{0x3f80} : 0; }},
            {"setp.lt.bf16 %p0, %h1, %h2; selp.b16 %h0, 1, 0, %p0;",
             [](auto& o) { return U64{brain(o.a) < brain(o.b)}; }},
        },
        half_result, combinations(brains()));
    check(
        {
            {"add.bf16x2 %r0, %r1, %r2;",
             [=](auto& o) { return sum(o.a, o.b) | sum(o.a >> 16, o.b >> 16) << 16; }},
            {"mul.bf16x2 %r0, %r1, %r2;",
             [=](auto& o) { return product(o.a, o.b) | product(o.a >> 16, o.b >> 16) << 16; }},
            {"set.eq.bf16x2.bf16x2 %r0, %r1, %r2;",
             [](auto& o) {
                 return (brain(o.a) == brain(o.b) ? U64{0x3f80} : 0) |
                        (brain(o.a >> 16) == brain(o.b >> 16) ? U64{0x3f80'0000} : 0);
             }},
        },
        word_result, combinations(brains()));
}

TEST_F(Instructions, AtomicsOnHalvesAndBrainFloats) {
    const auto on_word = [](const char* text) {
        return std::string("st.global.u32 [%rd5], %r3; ") + text + " ld.global.u32 %r0, [%rd5];";
    };
    const std::string half_text = on_word("atom.global.add.noftz.f16 %h0, [%rd5], %h1;");
    const std::string brain_text = on_word("atom.global.add.noftz.bf16 %h0, [%rd5], %h1;");
    const std::string pair_text = on_word("red.global.add.noftz.bf16x2 [%rd5], %r1;");
    check({{half_text.c_str(),
            [](auto& o) {
                return (o.c & 0xffff0000) | bits_of_half(Half16(half(o.a) + half(o.c)));
            }}},
          word_result, combinations(halves()));
    check({{brain_text.c_str(),
            [](auto& o) { return (o.c & 0xffff0000) | bits_of_brain(brain(o.a) + brain(o.c)); }},
           {pair_text.c_str(),
            [](auto& o) {
                return bits_of_brain(brain(o.a) + brain(o.c)) |
                       bits_of_brain(brain(o.a >> 16) + brain(o.c >> 16)) << 16;
            }}},
          word_result, combinations(brains()));
}

TEST_F(Instructions, AtomicsOnVectorsAddToEachElement) {
    const float two = 2.0f, three = 3.0f;
    const auto pair = [](float a, float b) {
        return U64{std::bit_cast<U32>(b)} << 32 | std::bit_cast<U32>(a);
    };
    const std::vector<Operands> lanes(32, {pair(two, three), 0, pair(10.0f, 20.0f)});
    const auto sums = [=](const Operands&) { return pair(12.0f, 23.0f); };
    check({{"st.global.u64 [%rd5], %rd3; mov.b64 {%f1, %f2}, %rd1;"
            " red.global.add.v2.f32 [%rd5], {%f1, %f2}; ld.global.u64 %rd0, [%rd5];",
            sums},
           {"st.global.u64 [%rd5], %rd3; mov.b64 {%f1, %f2}, %rd1;"
            " atom.global.v2.f32.add {%f0, %f3}, [%rd5], {%f1, %f2}; mov.b64 %rd0, {%f0, %f3};",
            [=](const Operands&) { return pair(10.0f, 20.0f); }}},
          "", lanes);
}

// ---- narrow floats ------------------------------------------------------------------------------

/// The value of an E4M3 or E5M2 number by its definition.
double eight_bits(unsigned bits, int mantissa) {
    const int exponent = (bits & 0x7f) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
    const int bias = mantissa == 3 ? 7 : 15;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                      : std::ldexp((1 << mantissa) + fraction, exponent - bias - mantissa);
    return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

/// The nearest of all numbers of the format, with the even one of two that are as near.
U64 nearest_of_eight_bits(double value, int mantissa) {
    const unsigned greatest = mantissa == 3 ? 0x7e : 0x7b;
    if (std::isnan(value)) {
        return 0x7f;
    }
    const double magnitude = std::min(std::fabs(value), eight_bits(greatest, mantissa));
    unsigned best = 0;
    for (unsigned bits = 0; bits <= greatest; ++bits) {
        const double here = std::fabs(eight_bits(bits, mantissa) - magnitude);
        const double before = std::fabs(eight_bits(best, mantissa) - magnitude);
        if (here < before || (here == before && (bits & 1) == 0)) {
            best = bits;
        }
    }
    return best | (std::signbit(value) ? 0x80 : 0);
}

TEST_F(Instructions, ThatConvertToEightBitsAndBack) {
    std::vector<U64> values;
    for (const float value :
         {0.0f, -0.0f, 1.0f, 1.0625f, 1.1875f, -17.3f, 448.0f, 464.0f, 465.0f, 1e6f, -1e30f, 0.001f,
          0.0009765625f, 0.0029296875f, 61440.0f, 6e-5f, std::numeric_limits<float>::infinity()}) {
        values.push_back(std::bit_cast<U32>(value));
    }
    values.push_back(0x7fc00000);
    const auto single = [](U64 bits) { return std::bit_cast<float>(static_cast<U32>(bits)); };
    const auto pair = [=](const Operands& o, int mantissa) {
        return nearest_of_eight_bits(single(o.a), mantissa) << 8 |
               nearest_of_eight_bits(single(o.b), mantissa);
    };
    check({{"cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;", [=](auto& o) { return pair(o, 3); }},
           {"cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;", [=](auto& o) { return pair(o, 2); }}},
          half_result, combinations(values));
    std::vector<Operands> all;
    for (U64 bits = 0; bits < 256; ++bits) {
        const bool special = (bits & 0x7f) == 0x7f || (bits & 0x7c) == 0x7c;
        all.push_back({special ? 0 : bits | bits << 8, 0, 0});
    }
    const auto back = [](int mantissa) {
        return [=](const Operands& o) {
            const auto value = static_cast<Half16>(eight_bits(o.a & 0xff, mantissa));
            return bits_of_half(value) * 0x10001;
        };
    };
    check({{"cvt.rn.f16x2.e4m3x2 %r0, %h1;", back(3)}, {"cvt.rn.f16x2.e5m2x2 %r0, %h1;", back(2)}},
          word_result, all);
}

TEST_F(Instructions, ThatConvertWithoutInfinity) {
    const std::vector<U64> values = {0x7f800000, 0xff800000, 0x477fe000, 0x477ff000,
                                     0xc7c35000, 0x3f800000, 0x7fc00000, 0xbf800000};
    const auto expected = [](U64 bits) {
        const auto value = std::bit_cast<float>(static_cast<U32>(bits));
        return std::isnan(value)
                   ? half_nan
                   : bits_of_half(static_cast<Half16>(std::clamp(value, -65504.0f, 65504.0f)));
    };
    check({{"cvt.rn.satfinite.f16.f32 %h0, %f1; cvt.u64.u16 %rd0, %h0;",
            [=](auto& o) { return expected(o.a); }},
           {"cvt.rn.satfinite.f16x2.f32 %r0, %f1, %f2; cvt.u64.u32 %rd0, %r0;",
            [=](auto& o) { return expected(o.a) << 16 | expected(o.b); }}},
          "", combinations(values));
}

TEST_F(Instructions, ThatRoundToTf32) {
    const std::vector<U64> values = {0x3f800000, 0x3f801000, 0x3f803000, 0x3f800fff, 0x3f801001,
                                     0xbf803000, 0x7f7fffff, 0x7f800000, 0x00000001, 0x80000000};
    const auto nearest = [](U64 bits, bool to_even) {
        const U64 magnitude = bits & 0x7fffffff, sign = bits & 0x80000000;
        const U64 kept = magnitude >> 13, rest = magnitude & 0x1fff;
        const bool up = rest > 0x1000 || (rest == 0x1000 && (!to_even || (kept & 1) != 0));
        return magnitude == 0x7f800000 ? bits : sign | (kept + up) << 13;
    };
    check({{"cvt.rna.tf32.f32 %r0, %f1;", [=](auto& o) { return nearest(o.a, false); }},
           {"cvt.rn.tf32.f32 %r0, %f1;", [=](auto& o) { return nearest(o.a, true); }},
           {"cvt.rz.tf32.f32 %r0, %f1;", [](auto& o) { return o.a & ~U64{0x1fff}; }}},
          word_result, combinations(values));
}

TEST_F(Instructions, ThatMeetTheNaNsOfDoublePrecision) {
    // As an H200 does: of two NaNs the second comes out, quiet, with the sign it had.
    const std::vector<U64> values = {0x7ff8000000000000, 0x7ff0000000000001, 0x3ff0000000000000,
                                     0x7ff0000000000000, 0};
    const auto nan = [](U64 bits) { return std::isnan(std::bit_cast<double>(bits)); };
    const auto of_two = [=](const Operands& o, double number) {
        constexpr U64 quiet = 0x0008000000000000;
        return nan(o.b) ? o.b | quiet : nan(o.a) ? o.a | quiet : std::bit_cast<U64>(number);
    };
    const auto real = [](U64 bits) { return std::bit_cast<double>(bits); };
    std::vector<Operands> any;
    for (const Operands& o : combinations(values)) {
        const bool invalid = std::isnan(real(o.a) * real(o.b)) && !nan(o.a) && !nan(o.b);
        if (!invalid) {
            any.push_back(o);
        }
    }
    check(
        {{"mul.rn.f64 %d0, %d1, %d2;", [=](auto& o) { return of_two(o, real(o.a) * real(o.b)); }},
         {"add.rn.f64 %d0, %d1, %d2;", [=](auto& o) { return of_two(o, real(o.a) + real(o.b)); }},
         {"min.f64 %d0, %d1, %d2;",
          [=](auto& o) {
              if (nan(o.a) != nan(o.b)) {
                  return nan(o.a) ? o.b : o.a;
              }
              return of_two(o, std::min(real(o.a), real(o.b)));
          }},
         {"neg.f64 %d0, %d1;",
          [=](auto& o) { return nan(o.a) ? o.a | 0x0008000000000000 : o.a ^ 0x8000000000000000; }}},
        "mov.b64 %rd0, %d0;", any);
}

TEST_F(Instructions, AtomicSumsOfSinglePrecisionLoseSubnormalNumbersInGlobalMemoryOnly) {
    const U64 tiny = 0x00000003, small = 0x00800000;
    const std::vector<Operands> lanes(32, {tiny, 0, small});
    check(
        {{"st.global.u32 [%rd5], %r3; red.global.add.f32 [%rd5], %f1; ld.global.u32 %rd0, [%rd5];",
          [=](auto&) { return small; }},
         {".shared .align 4 .b32 cells[32]; mov.u32 %r4, %tid.x; mov.u32 %r5, cells;"
          " mad.lo.u32 %r5, %r4, 4, %r5; st.shared.u32 [%r5], %r3;"
          " red.shared.add.f32 [%r5], %f1; ld.shared.u32 %rd0, [%r5];",
          [=](auto&) { return small + tiny; }}},
        "", lanes);
}

TEST_F(Instructions, ThatTakeTheSignOfAProduct) {
    const std::vector<U64> values = {0x00000000, 0x80000000, 0x3f800000, 0xc0000000,
                                     0x7f800000, 0xff800000, 0x00000001, 0x40490fdb};
    const auto expected = [](const Operands& o, bool greatest) {
        const U64 a = o.a & 0x7fffffff, b = o.b & 0x7fffffff;  // ordered as their values are
        return (greatest ? std::max(a, b) : std::min(a, b)) | ((o.a ^ o.b) & 0x80000000);
    };
    check({{"min.xorsign.abs.f32 %f0, %f1, %f2;", [=](auto& o) { return expected(o, false); }},
           {"max.NaN.xorsign.abs.f32 %f0, %f1, %f2;", [=](auto& o) { return expected(o, true); }}},
          "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", combinations(values));
}

TEST_F(Instructions, ThatOnlyAdvise) {
    const auto same = [](const Operands& o) { return o.a; };
    check64({
        {"nanosleep.u32 20; mov.b64 %rd0, %rd1;", same},
        {"griddepcontrol.wait; griddepcontrol.launch_dependents; mov.b64 %rd0, %rd1;", same},
        {"createpolicy.fractional.L2::evict_last.b64 %rd7, 1.0;"
         " ld.global.L2::cache_hint.u64 %rd0, [%rd4], %rd7;",
         same},
        {"ld.global.nc.L1::no_allocate.L2::128B.u64 %rd0, [%rd4];", same},
        {"prefetch.global.L2::evict_last [%rd4]; ld.global.L2::256B.u64 %rd0, [%rd4];", same},
        {"fence.acq_rel.gpu; membar.gl; mov.b64 %rd0, %rd1;", same},
        {"ldu.global.u64 %rd0, [%rd4];", same},
        {"ldu.global.v2.u32 {%r1, %r2}, [%rd4]; mov.b64 %rd0, {%r1, %r2};", same},
    });
}

TEST_F(Instructions, ThatApproximate) {
    const auto single = [](U64 bits) { return std::bit_cast<float>(static_cast<U32>(bits)); };
    const float infinity = std::numeric_limits<float>::infinity();
    struct Value {
        const char* text;
        float in;
        float expected;
    };
    const Value exact[] = {
        {"tanh.approx.f32 %f0, %f1;", infinity, 1},
        {"tanh.approx.f32 %f0, %f1;", -infinity, -1},
        {"tanh.approx.f32 %f0, %f1;", -0.0f, -0.0f},
        {"cos.approx.f32 %f0, %f1;", 0.0f, 1},
        {"sin.approx.f32 %f0, %f1;", -0.0f, -0.0f},
        {"ex2.approx.f32 %f0, %f1;", -infinity, 0},
        {"lg2.approx.f32 %f0, %f1;", 0, -infinity},
        {"rcp.approx.f32 %f0, %f1;", -0.0f, -infinity},
        {"rsqrt.approx.f32 %f0, %f1;", -0.0f, -infinity},
    };
    for (const Value& value : exact) {
        check({{value.text, [&](auto&) { return U64{std::bit_cast<U32>(value.expected)}; }}},
              "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
              std::vector<Operands>(32, {std::bit_cast<U32>(value.in), 0, 0}));
    }
    std::vector<Operands> lanes;
    for (int i = 0; i < 512; ++i) {
        lanes.push_back({std::bit_cast<U32>(-3.1f + 0.0121f * static_cast<float>(i)), 0, 0});
    }
    const auto near = [&](const char* text, double (*function)(double), double error) {
        load(".version 8.6\n.target sm_90\n.address_size 64\n" +
             kernel_with("near", text, "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;"));
        const U64 in = memory.upload(lanes), out = memory.allocate(lanes.size() * 8);
        run("near", {1}, {512}, in, out);
        const auto results = memory.download<U64>(out, lanes.size());
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            EXPECT_NEAR(single(results[i]), function(single(lanes[i].a)), error) << text;
        }
    };
    near("cos.approx.f32 %f0, %f1;", std::cos, std::exp2(-20.5));
    near("tanh.approx.f32 %f0, %f1;", std::tanh, std::exp2(-11));
    near(
        "cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f1, %h1; tanh.approx.f16 %h0, %h1;"
        " cvt.f32.f16 %f0, %h0;",
        std::tanh, std::exp2(-10.987) + std::exp2(-9.5));
}

// ---- what is refused ----------------------------------------------------------------------------

TEST_F(Instructions, ThatAreRefusedAreNamedWithKernelAndLine) {
    const char* const texts[] = {
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3},"
        " {%r0,%r1}, {%f0,%f1,%f2,%f3};",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r0,%r1,%r2,%r3}, [%rd4];",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%r1];",
        "barrier.cluster.arrive;",
        "mapa.shared::cluster.u32 %r0, %r1, %r2;",
        "getctarank.u64 %r0, %rd1;",
        "ld.shared::cluster.u32 %r0, [%r1];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2,"
        " [%r3];",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1],"
        " [%rd4, {%r2}], [%r3];",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;",
        "fma.rn.oob.f16 %h0, %h1, %h2, %h3;",
        "min.f32 %f0, %f1, %f2, %f3;",
        "add.f32.bf16 %f0, %h1, %f2;",
        "add.rn.f32x2 %rd0, %rd1, %rd2;",
        "vadd.s32.u32.s32 %r0, %r1, %r2;",
        "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f1,%f2}], {%r1,%r2};",
        "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}|%p0, [%rd1, {%f1,%f2}];",
        "tex.2dms.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%rd1, {%r0,%r1,%r2,%r3}];",
        "sured.b.add.2d.u32.trap [%rd1, {%r1,%r2}], %r3;",
        "alloca.u64 %rd0, %rd1;",
        "multimem.ld_reduce.global.add.f32 %f0, [%rd4];",
    };
    for (const std::string text : texts) {
        SCOPED_TRACE(text);
        load(".version 8.8\n.target sm_100a\n.address_size 64\n.file 1 \"folder/name.cu\"\n" +
             kernel_with("refused", ".loc 1 17 3\n" + text, ""));
        const std::string why = attributes(*kernel("refused")).why_not_runnable;
        EXPECT_NE(why.find("kernel refused"), std::string::npos) << why;
        EXPECT_NE(why.find("name.cu:17"), std::string::npos) << why;
        EXPECT_NE(why.find(text.substr(0, text.find_first_of(" ;"))), std::string::npos) << why;
    }
}

TEST_F(Instructions, ThatAreRefusedForTheirRegistersSaySo) {
    load(".version 8.8\n.target sm_90\n.address_size 64\n" +
         kernel_with("refused", ".reg .b128 %q<2>; mov.b128 %q0, {%rd1, %rd2};", ""));
    const std::string why = attributes(*kernel("refused")).why_not_runnable;
    EXPECT_NE(why.find("kernel refused"), std::string::npos) << why;
    EXPECT_NE(why.find("no registers of type .b128"), std::string::npos) << why;
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
