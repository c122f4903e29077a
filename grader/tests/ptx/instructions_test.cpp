// Instructions that compilers emit seldom, one at a time. What each should give is worked out here
// in C++ from the definition of the instruction.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "grader/tests/ptx/instruction_test.h"

namespace vram::virtual_gpu::ptx {
namespace {

// ---- integers -----------------------------------------------------------------------------------

TEST_F(Instructions, OfSixteenBits) {
    check16({
        {"add.u16 %h0, %h1, %h2;", [](auto& o) { return low<U16>(o.a + o.b); }},
        {"sub.s16 %h0, %h1, %h2;", [](auto& o) { return low<U16>(o.a - o.b); }},
        {"mul.lo.s16 %h0, %h1, %h2;", [](auto& o) { return low<U16>(o.a * o.b); }},
        {"mul.hi.s16 %h0, %h1, %h2;",
         [](auto& o) { return zero_extended(S16((S32{low<S16>(o.a)} * low<S16>(o.b)) >> 16)); }},
        {"mul.hi.u16 %h0, %h1, %h2;",
         [](auto& o) { return U64{low<U16>((U32{low<U16>(o.a)} * low<U16>(o.b)) >> 16)}; }},
        {"mad.lo.u16 %h0, %h1, %h2, %h3;", [](auto& o) { return low<U16>(o.a * o.b + o.c); }},
        {"min.s16 %h0, %h1, %h2;",
         [](auto& o) { return zero_extended(std::min(low<S16>(o.a), low<S16>(o.b))); }},
        {"max.u16 %h0, %h1, %h2;", [](auto& o) { return std::max(low<U16>(o.a), low<U16>(o.b)); }},
        {"neg.s16 %h0, %h1;", [](auto& o) { return low<U16>(0 - o.a); }},
        {"abs.s16 %h0, %h1;", [](auto& o) { return low<U16>(low<S16>(o.a) < 0 ? 0 - o.a : o.a); }},
        {"or.b16 %h0, %h1, %h2;", [](auto& o) { return low<U16>(o.a | o.b); }},
        {"xor.b16 %h0, %h1, %h2;", [](auto& o) { return low<U16>(o.a ^ o.b); }},
        {"not.b16 %h0, %h1;", [](auto& o) { return low<U16>(~o.a); }},
        {"cnot.b16 %h0, %h1;", [](auto& o) { return low<U16>(o.a) == 0 ? 1 : 0; }},
        {"shl.b16 %h0, %h1, %r2;",
         [](auto& o) { return low<U32>(o.b) > 15 ? 0 : low<U16>(o.a << low<U32>(o.b)); }},
        {"shr.u16 %h0, %h1, %r2;",
         [](auto& o) { return low<U32>(o.b) > 15 ? 0 : low<U16>(o.a) >> low<U32>(o.b); }},
        {"shr.s16 %h0, %h1, %r2;",
         [](auto& o) {
             return zero_extended(S16(low<S16>(o.a) >> std::min(low<U32>(o.b), U32{15})));
         }},
    });
}

TEST_F(Instructions, OfThirtyTwoBits) {
    const auto clamped = [](S64 value) {
        return zero_extended(static_cast<S32>(std::clamp<S64>(
            value, std::numeric_limits<S32>::min(), std::numeric_limits<S32>::max())));
    };
    check32({
        {"mad.hi.s32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return low<U32>(low<U32>((S64{low<S32>(o.a)} * low<S32>(o.b)) >> 32) + o.c);
         }},
        {"mad.hi.u32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return low<U32>(low<U32>((U64{low<U32>(o.a)} * low<U32>(o.b)) >> 32) + o.c);
         }},
        {"max.s32 %r0, %r1, %r2;",
         [](auto& o) { return zero_extended(std::max(low<S32>(o.a), low<S32>(o.b))); }},
        {"min.u32 %r0, %r1, %r2;", [](auto& o) { return std::min(low<U32>(o.a), low<U32>(o.b)); }},
        {"add.sat.s32 %r0, %r1, %r2;",
         [=](auto& o) { return clamped(S64{low<S32>(o.a)} + low<S32>(o.b)); }},
        {"sub.sat.s32 %r0, %r1, %r2;",
         [=](auto& o) { return clamped(S64{low<S32>(o.a)} - low<S32>(o.b)); }},
        {"sad.u32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             const U32 a = low<U32>(o.a), b = low<U32>(o.b);
             return low<U32>((a < b ? b - a : a - b) + o.c);
         }},
        {"mul24.lo.u32 %r0, %r1, %r2;",
         [](auto& o) { return low<U32>((o.a & 0xffffff) * (o.b & 0xffffff)); }},
        {"mul24.lo.s32 %r0, %r1, %r2;",
         [](auto& o) {
             const S64 a = low<S32>(o.a << 8) >> 8, b = low<S32>(o.b << 8) >> 8;
             return low<U32>(static_cast<U64>(a * b));
         }},
        {"mad24.lo.u32 %r0, %r1, %r2, %r3;",
         [](auto& o) { return low<U32>((o.a & 0xffffff) * (o.b & 0xffffff) + o.c); }},
        {"cnot.b32 %r0, %r1;", [](auto& o) { return low<U32>(o.a) == 0 ? 1 : 0; }},
        {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             const U32 n = std::min(low<U32>(o.c), U32{32});
             const U64 both = U64{low<U32>(o.b)} << 32 | low<U32>(o.a);
             return n == 32 ? low<U32>(o.a) : low<U32>((both << n) >> 32);
         }},
        {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             const U32 n = std::min(low<U32>(o.c), U32{32});
             return low<U32>((U64{low<U32>(o.b)} << 32 | low<U32>(o.a)) >> n);
         }},
        {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             return low<U32>((U64{low<U32>(o.b)} << 32 | low<U32>(o.a)) >> (o.c & 31));
         }},
        {"dp4a.u32.s32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             U32 sum = low<U32>(o.c);
             for (int i = 0; i < 4; ++i) {
                 sum += static_cast<std::uint8_t>(o.a >> (8 * i)) *
                        static_cast<std::int8_t>(o.b >> (8 * i));
             }
             return sum;
         }},
        {"dp2a.lo.s32.u32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             U32 sum = low<U32>(o.c);
             for (int i = 0; i < 2; ++i) {
                 sum += low<S16>(o.a >> (16 * i)) * static_cast<std::uint8_t>(o.b >> (8 * i));
             }
             return sum;
         }},
        {"dp2a.hi.u32.s32 %r0, %r1, %r2, %r3;",
         [](auto& o) {
             U32 sum = low<U32>(o.c);
             for (int i = 0; i < 2; ++i) {
                 sum += low<U16>(o.a >> (16 * i)) * static_cast<std::int8_t>(o.b >> (16 + 8 * i));
             }
             return sum;
         }},
        {"bfind.s32 %r0, %r1;",
         [](auto& o) {
             const U32 bits = low<S32>(o.a) < 0 ? ~low<U32>(o.a) : low<U32>(o.a);
             return bits == 0 ? 0xffffffffu : 31u - std::countl_zero(bits);
         }},
        {"bfind.u64 %r0, %rd1;",
         [](auto& o) { return o.a == 0 ? 0xffffffffu : 63u - std::countl_zero(o.a); }},
        {"mad.lo.cc.u32 %r0, %r1, %r2, %r3; addc.u32 %r0, 0, 0;",
         [](auto& o) { return (U64{low<U32>(o.a * o.b)} + low<U32>(o.c)) >> 32; }},
        {"sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, 0, 0;",
         [](auto& o) { return low<U32>(o.a) < low<U32>(o.b) ? 0xffffffffu : 0; }},
        {"slct.b32.s32 %r0, %r1, %r2, %r3;",
         [](auto& o) { return low<S32>(o.c) >= 0 ? low<U32>(o.a) : low<U32>(o.b); }},
        {"set.lt.u32.s32 %r0, %r1, %r2;",
         [](auto& o) { return low<S32>(o.a) < low<S32>(o.b) ? 0xffffffffu : 0; }},
        {"set.ge.f32.u32 %f0, %r1, %r2; mov.b32 %r0, %f0;",
         [](auto& o) { return low<U32>(o.a) >= low<U32>(o.b) ? 0x3f800000u : 0; }},
        {"setp.eq.u32 %p1, %r2, %r3; set.ne.and.s32.s64 %r0, %rd1, %rd2, %p1;",
         [](auto& o) { return low<U32>(o.b) == low<U32>(o.c) && o.a != o.b ? 0xffffffffu : 0; }},
        {"setp.eq.u32 %p1, %r2, %r3; set.gt.xor.u32.u16 %r0, %h1, %h2, !%p1;",
         [](auto& o) {
             return (low<U16>(o.a) > low<U16>(o.b)) != (low<U32>(o.b) != low<U32>(o.c))
                        ? 0xffffffffu
                        : 0;
         }},
    });
}

