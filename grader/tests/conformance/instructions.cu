#include "grader/tests/conformance/instructions.h"

#include <utility>

namespace vram::conformance {
namespace {

#define OPERANDS                                                                \
    "{\n.reg .b16 h<4>;\n.reg .b32 r<6>;\n.reg .b64 q<8>;\n.reg .f32 f<4>;\n"   \
    ".reg .f64 d<4>;\n.reg .pred p<3>;\n"                                       \
    "mov.b64 q1, %1;\nmov.b64 q2, %2;\nmov.b64 q3, %3;\nmov.b64 q7, %4;\n"      \
    "cvt.u32.u64 r1, q1;\ncvt.u32.u64 r2, q2;\ncvt.u32.u64 r3, q3;\n"           \
    "cvt.u16.u64 h1, q1;\ncvt.u16.u64 h2, q2;\ncvt.u16.u64 h3, q3;\n"           \
    "mov.b32 f1, r1;\nmov.b32 f2, r2;\nmov.b32 f3, r3;\n"                       \
    "mov.b64 d1, q1;\nmov.b64 d2, q2;\nmov.b64 d3, q3;\n"                       \
    "mov.b16 h0, 0;\nmov.b32 r0, 0;\nmov.b64 q0, 0;\nmov.b32 f0, 0f00000000;\n" \
    "mov.b64 d0, 0d0000000000000000;\nsetp.ne.b32 p0, r1, r1;\nsetp.ne.b32 p1, r1, r1;\n"

// What is seen of a result, in 64 bits.
#define RESULT_h0 "cvt.u64.u16 %0, h0;\n}"
#define RESULT_r0 "cvt.u64.u32 %0, r0;\n}"
#define RESULT_q0 "mov.b64 %0, q0;\n}"
#define RESULT_f0 "mov.b32 r0, f0;\ncvt.u64.u32 %0, r0;\n}"
#define RESULT_d0 "mov.b64 %0, d0;\n}"
#define RESULT_p0 "selp.u64 %0, 1, 0, p0;\n}"
#define RESULT_p0_p1 "selp.u64 q0, 1, 0, p0;\nselp.u64 q1, 2, 0, p1;\nadd.u64 %0, q0, q1;\n}"
#define RESULT_r0_r1 "mov.b64 %0, {r0, r1};\n}"
#define RESULT_r0_p0 "selp.u32 r1, 1, 0, p0;\nmov.b64 %0, {r0, r1};\n}"

template <int Number>
struct Instruction;

constexpr int before_first = __COUNTER__;
#define INSTRUCTION(operands, result, text)                                            \
    template <>                                                                        \
    struct Instruction<__COUNTER__ - before_first - 1> {                               \
        static __device__ std::uint64_t run(const Operands& in, std::uint64_t* word) { \
            std::uint64_t out;                                                         \
            asm volatile(OPERANDS text "\n" RESULT_##result                            \
                         : "=l"(out)                                                   \
                         : "l"(in.a), "l"(in.b), "l"(in.c), "l"(word)                  \
                         : "memory");                                                  \
            return out;                                                                \
        }                                                                              \
    };
#include "grader/tests/conformance/instructions.inc"
#undef INSTRUCTION
constexpr int instruction_count = __COUNTER__ - before_first - 1;

template <int Number>
__global__ void instruction(const Operands* in, std::uint64_t* out) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    out[thread] = Instruction<Number>::run(in[thread], out + thread);
}

InstructionCase cases[] = {
#define INSTRUCTION(operands, result, text) {OperandKind::operands, text, nullptr},
#include "grader/tests/conformance/instructions.inc"
#undef INSTRUCTION
};

template <int... Numbers>
void add_kernels(std::integer_sequence<int, Numbers...>) {
    ((cases[Numbers].kernel = reinterpret_cast<const void*>(instruction<Numbers>)), ...);
}

// ---- approximations -----------------------------------------------------------------------------

#define APPROXIMATIONS                                                                      \
    ONE("sin.approx.f32", "sin.approx.f32 %0, %1;")                                         \
    ONE("cos.approx.f32", "cos.approx.f32 %0, %1;")                                         \
    ONE("tanh.approx.f32", "tanh.approx.f32 %0, %1;")                                       \
    ONE("ex2.approx.f32", "ex2.approx.f32 %0, %1;")                                         \
    ONE("lg2.approx.f32", "lg2.approx.f32 %0, %1;")                                         \
    ONE("rcp.approx.f32", "rcp.approx.f32 %0, %1;")                                         \
    ONE("rsqrt.approx.f32", "rsqrt.approx.f32 %0, %1;")                                     \
    ONE("sqrt.approx.f32", "sqrt.approx.f32 %0, %1;")                                       \
    ONE("div.approx.f32", "div.approx.f32 %0, 0f40400000, %1;")                             \
    ONE("div.full.f32", "div.full.f32 %0, 0f40400000, %1;")                                 \
    ONE("tanh.approx.f16",                                                                  \
        "{.reg .b16 h;\ncvt.rn.f16.f32 h, %1;\ntanh.approx.f16 h, h;\ncvt.f32.f16 %0, h;}") \
    ONE("ex2.approx.f16",                                                                   \
        "{.reg .b16 h;\ncvt.rn.f16.f32 h, %1;\nex2.approx.f16 h, h;\ncvt.f32.f16 %0, h;}")  \
    ONE("tanh.approx.bf16",                                                                 \
        "{.reg .b16 h;\ncvt.rn.bf16.f32 h, %1;\ntanh.approx.bf16 h, h;\n"                   \
        "cvt.f32.bf16 %0, h;}")                                                             \
    ONE("ex2.approx.ftz.bf16",                                                              \
        "{.reg .b16 h;\ncvt.rn.bf16.f32 h, %1;\nex2.approx.ftz.bf16 h, h;\n"                \
        "cvt.f32.bf16 %0, h;}")

template <int Number>
struct Function;

constexpr int before_first_function = __COUNTER__;
#define ONE(name, text)                                        \
    template <>                                                \
    struct Function<__COUNTER__ - before_first_function - 1> { \
        static __device__ float run(float in) {                \
            float out;                                         \
            asm volatile(text : "=f"(out) : "f"(in));          \
            return out;                                        \
        }                                                      \
    };
APPROXIMATIONS
#undef ONE
constexpr int function_count = __COUNTER__ - before_first_function - 1;

template <int Number>
__global__ void approximate(const float* in, float* out) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    out[thread] = Function<Number>::run(in[thread]);
}

#define ONE(name, text) {name, nullptr},
Approximation functions[] = {APPROXIMATIONS};
#undef ONE

template <int... Numbers>
void add_functions(std::integer_sequence<int, Numbers...>) {
    ((functions[Numbers].kernel = reinterpret_cast<const void*>(approximate<Numbers>)), ...);
}

}  // namespace

std::span<const InstructionCase> instruction_cases() {
    add_kernels(std::make_integer_sequence<int, instruction_count>());
    return cases;
}

std::span<const Approximation> approximations() {
    add_functions(std::make_integer_sequence<int, function_count>());
    return functions;
}

}  // namespace vram::conformance
