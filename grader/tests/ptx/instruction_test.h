// A fixture that runs single instructions with many operands and compares what they give.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "grader/tests/ptx/kernel_test.h"

namespace vram::virtual_gpu::ptx {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

/// Three operands of 64 bits; narrower operands are their low bits.
struct Operands {
    U64 a, b, c;
};

/// A test of `text`, which finds its operands in registers that end in 1, 2 and 3 (%h, %r, %rd, %f
/// and %d for 16, 32 and 64 bits, float and double) and leaves its result in one that ends in 0.
struct Case {
    const char* text;
    std::function<U64(const Operands&)> expected;
};

inline std::string kernel_with(const std::string& name, const std::string& text,
                               const char* result) {
    return ".visible .entry " + name +
           "(.param .u64 in, .param .u64 out)\n{\n"
           " .reg .b16 %h<4>; .reg .b32 %r<6>; .reg .b64 %rd<9>; .reg .f32 %f<4>; .reg .f64 %d<4>;"
           " .reg .pred %p<4>;\n"
           " mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r4, %r5, 512, %r4;\n"
           " ld.param.u64 %rd4, [in]; ld.param.u64 %rd5, [out];\n"
           " mul.wide.u32 %rd6, %r4, 24; add.u64 %rd4, %rd4, %rd6;\n"
           " mul.wide.u32 %rd6, %r4, 8; add.u64 %rd5, %rd5, %rd6;\n"
           " ld.global.u64 %rd1, [%rd4]; ld.global.u64 %rd2, [%rd4+8];"
           " ld.global.u64 %rd3, [%rd4+16];\n"
           " cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2; cvt.u32.u64 %r3, %rd3;\n"
           " cvt.u16.u64 %h1, %rd1; cvt.u16.u64 %h2, %rd2; cvt.u16.u64 %h3, %rd3;\n"
           " mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;\n"
           " mov.b64 %d1, %rd1; mov.b64 %d2, %rd2; mov.b64 %d3, %rd3;\n"
           " mov.u64 %rd0, 0;\n " +
           text + "\n " + result + "\n st.global.u64 [%rd5], %rd0;\n ret;\n}\n";
}

class Instructions : public KernelTest {
  protected:
    /// Each case with each of the operands.
    void check(const std::vector<Case>& cases, const char* result, std::vector<Operands> operands) {
        while (operands.size() > 512 && operands.size() % 512 != 0) {
            operands.push_back(operands.back());  // blocks of one size
        }
        std::string text = ".version 8.6\n.target sm_100a\n.address_size 64\n";
        for (std::size_t index = 0; index < cases.size(); ++index) {
            text += kernel_with("case" + std::to_string(index), cases[index].text, result);
        }
        load(text);
        const auto count = static_cast<std::uint32_t>(operands.size());
        const U64 in = memory.upload(operands);
        const U64 out = memory.allocate(count * sizeof(U64));
        for (std::size_t index = 0; index < cases.size(); ++index) {
            SCOPED_TRACE(cases[index].text);
            const Kernel* found = kernel("case" + std::to_string(index));
            ASSERT_NE(found, nullptr);
            ASSERT_EQ(attributes(*found).why_not_runnable, "");
            run("case" + std::to_string(index), {(count + 511) / 512}, {std::min(count, 512u)}, in,
                out);
            const std::vector<U64> results = memory.download<U64>(out, count);
            for (std::uint32_t i = 0; i < count; ++i) {
                ASSERT_EQ(results[i], cases[index].expected(operands[i]))
                    << std::hex << operands[i].a << " " << operands[i].b << " " << operands[i].c;
            }
        }
    }

    void check16(const std::vector<Case>& cases) {
        check(cases, "cvt.u64.u16 %rd0, %h0;", combinations(integers()));
    }
    void check32(const std::vector<Case>& cases) {
        check(cases, "cvt.u64.u32 %rd0, %r0;", combinations(integers()));
    }
    void check64(const std::vector<Case>& cases) { check(cases, "", combinations(integers())); }
    void check_predicate(const std::vector<Case>& cases, const std::vector<U64>& values) {
        check(cases, "selp.u64 %rd0, 1, 0, %p0;", combinations(values));
    }

    static std::vector<U64> integers() {
        return {0,
                1,
                0x7f,
                0x8000,
                0xffff,
                0x7fff'ffff,
                0x8000'0000,
                0xffff'ffff,
                0x0123'4567'89ab'cdef,
                0x7fff'ffff'ffff'ffff,
                0x8000'0000'0000'0000,
                0xffff'ffff'ffff'fff5};
    }

    static std::vector<Operands> combinations(const std::vector<U64>& values) {
        std::vector<Operands> all;
        for (U64 a : values) {
            for (U64 b : values) {
                for (U64 c : values) {
                    all.push_back({a, b, c});
                }
            }
        }
        return all;
    }
};

template <class T>
T low(U64 bits) {
    return static_cast<T>(bits);
}
inline U64 zero_extended(S16 value) {
    return static_cast<U16>(value);
}
inline U64 zero_extended(S32 value) {
    return static_cast<U32>(value);
}

/// A case whose lanes all get `result`.
inline Case giving(const char* text, U64 result) {
    return {text, [=](const Operands&) { return result; }};
}

}  // namespace vram::virtual_gpu::ptx