TEST_F(Instructions, OfSixtyFourBits) {
    __extension__ using S128 = __int128;
    __extension__ using U128 = unsigned __int128;
    check64({
        {"mad.lo.s64 %rd0, %rd1, %rd2, %rd3;", [](auto& o) { return o.a * o.b + o.c; }},
        {"mad.hi.u64 %rd0, %rd1, %rd2, %rd3;",
         [](auto& o) { return low<U64>((U128{o.a} * o.b) >> 64) + o.c; }},
        {"mad.hi.s64 %rd0, %rd1, %rd2, %rd3;",
         [](auto& o) { return low<U64>((S128{low<S64>(o.a)} * low<S64>(o.b)) >> 64) + o.c; }},
        {"mul.hi.u64 %rd0, %rd1, %rd2;", [](auto& o) { return low<U64>((U128{o.a} * o.b) >> 64); }},
        {"mad.wide.s32 %rd0, %r1, %r2, %rd3;",
         [](auto& o) { return static_cast<U64>(S64{low<S32>(o.a)} * low<S32>(o.b)) + o.c; }},
        {"mad.wide.s16 %r0, %h1, %h2, %r3; cvt.u64.u32 %rd0, %r0;",
         [](auto& o) { return low<U32>(U32(S32{low<S16>(o.a)} * low<S16>(o.b)) + o.c); }},
        {"or.b64 %rd2, %rd2, 1; rem.u64 %rd0, %rd1, %rd2;",
         [](auto& o) { return o.a % (o.b | 1); }},
        {"max.s64 %rd0, %rd1, %rd2;",
         [](auto& o) { return low<U64>(std::max(low<S64>(o.a), low<S64>(o.b))); }},
        {"min.u64 %rd0, %rd1, %rd2;", [](auto& o) { return std::min(o.a, o.b); }},
        {"abs.s64 %rd0, %rd1;", [](auto& o) { return low<S64>(o.a) < 0 ? 0 - o.a : o.a; }},
        {"xor.b64 %rd0, %rd1, %rd2;", [](auto& o) { return o.a ^ o.b; }},
        {"not.b64 %rd0, %rd1;", [](auto& o) { return ~o.a; }},
        {"cnot.b64 %rd0, %rd1;", [](auto& o) { return U64{o.a == 0}; }},
        {"sad.s64 %rd0, %rd1, %rd2, %rd3;",
         [](auto& o) { return (low<S64>(o.a) < low<S64>(o.b) ? o.b - o.a : o.a - o.b) + o.c; }},
        {"bfe.u64 %rd0, %rd1, %r2, %r3;",
         [](auto& o) {
             const unsigned position = std::min(low<U32>(o.b), 255u);
             const unsigned length = std::min(low<U32>(o.c), 255u);
             U64 field = 0;
             for (unsigned bit = 0; bit < length && position + bit < 64; ++bit) {
                 field |= ((o.a >> (position + bit)) & 1) << bit;
             }
             return field;
         }},
        {"bfe.s64 %rd0, %rd1, %r2, %r3;",
         [](auto& o) {
             const unsigned position = std::min(low<U32>(o.b), 255u);
             const unsigned length = std::min(low<U32>(o.c), 255u);
             if (length == 0) {
                 return U64{0};
             }
             const U64 sign = (o.a >> std::min(position + length - 1, 63u)) & 1;
             U64 field = 0;
             for (unsigned bit = 0; bit < 64; ++bit) {
                 const bool inside = bit < length && position + bit < 64;
                 field |= (inside ? (o.a >> (position + bit)) & 1 : sign) << bit;
             }
             return field;
         }},
        {"add.cc.u64 %rd0, %rd1, %rd2; addc.u64 %rd0, %rd3, 0;",
         [](auto& o) { return o.c + (o.a + o.b < o.a ? 1 : 0); }},
        {"sub.cc.s64 %rd0, %rd1, %rd2; subc.s64 %rd0, %rd3, 0;",
         [](auto& o) { return o.c - (o.a < o.b ? 1 : 0); }},
        {"slct.u64.s32 %rd0, %rd1, %rd2, %r3;",
         [](auto& o) { return low<S32>(o.c) >= 0 ? o.a : o.b; }},
    });
}

