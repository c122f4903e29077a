// Arithmetic whose results the test computes as well.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" {

__global__ void integers(const int* a, const int* b, int* out, int n) {
    const int i = threadIdx.x;
    const int x = a[i], y = b[i];
    const unsigned ux = x, uy = y;
    int* r = out + i * 24;
    r[0] = x + y;
    r[1] = x - y;
    r[2] = x * y;
    r[3] = y != 0 ? x / (y | 1) : 0;
    r[4] = y != 0 ? x % (y | 1) : 0;
    r[5] = ux / (uy | 1);
    r[6] = ux % (uy | 1);
    r[7] = __mulhi(x, y);
    r[8] = __umulhi(ux, uy);
    r[9] = min(x, y);
    r[10] = max(ux, uy);
    r[11] = __popc(ux);
    r[12] = __clz(x);
    r[13] = __ffs(x);
    r[14] = __brev(ux);
    r[15] = x >> (y & 31);
    r[16] = ux >> (y & 31);
    r[17] = x << (y & 31);
    r[18] = __byte_perm(ux, uy, 0x7531);
    r[19] = (ux << 7) | (ux >> 25);
    r[20] = __dp4a(x, y, 5);
    r[21] = __sad(x, y, 3u);
    r[22] = abs(x);
    r[23] = (x ^ ~y) & (x | y);
}

__global__ void long_integers(const long long* a, const long long* b, long long* out) {
    const int i = threadIdx.x;
    const long long x = a[i], y = b[i];
    long long* r = out + i * 10;
    r[0] = x * y;
    r[1] = x / (y | 1);
    r[2] = x % (y | 1);
    r[3] = __mul64hi(x, y);
    r[4] = (long long)((unsigned long long)x / ((unsigned long long)y | 1));
    r[5] = __popcll(x);
    r[6] = __clzll(x);
    r[7] = __brevll(x);
    r[8] = x >> (y & 63);
    r[9] = x < y ? x : y;
}

// 128-bit sums through the carry flag.
__global__ void wide_sum(const unsigned* a, const unsigned* b, unsigned* out) {
    const unsigned* x = a + threadIdx.x * 4;
    const unsigned* y = b + threadIdx.x * 4;
    unsigned r0, r1, r2, r3;
    asm("add.cc.u32 %0, %4, %8;\n\t"
        "addc.cc.u32 %1, %5, %9;\n\t"
        "addc.cc.u32 %2, %6, %10;\n\t"
        "addc.u32 %3, %7, %11;"
        : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
    unsigned* r = out + threadIdx.x * 4;
    r[0] = r0;
    r[1] = r1;
    r[2] = r2;
    r[3] = r3;
}

__global__ void bit_fields(const unsigned* a, unsigned* out) {
    const int i = threadIdx.x;
    unsigned u, inserted, high;
    int s;
    asm("bfe.u32 %0, %1, %2, 7;" : "=r"(u) : "r"(a[i]), "r"(i));
    asm("bfe.s32 %0, %1, %2, 7;" : "=r"(s) : "r"(a[i]), "r"(i));
    asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(inserted) : "r"(a[i]), "r"(~a[i]), "r"(i));
    asm("bfind.u32 %0, %1;" : "=r"(high) : "r"(a[i]));
    out[i * 4] = u;
    out[i * 4 + 1] = s;
    out[i * 4 + 2] = inserted;
    out[i * 4 + 3] = high;
}

__global__ void singles(const float* a, const float* b, float* out) {
    const int i = threadIdx.x;
    const float x = a[i], y = b[i];
    float* r = out + i * 20;
    r[0] = x + y;
    r[1] = x * y;
    r[2] = x / y;
    r[3] = fmaf(x, y, 1.5f);
    r[4] = sqrtf(fabsf(x));
    r[5] = fminf(x, y);
    r[6] = fmaxf(x, y);
    r[7] = floorf(x);
    r[8] = ceilf(x);
    r[9] = truncf(x);
    r[10] = rintf(x);
    r[11] = (float)(int)x;
    r[12] = copysignf(x, y);
    r[13] = __fadd_rz(x, y);
    r[14] = __fadd_ru(x, y);
    r[15] = __fmul_rd(x, y);
    r[16] = __saturatef(x);
    r[17] = (float)(unsigned)fabsf(y);
    r[18] = (float)((double)x * y);
    r[19] = x < y ? 1.0f : (x == y ? 0.5f : 0.0f);
}

__global__ void functions(const float* a, float* out) {
    const int i = threadIdx.x;
    const float x = a[i];
    float* r = out + i * 12;
    r[0] = sinf(x);
    r[1] = cosf(x);
    r[2] = expf(x);
    r[3] = logf(x);
    r[4] = powf(x, 1.7f);
    r[5] = tanhf(x);
    r[6] = rsqrtf(x);
    r[7] = __sinf(x);
    r[8] = __expf(x);
    r[9] = __logf(x);
    r[10] = erff(x);
    r[11] = atan2f(x, 2.0f);
}

__global__ void doubles(const double* a, double* out) {
    const int i = threadIdx.x;
    const double x = a[i];
    double* r = out + i * 8;
    r[0] = x / 3.0;
    r[1] = sqrt(x);
    r[2] = exp(x);
    r[3] = log(x);
    r[4] = sin(x);
    r[5] = pow(x, 2.5);
    r[6] = (double)(long long)x;
    r[7] = fma(x, x, -x);
}

__global__ void halves(const __half* a, const __half* b, __half* out) {
    const int i = threadIdx.x;
    __half* r = out + i * 8;
    r[0] = __hadd(a[i], b[i]);
    r[1] = __hmul(a[i], b[i]);
    r[2] = __hfma(a[i], b[i], a[i]);
    r[3] = __hsub(a[i], b[i]);
    r[4] = __float2half(__half2float(a[i]) * 0.3f);
    r[5] = __hneg(a[i]);
    const __half2 sum = __hadd2(__halves2half2(a[i], b[i]), __halves2half2(b[i], b[i]));
    r[6] = __low2half(sum);
    r[7] = __high2half(sum);
}

__global__ void round_to_bfloat(const float* a, __nv_bfloat16* out) {
    out[threadIdx.x] = __float2bfloat16(a[threadIdx.x]);
}

__global__ void add_halves(__half2* sum) {
    atomicAdd(sum, __floats2half2_rn(1.0f, 0.5f));
}

__global__ void bytes(const signed char* a, const unsigned char* b, short* out) {
    const int i = threadIdx.x;
    out[i] = (short)(a[i] * 3 - b[i]);
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* q, float* f, double* d) {
    const int t = threadIdx.x;
    atomicMax(i, t);
    atomicMin(i + 1, t);
    atomicExch(i + 2, t);
    atomicCAS(i + 3, 0, t);
    atomicSub(i + 4, 1);
    i[10 + t] = atomicAdd(i + 5, 2);
    atomicAnd(u, t);
    atomicOr(u + 1, t);
    atomicXor(u + 2, t);
    atomicInc(u + 3, 10);
    atomicDec(u + 4, 10);
    atomicAdd(q, 1ull);
    atomicMax(q + 1, (unsigned long long)t << 40);
    atomicAdd(f, 1.0f);
    atomicAdd(d, 0.5);
}

}  // extern "C"