TEST_F(Instructions, ThatCompareWithoutSign) {
    check_predicate(
        {
            {"setp.lo.u32 %p0, %r1, %r2;", [](auto& o) { return low<U32>(o.a) < low<U32>(o.b); }},
            {"setp.ls.u64 %p0, %rd1, %rd2;", [](auto& o) { return o.a <= o.b; }},
            {"setp.hi.u16 %p0, %h1, %h2;", [](auto& o) { return low<U16>(o.a) > low<U16>(o.b); }},
            {"setp.hs.u32 %p0, %r1, %r2;", [](auto& o) { return low<U32>(o.a) >= low<U32>(o.b); }},
            {"setp.eq.u32 %p1, %r2, %r3; setp.lt.or.s64 %p0, %rd1, %rd2, %p1;",
             [](auto& o) {
                 return low<S64>(o.a) < low<S64>(o.b) || low<U32>(o.b) == low<U32>(o.c);
             }},
            {"setp.eq.u32 %p1, %r2, %r3; setp.ge.xor.s16 %p2|%p0, %h1, %h2, %p1;",
             [](auto& o) {
                 return (low<S16>(o.a) < low<S16>(o.b)) != (low<U32>(o.b) == low<U32>(o.c));
             }},
        },
        integers());
}

// ---- floating point -----------------------------------------------------------------------------

constexpr U32 nan32 = 0x7fffffff;  ///< the one that the hardware makes
float single(U64 bits) {
    return std::bit_cast<float>(static_cast<U32>(bits));
}
double real(U64 bits) {
    return std::bit_cast<double>(bits);
}
U64 bits(float value) {
    return std::isnan(value) ? nan32 : std::bit_cast<U32>(value);
}

std::vector<U64> singles() {
    return {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f000000, 0x3f800000,
            0xbf800000, 0x40490fdb, 0x7f7fffff, 0x7f800000, 0xff800000, nan32};
}
std::vector<U64> doubles() {
    return {0x0000'0000'0000'0000, 0x8000'0000'0000'0000, 0x0000'0000'0000'0001,
            0x000f'ffff'ffff'ffff, 0x0010'0000'0000'0000, 0x3ff0'0000'0000'0000,
            0xbff8'0000'0000'0000, 0x7fef'ffff'ffff'ffff, 0x7ff0'0000'0000'0000,
            0xfff0'0000'0000'0000, 0x7ff8'0000'0000'0000};
}

float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
/// -0 is less than +0, and a number wins over a NaN.
template <class T>
T least(T a, T b) {
    return std::isnan(a)   ? b
           : std::isnan(b) ? a
           : a == b        ? (std::signbit(a) ? a : b)
                           : std::min(a, b);
}
template <class T>
T greatest(T a, T b) {
    return std::isnan(a)   ? b
           : std::isnan(b) ? a
           : a == b        ? (std::signbit(a) ? b : a)
                           : std::max(a, b);
}
float saturated(float value) {
    return std::isnan(value) ? 0.0f : std::clamp(value, 0.0f, 1.0f) + 0.0f;
}

TEST_F(Instructions, OfSinglePrecision) {
    check(
        {
            {"min.NaN.f32 %f0, %f1, %f2;",
             [](auto& o) {
                 const float a = single(o.a), b = single(o.b);
                 return std::isnan(a) || std::isnan(b) ? U64{nan32} : bits(least(a, b));
             }},
            {"max.NaN.f32 %f0, %f1, %f2;",
             [](auto& o) {
                 const float a = single(o.a), b = single(o.b);
                 return std::isnan(a) || std::isnan(b) ? U64{nan32} : bits(greatest(a, b));
             }},
            {"min.ftz.f32 %f0, %f1, %f2;",
             [](auto& o) { return bits(least(flushed(single(o.a)), flushed(single(o.b)))); }},
            {"add.sat.f32 %f0, %f1, %f2;",
             [](auto& o) { return bits(saturated(single(o.a) + single(o.b))); }},
            {"mul.sat.f32 %f0, %f1, %f2;",
             [](auto& o) { return bits(saturated(single(o.a) * single(o.b))); }},
            {"fma.rn.sat.f32 %f0, %f1, %f2, %f3;",
             [](auto& o) {
                 return bits(saturated(std::fma(single(o.a), single(o.b), single(o.c))));
             }},
            {"sub.ftz.f32 %f0, %f1, %f2;",
             [](auto& o) { return bits(flushed(flushed(single(o.a)) - flushed(single(o.b)))); }},
            {"neg.ftz.f32 %f0, %f1;", [](auto& o) { return bits(flushed(-single(o.a))); }},
            {"abs.ftz.f32 %f0, %f1;",
             [](auto& o) { return bits(flushed(std::fabs(single(o.a)))); }},
            {"rcp.rn.f32 %f0, %f1;", [](auto& o) { return bits(1.0f / single(o.a)); }},
            {"slct.f32.f32 %f0, %f1, %f2, %f3;",
             [](auto& o) { return single(o.c) >= 0 ? bits(single(o.a)) : bits(single(o.b)); }},
            {"slct.ftz.f32.f32 %f0, %f1, %f2, %f3;",
             [](auto& o) {
                 return flushed(single(o.c)) >= 0 ? bits(single(o.a)) : bits(single(o.b));
             }},
            {"set.nan.f32.f32 %f0, %f1, %f2;",
             [](auto& o) {
                 return bits(std::isnan(single(o.a)) || std::isnan(single(o.b)) ? 1.0f : 0.0f);
             }},
        },
        "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", combinations(singles()));
}

TEST_F(Instructions, OfDoublePrecision) {
    check(
        {
            {"min.f64 %d0, %d1, %d2;",
             [](auto& o) { return std::bit_cast<U64>(least(real(o.a), real(o.b))); }},
            {"max.f64 %d0, %d1, %d2;",
             [](auto& o) { return std::bit_cast<U64>(greatest(real(o.a), real(o.b))); }},
            {"copysign.f64 %d0, %d1, %d2;",
             [](auto& o) { return (o.a & 0x8000'0000'0000'0000) | (o.b & 0x7fff'ffff'ffff'ffff); }},
            {"slct.f64.f32 %d0, %d1, %d2, %f3;",
             [](auto& o) { return single(o.c) >= 0 ? o.a : o.b; }},
        },
        "mov.b64 %rd0, %d0;", combinations(doubles()));
}

TEST_F(Instructions, ThatTestAndCompareFloats) {
    const auto kind = [](U64 bits) { return std::fpclassify(single(bits)); };
    check_predicate(
        {
            {"testp.finite.f32 %p0, %f1;", [](auto& o) { return std::isfinite(single(o.a)); }},
            {"testp.infinite.f32 %p0, %f1;", [=](auto& o) { return kind(o.a) == FP_INFINITE; }},
            {"testp.number.f32 %p0, %f1;", [=](auto& o) { return kind(o.a) != FP_NAN; }},
            {"testp.notanumber.f32 %p0, %f1;", [=](auto& o) { return kind(o.a) == FP_NAN; }},
            {"testp.normal.f32 %p0, %f1;",
             [=](auto& o) { return kind(o.a) == FP_NORMAL || kind(o.a) == FP_ZERO; }},
            {"testp.subnormal.f32 %p0, %f1;", [=](auto& o) { return kind(o.a) == FP_SUBNORMAL; }},
            {"setp.num.f32 %p0, %f1, %f2;",
             [=](auto& o) { return kind(o.a) != FP_NAN && kind(o.b) != FP_NAN; }},
            {"setp.nan.f32 %p0, %f1, %f2;",
             [=](auto& o) { return kind(o.a) == FP_NAN || kind(o.b) == FP_NAN; }},
            {"setp.equ.f32 %p0, %f1, %f2;",
             [=](auto& o) {
                 return kind(o.a) == FP_NAN || kind(o.b) == FP_NAN || single(o.a) == single(o.b);
             }},
            {"setp.ltu.f32 %p0, %f1, %f2;", [=](auto& o) { return !(single(o.a) >= single(o.b)); }},
            {"setp.lt.ftz.f32 %p0, %f1, %f2;",
             [=](auto& o) { return flushed(single(o.a)) < flushed(single(o.b)); }},
        },
        singles());
    check_predicate(
        {
            {"testp.finite.f64 %p0, %d1;", [](auto& o) { return std::isfinite(real(o.a)); }},
            {"testp.normal.f64 %p0, %d1;",
             [](auto& o) { return std::isnormal(real(o.a)) || real(o.a) == 0; }},
            {"testp.subnormal.f64 %p0, %d1;",
             [](auto& o) { return std::fpclassify(real(o.a)) == FP_SUBNORMAL; }},
            {"testp.notanumber.f64 %p0, %d1;", [](auto& o) { return std::isnan(real(o.a)); }},
            {"setp.gtu.f64 %p0, %d1, %d2;", [](auto& o) { return !(real(o.a) <= real(o.b)); }},
        },
        doubles());
}

// ---- conversions --------------------------------------------------------------------------------

TEST_F(Instructions, ThatConvert) {
    check64({
        {"cvt.sat.u8.s32 %h0, %r1; cvt.u64.u16 %rd0, %h0;",
         [](auto& o) { return low<U64>(std::clamp(low<S32>(o.a), 0, 255)); }},
        {"cvt.sat.s16.s64 %h0, %rd1; cvt.u64.u16 %rd0, %h0;",
         [](auto& o) {
             return zero_extended(static_cast<S16>(std::clamp<S64>(low<S64>(o.a), -32768, 32767)));
         }},
        {"cvt.sat.u32.s64 %r0, %rd1; cvt.u64.u32 %rd0, %r0;",
         [](auto& o) { return low<U64>(std::clamp<S64>(low<S64>(o.a), 0, 0xffffffff)); }},
        {"cvt.s64.s16 %rd0, %h1;", [](auto& o) { return static_cast<U64>(S64{low<S16>(o.a)}); }},
        {"cvt.s64.s32 %rd0, %rd1;", [](auto& o) { return static_cast<U64>(S64{low<S32>(o.a)}); }},
        {"cvt.u64.u32 %rd0, %rd1;", [](auto& o) { return U64{low<U32>(o.a)}; }},
        {"cvt.rn.f64.u64 %d0, %rd1; mov.b64 %rd0, %d0;",
         [](auto& o) { return std::bit_cast<U64>(static_cast<double>(o.a)); }},
        {"cvt.rz.f64.u32 %d0, %r1; mov.b64 %rd0, %d0;",
         [](auto& o) { return std::bit_cast<U64>(static_cast<double>(low<U32>(o.a))); }},
        {"cvt.rn.f32.u16 %f0, %h1; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
         [](auto& o) { return bits(static_cast<float>(low<U16>(o.a))); }},
    });
}

TEST_F(Instructions, ThatPackAndUnpack) {
    check64({
        {"mov.b64 {%r0, %r4}, %rd1; mov.b64 %rd0, {%r4, %r0};",
         [](auto& o) { return o.a << 32 | o.a >> 32; }},
        {"mov.b64 {%h0, %h1, %h2, %h3}, %rd1; mov.b64 %rd0, {%h3, %h2, %h1, %h0};",
         [](auto& o) {
             return (o.a & 0xffff) << 48 | (o.a & 0xffff'0000) << 16 | (o.a >> 16 & 0xffff'0000) |
                    o.a >> 48;
         }},
        {"mov.b32 {%h0, %h3}, %r1; mov.b32 %r0, {%h3, %h0}; cvt.u64.u32 %rd0, %r0;",
         [](auto& o) { return low<U32>(o.a << 16) | low<U32>(o.a) >> 16; }},
    });
}

// ---- warps --------------------------------------------------------------------------------------

/// One warp; each lane has its own operand `a`.
std::vector<Operands> lanes_with(const std::function<U64(unsigned)>& value) {
    std::vector<Operands> lanes;
    for (unsigned lane = 0; lane < 32; ++lane) {
        lanes.push_back({value(lane), lane, 0});
    }
    return lanes;
}

TEST_F(Instructions, ThatReduceAWarp) {
    const auto mixed = [](unsigned lane) { return (lane * 0x9e3779b9u) ^ 0x5555u; };
    const auto over_lanes = [&](auto combine) {
        return [=](const Operands&) {
            auto result = combine(mixed(0), mixed(0));
            for (unsigned lane = 1; lane < 32; ++lane) {
                result = combine(result, mixed(lane));
            }
            return U64{static_cast<U32>(result)};
        };
    };
    U32 sum = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        sum += mixed(lane);
    }
    check(
        {
            {"redux.sync.add.u32 %r0, %r1, -1;", [=](auto&) { return sum; }},
            {"redux.sync.and.b32 %r0, %r1, -1;", over_lanes([](U32 a, U32 b) { return a & b; })},
            {"redux.sync.or.b32 %r0, %r1, -1;", over_lanes([](U32 a, U32 b) { return a | b; })},
            {"redux.sync.min.u32 %r0, %r1, -1;",
             over_lanes([](U32 a, U32 b) { return std::min(a, b); })},
            {"redux.sync.max.u32 %r0, %r1, -1;",
             over_lanes([](U32 a, U32 b) { return std::max(a, b); })},
            {"redux.sync.max.s32 %r0, %r1, -1;", over_lanes([](U32 a, U32 b) {
                 return static_cast<U32>(std::max(static_cast<S32>(a), static_cast<S32>(b)));
             })},
        },
        "cvt.u64.u32 %rd0, %r0;", lanes_with(mixed));
}

TEST_F(Instructions, ThatReduceFloatsOfAWarp) {
    const char* const result = "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;";
    const auto numbers = [](unsigned lane) { return bits((lane % 2 ? -1.5f : 1.0f) * lane); };
    check({giving("redux.sync.min.f32 %f0, %f1, -1;", bits(-46.5f)),
           giving("redux.sync.max.f32 %f0, %f1, -1;", bits(30.0f)),
           giving("redux.sync.min.abs.f32 %f0, %f1, -1;", bits(0.0f)),
           giving("redux.sync.max.abs.f32 %f0, %f1, -1;", bits(46.5f)),
           giving("redux.sync.max.abs.NaN.f32 %f0, %f1, -1;", bits(46.5f))},
          result, lanes_with(numbers));
    const auto with_nan = [=](unsigned lane) { return lane == 7 ? U64{nan32} : numbers(lane); };
    check({giving("redux.sync.min.f32 %f0, %f1, -1;", bits(-46.5f)),
           giving("redux.sync.max.NaN.f32 %f0, %f1, -1;", nan32)},
          result, lanes_with(with_nan));
    check({giving("redux.sync.max.f32 %f0, %f1, -1;", nan32)}, result,
          lanes_with([](unsigned) { return U64{nan32}; }));
    const auto zeros = [](unsigned lane) { return bits(lane == 3 ? 0.0f : -0.0f); };
    check({giving("redux.sync.max.f32 %f0, %f1, -1;", bits(0.0f)),
           giving("redux.sync.min.f32 %f0, %f1, -1;", bits(-0.0f))},
          result, lanes_with(zeros));
}

TEST_F(Instructions, ThatVoteMatchAndElect) {
    const auto pairs = [](unsigned lane) { return U64{0x1'0000'0000} * (lane / 2); };
    check({{"match.any.sync.b64 %r0, %rd1, -1; cvt.u64.u32 %rd0, %r0;",
            [](auto& o) { return U64{3} << (o.b & ~U64{1}); }},
           giving("match.all.sync.b64 %r0|%p0, %rd1, -1; selp.u64 %rd0, 1, 2, %p0;", 2),
           giving("match.all.sync.b64 %r0|%p0, %rd3, -1; cvt.u64.u32 %rd0, %r0;", 0xffff'ffff),
           giving("activemask.b32 %r0; cvt.u64.u32 %rd0, %r0;", 0xffff'ffff),
           {"setp.gt.u32 %p1, %r2, 4; @%p1 activemask.b32 %r0; @!%p1 mov.u32 %r0, 1;"
            " cvt.u64.u32 %rd0, %r0;",
            [](auto& o) { return o.b > 4 ? U64{0xffff'ffe0} : U64{1}; }},
           {"elect.sync %r0|%p0, 0xffffffff; selp.u64 %rd0, 1, 0, %p0;",
            [](auto& o) { return o.b == 0; }},
           giving("setp.gt.u32 %p1, %r2, 4; vote.sync.uni.pred %p0, %p1, -1;"
                  " selp.u64 %rd0, 1, 0, %p0;",
                  0),
           giving("setp.gt.u32 %p1, %r2, 40; vote.sync.uni.pred %p0, %p1, -1;"
                  " selp.u64 %rd0, 1, 0, %p0;",
                  1)},
          "", lanes_with(pairs));
}

// ---- memory -------------------------------------------------------------------------------------

TEST_F(Instructions, ThatAskForTheSpaceOfAnAddress) {
    const auto in_space = [](const char* space, const char* make) {
        return std::string(".shared .align 4 .b32 tile; .local .align 4 .b32 frame; ") + make +
               " isspacep." + space + " %p0, %rd7; selp.u64 %rd0, 1, 0, %p0;";
    };
    struct Address {
        const char* space;
        const char* make;
    };
    const Address addresses[] = {
        {"shared", "mov.u64 %rd7, tile; cvta.shared.u64 %rd7, %rd7;"},
        {"local", "mov.u64 %rd7, frame; cvta.local.u64 %rd7, %rd7;"},
        {"global", "ld.param.u64 %rd7, [in]; cvta.global.u64 %rd7, %rd7;"},
    };
    std::vector<std::string> texts;
    std::vector<Case> cases;
    texts.reserve(9);
    for (const Address& address : addresses) {
        for (const Address& asked : addresses) {
            texts.push_back(in_space(asked.space, address.make));
            cases.push_back(giving(texts.back().c_str(), address.space == asked.space ? 1 : 0));
        }
    }
    check(cases, "", lanes_with([](unsigned) { return U64{0}; }));
}

class AsyncCopies : public KernelTest {
  protected:
    /// Each lane copies `bytes` bytes from in + 16 lane to shared memory, of which its own entry of
    /// `given` says how many its source has, and then all 16 bytes of its row to out.
    void load_copy(int bytes, const std::string& qualifier) {
        load(
            ".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry copy(.param .u64 in, .param .u64 given, .param .u64 out)\n{\n"
            " .reg .b32 %r<9>; .reg .b64 %rd<9>;\n .shared .align 16 .b8 tile[512];\n"
            " mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 4; add.u32 %r2, %r2, %r3;\n"
            " mov.u32 %r4, 0x55555555; st.shared.v4.b32 [%r2], {%r4, %r4, %r4, %r4};\n"
            " ld.param.u64 %rd1, [in]; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;\n"
            " ld.param.u64 %rd3, [given]; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd3, %rd3, %rd4;\n"
            " ld.global.u32 %r5, [%rd3];\n"
            " cp.async." +
            qualifier + ".shared.global [%r2], [%rd1], " + std::to_string(bytes) +
            ", %r5;\n cp.async.commit_group; cp.async.wait_group 0;\n"
            " ld.param.u64 %rd5, [out]; add.u64 %rd5, %rd5, %rd2;\n"
            " ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r2];\n"
            " st.global.v4.b32 [%rd5], {%r5, %r6, %r7, %r8};\n ret;\n}\n");
    }
};

TEST_F(AsyncCopies, FillTheRestWithZeros) {
    std::vector<std::uint8_t> in(512);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<std::uint8_t>(i * 7 + 1);
    }
    const U64 source = memory.upload(in), out = memory.allocate(512);
    for (const int bytes : {4, 8, 16}) {
        load_copy(bytes, bytes == 16 ? "cg" : "ca");
        std::vector<U32> given(32);
        for (U32 lane = 0; lane < 32; ++lane) {
            given[lane] = lane % (bytes + 1);
        }
        run("copy", {1}, {32}, source, memory.upload(given), out);
        const auto result = memory.download<std::uint8_t>(out, 512);
        for (std::size_t at = 0; at < 512; ++at) {
            const std::size_t lane = at / 16, byte = at % 16;
            const std::uint8_t expected = byte < given[lane]                       ? in[at]
                                          : byte < static_cast<std::size_t>(bytes) ? 0
                                                                                   : 0x55;
            ASSERT_EQ(result[at], expected)
                << bytes << " bytes, lane " << lane << ", byte " << byte;
        }
    }
}

TEST_F(AsyncCopies, DoNotReadWhatTheSourceDoesNotHave) {
    load_copy(16, "cg");
    std::vector<U32> given(32, 16);
    given[30] = 8;
    given[31] = 0;
    const U64 out = memory.allocate(512);
    const U64 short_source = memory.upload(std::vector<std::uint8_t>(30 * 16 + 8, 9));
    const LaunchOutcome outcome = run("copy", {1}, {32}, short_source, memory.upload(given), out);
    EXPECT_EQ(outcome.read.back().end - outcome.read.back().begin, 128u);
    EXPECT_EQ(memory.download<std::uint8_t>(out + 30 * 16, 32),
              (std::vector<std::uint8_t>{9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0,
                                         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    given[31] = 4;
    EXPECT_EQ(launch("copy", {1}, {32}, short_source, memory.upload(given), out).error, 700);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_out_of_bounds);
    EXPECT_EQ(keeper.reports[0].thread[0], 31u);
}

TEST_F(Instructions, AtomicsThatCompilersEmitSeldom) {
    // Lane i updates its own word, which holds `c`, with `a` and returns the new contents.
    const auto on_word = [](const std::string& operation, const std::string& operand) {
        return "st.global.u64 [%rd5], %rd3; red.global." + operation + " [%rd5], " + operand +
               "; ld.global.u64 %rd0, [%rd5];";
    };
    struct Update {
        const char* operation;
        const char* operand;
        std::function<U64(const Operands&)> expected;
    };
    const auto word = [](const Operands& o, U32 low_word) {
        return (o.c & 0xffff'ffff'0000'0000) | low_word;
    };
    const std::vector<Update> updates = {
        {"min.u32", "%r1",
         [=](auto& o) { return word(o, std::min(low<U32>(o.a), low<U32>(o.c))); }},
        {"max.u32", "%r1",
         [=](auto& o) { return word(o, std::max(low<U32>(o.a), low<U32>(o.c))); }},
        {"min.s64", "%rd1",
         [](auto& o) { return low<U64>(std::min(low<S64>(o.a), low<S64>(o.c))); }},
        {"max.s64", "%rd1",
         [](auto& o) { return low<U64>(std::max(low<S64>(o.a), low<S64>(o.c))); }},
        {"min.u64", "%rd1", [](auto& o) { return std::min(o.a, o.c); }},
        {"and.b64", "%rd1", [](auto& o) { return o.a & o.c; }},
        {"or.b64", "%rd1", [](auto& o) { return o.a | o.c; }},
        {"xor.b64", "%rd1", [](auto& o) { return o.a ^ o.c; }},
        {"inc.u32", "%r1",
         [=](auto& o) { return word(o, low<U32>(o.c) >= low<U32>(o.a) ? 0 : low<U32>(o.c) + 1); }},
        {"dec.u32", "%r1",
         [=](auto& o) {
             const U32 old = low<U32>(o.c), limit = low<U32>(o.a);
             return word(o, old == 0 || old > limit ? limit : old - 1);
         }},
    };
    std::vector<std::string> texts;
    texts.reserve(updates.size());
    std::vector<Case> cases;
    for (const Update& update : updates) {
        texts.push_back(on_word(update.operation, update.operand));
        cases.push_back({texts.back().c_str(), update.expected});
    }
    cases.push_back(
        {"st.global.u64 [%rd5], %rd3; atom.global.exch.b64 %rd7, [%rd5], %rd1;"
         " ld.global.u64 %rd8, [%rd5]; xor.b64 %rd0, %rd7, %rd8;",
         [](auto& o) { return o.a ^ o.c; }});
    cases.push_back(
        {"st.global.u64 [%rd5], %rd3; atom.global.cas.b64 %rd7, [%rd5], %rd2, %rd1;"
         " ld.global.u64 %rd0, [%rd5];",
         [](auto& o) { return o.c == o.b ? o.a : o.c; }});
    check64(cases);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
