#include <cassert>
#include <cstddef>

#include "grader/tests/differential/kernels.h"

namespace vram::differential {
namespace {

__device__ std::uint32_t device_words[64];

__device__ unsigned first_index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ unsigned stride() {
    return gridDim.x * blockDim.x;
}

__global__ void multiply_add(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                             std::uint32_t a, std::uint32_t b) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        out[i] = in[i] * a + b + i;
    }
}

__global__ void reverse(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                        std::uint32_t a, std::uint32_t) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        out[count - 1 - i] = in[i] ^ a;
    }
}

/// Every stride-th word, the others stay.
__global__ void strided_store(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                              std::uint32_t a, std::uint32_t b) {
    const unsigned step = a % 7 + 1;
    for (unsigned i = first_index(); i < count / step; i += stride()) {
        out[i * step] = in[i] + b;
    }
}

__global__ void bytes(std::uint32_t* out, const std::uint32_t* in, unsigned count, std::uint32_t a,
                      std::uint32_t) {
    auto* to = reinterpret_cast<unsigned char*>(out);
    const auto* from = reinterpret_cast<const signed char*>(in);
    for (unsigned i = first_index(); i < count * 4; i += stride()) {
        to[i] = static_cast<unsigned char>(from[i] >> (a % 8));
    }
}

__global__ void halfwords(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                          std::uint32_t a, std::uint32_t) {
    auto* to = reinterpret_cast<short*>(out);
    const auto* from = reinterpret_cast<const short*>(in);
    for (unsigned i = first_index(); i < count * 2; i += stride()) {
        to[i] = static_cast<short>(from[i] * static_cast<short>(a));
    }
}

__global__ void bits(std::uint32_t* out, const std::uint32_t* in, unsigned count, std::uint32_t a,
                     std::uint32_t b) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        const std::uint32_t x = in[i];
        std::uint32_t y = __popc(x) + 31 * __clz(static_cast<int>(x)) + __ffs(static_cast<int>(a));
        y ^= __brev(x) + __byte_perm(x, a, b & 0x7777);
        y += __funnelshift_l(x, b, a & 31) ^ __funnelshift_r(a, x, b & 31);
        y += __umulhi(x, a) +
             static_cast<std::uint32_t>(__mulhi(static_cast<int>(x), static_cast<int>(b)));
        y += __usad(x, a, b) +
             static_cast<std::uint32_t>(__sad(static_cast<int>(x), static_cast<int>(a), b));
        out[i] = y;
    }
}

__global__ void divisions(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                          std::uint32_t a, std::uint32_t b) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        const std::uint32_t x = in[i];
        const std::uint32_t divisor = a % 1000 + 1;
        const long long wide = static_cast<long long>(x) * static_cast<int>(b);
        const int signed_divisor = static_cast<int>(b % 99) - 120;
        out[i] = x / divisor + x % divisor + static_cast<std::uint32_t>(wide / signed_divisor) +
                 static_cast<std::uint32_t>(static_cast<int>(x) % signed_divisor);
    }
}

__global__ void wide_integers(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                              std::uint32_t a, std::uint32_t b) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        unsigned long long x = (static_cast<unsigned long long>(in[i]) << 32) | a;
        x = x * 6364136223846793005ull + b;
        x ^= x >> (b % 63);
        out[i] = static_cast<std::uint32_t>(x >> 32) + __clzll(static_cast<long long>(x)) +
                 static_cast<std::uint32_t>(__umul64hi(x, in[i]));
    }
}

/// Rounded as IEEE 754 says; the operands are finite and of moderate size.
__global__ void floats(std::uint32_t* out, const std::uint32_t* in, unsigned count, std::uint32_t a,
                       std::uint32_t b) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        const float x = static_cast<float>(in[i] % 100003) / 64.0f;
        const float p = static_cast<float>(a % 977) - 300.25f;
        const float q = static_cast<float>(b % 31) + 0.5f;
        float y = __fmaf_rn(x, p, q);
        y = __fadd_rn(y, __fdiv_rn(x, q));
        y = __fadd_rn(y, __fsqrt_rn(x));
        y = fminf(fmaxf(y, -1e6f), 1e6f);
        out[i] = __float_as_uint(y) ^ static_cast<std::uint32_t>(static_cast<int>(floorf(y)));
    }
}

__global__ void doubles(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                        std::uint32_t a, std::uint32_t b) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        const double x = static_cast<double>(in[i]) / 3.0;
        const double p = static_cast<double>(static_cast<int>(a));
        double y = __fma_rn(x, p, static_cast<double>(b % 1000) + 0.25);
        y = __dadd_rn(y, __ddiv_rn(x, static_cast<double>(b % 17 + 1)));
        y = __dadd_rn(y, __dsqrt_rn(x));
        const long long bit_pattern = __double_as_longlong(y);
        out[i] =
            static_cast<std::uint32_t>(bit_pattern) ^ static_cast<std::uint32_t>(bit_pattern >> 32);
    }
}

__global__ void conversions(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                            std::uint32_t a, std::uint32_t) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        const std::uint32_t x = in[i];
        const float f = static_cast<float>(static_cast<int>(x));
        const float g = __uint2float_rz(x);
        std::uint32_t y = __float_as_uint(f) + __float_as_uint(g);
        y += static_cast<std::uint32_t>(__float2int_rd(f / 7.0f)) + __float2uint_ru(g / 3.0f);
        y ^= static_cast<std::uint32_t>(__double2ll_rn(static_cast<double>(x) * 0.3));
        y += static_cast<std::uint32_t>(static_cast<signed char>(x)) + static_cast<short>(a);
        out[i] = y;
    }
}

__global__ void histogram(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                          std::uint32_t a, std::uint32_t) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        atomicAdd(&out[(in[i] ^ a) % count], 1u);
    }
}

__global__ void atomics(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                        std::uint32_t a, std::uint32_t b) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        const unsigned cell = in[i] % count;
        switch (a % 6) {
            case 0:
                atomicMax(&out[cell], in[i]);
                break;
            case 1:
                atomicMin(&out[cell], in[i]);
                break;
            case 2:
                atomicXor(&out[cell], in[i] * b);
                break;
            case 3:
                atomicOr(&out[cell], in[i] & b);
                break;
            case 4:
                atomicAnd(&out[cell], in[i] | b);
                break;
            default:
                atomicSub(&out[cell], in[i]);
                break;
        }
    }
}

/// A sum by compare-and-swap.
__global__ void compare_and_swap(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                                 std::uint32_t a, std::uint32_t) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        std::uint32_t* cell = &out[in[i] % (a % 5 + 1) % count];
        std::uint32_t seen = *reinterpret_cast<volatile std::uint32_t*>(cell);
        std::uint32_t assumed = 0;
        do {
            assumed = seen;
            seen = atomicCAS(cell, assumed, assumed + in[i]);
        } while (seen != assumed);
    }
}

__global__ void block_sums(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                           std::uint32_t a, std::uint32_t) {
    __shared__ std::uint32_t parts[1024];
    std::uint32_t sum = a;
    for (unsigned i = first_index(); i < count; i += stride()) {
        sum += in[i];
    }
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = 512; half > 0; half /= 2) {
        if (threadIdx.x < half && threadIdx.x + half < blockDim.x) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(&out[blockIdx.x % count], parts[0]);
    }
}

__global__ void shuffles(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                         std::uint32_t a, std::uint32_t b) {
    const unsigned lane = threadIdx.x % 32;
    // Whole warps take part in each round.
    for (unsigned base = first_index() - lane; base < count; base += stride()) {
        const unsigned i = base + lane;
        std::uint32_t x = i < count ? in[i] : a;
        for (int offset = 16; offset > 0; offset /= 2) {
            x += __shfl_xor_sync(0xFFFFFFFFu, x, offset);
        }
        const std::uint32_t own = i < count ? in[i] : b;
        x ^= __shfl_up_sync(0xFFFFFFFFu, own, a % 32, 16);
        x += __shfl_down_sync(0xFFFFFFFFu, own, b % 32, 8);
        x ^= __shfl_sync(0xFFFFFFFFu, own, static_cast<int>(own % 64), 32);
        x += __ballot_sync(0xFFFFFFFFu, own & 1u) ^ (__any_sync(0xFFFFFFFFu, own > a) ? 3u : 5u);
        x += __all_sync(0xFFFFFFFFu, own != b) ? 7u : 11u;
        if (i < count) {
            out[i] = x;
        }
    }
}

/// Each thread goes round as often as its word says.
__global__ void uneven_loops(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                             std::uint32_t a, std::uint32_t) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        std::uint32_t x = in[i] % 1021 + 1;
        std::uint32_t rounds = 0;
        while (x != 1 && rounds < 200) {
            x = x % 2 != 0 ? 3 * x + 1 : x / 2;
            ++rounds;
            if (rounds % 64 == a % 64) {
                continue;
            }
            rounds += x % 3 == 0;
        }
        out[i] = rounds;
    }
}

/// Sorts eight words in memory of the thread.
__global__ void local_sort(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                           std::uint32_t a, std::uint32_t) {
    for (unsigned group = first_index(); group < count / 8; group += stride()) {
        std::uint32_t cells[8];
        for (unsigned i = 0; i < 8; ++i) {
            cells[i] = in[group * 8 + i] ^ a;
        }
        for (int i = 1; i < 8; ++i) {
            const std::uint32_t moved = cells[i];
            int place = i;
            for (; place > 0 && cells[place - 1] > moved; --place) {
                cells[place] = cells[place - 1];
            }
            cells[place] = moved;
        }
        for (unsigned i = 0; i < 8; ++i) {
            out[group * 8 + i] = cells[i];
        }
    }
}

__global__ void transpose(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                          std::uint32_t a, std::uint32_t) {
    __shared__ std::uint32_t tile[32][33];
    const unsigned lane = threadIdx.x % 32;
    const unsigned row = threadIdx.x / 32;
    const unsigned rows = blockDim.x / 32;
    for (unsigned first = blockIdx.x * 1024; first < count / 1024 * 1024;
         first += gridDim.x * 1024) {
        for (unsigned y = row; y < 32; y += rows) {
            tile[y][lane] = in[first + y * 32 + lane] + a;
        }
        __syncthreads();
        for (unsigned y = row; y < 32; y += rows) {
            out[first + y * 32 + lane] = tile[lane][y];
        }
        __syncthreads();
    }
}

__global__ void vectors(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                        std::uint32_t a, std::uint32_t b) {
    const bool fits = reinterpret_cast<std::uintptr_t>(out) % 16 == 0 &&
                      reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
    for (unsigned i = first_index(); fits && i < count / 4; i += stride()) {
        uint4 v = reinterpret_cast<const uint4*>(in)[i];
        v.x += a;
        v.y ^= v.w;
        v.z *= b;
        reinterpret_cast<uint4*>(out)[i] = make_uint4(v.w, v.z, v.y, v.x);
    }
}

__global__ void symbol_words_added(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                                   std::uint32_t a, std::uint32_t) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        out[i] = in[i] + device_words[(i + a) % 64];
    }
}

__global__ void block_numbers(std::uint32_t* out, const std::uint32_t*, unsigned count,
                              std::uint32_t a, std::uint32_t b) {
    const unsigned i = first_index();
    if (i < count) {
        out[i] = blockIdx.x * a + threadIdx.x * b + blockDim.x * 7 + gridDim.x * 13 + threadIdx.y +
                 blockIdx.z + warpSize;
    }
}

__device__ __noinline__ std::uint32_t fold(std::uint32_t x, int depth) {
    return depth == 0 ? x : fold(x * 31 + static_cast<std::uint32_t>(depth), depth - 1) ^ x;
}

__global__ void recursion(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                          std::uint32_t a, std::uint32_t) {
    for (unsigned i = first_index(); i < count; i += stride()) {
        out[i] = fold(in[i], static_cast<int>((in[i] + a) % 9));
    }
}

__global__ void early_exits(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                            std::uint32_t a, std::uint32_t b) {
    const unsigned i = first_index();
    if (i >= count) {
        return;
    }
    const std::uint32_t x = in[i];
    switch (x % 8) {
        case 0:
            out[i] = a;
            return;
        case 1:
            out[i] = b;
            break;
        case 2:
        case 3:
            out[i] = x;
            break;
        case 5:
            out[i] = ~x;
            return;
        default:
            out[i] += 1;
    }
    out[i] ^= 0x5555u;
}

/// 64-bit atomics, on cells that are aligned whatever the offset of `out`.
__global__ void wide_atomics(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                             std::uint32_t a, std::uint32_t b) {
    const unsigned skip = reinterpret_cast<std::uintptr_t>(out) % 8 != 0 ? 1 : 0;
    if (count < skip + 2) {
        return;
    }
    auto* cells = reinterpret_cast<unsigned long long*>(out + skip);
    const unsigned cell_count = (count - skip) / 2;
    for (unsigned i = first_index(); i < count; i += stride()) {
        unsigned long long* cell = &cells[in[i] % cell_count];
        const unsigned long long value = static_cast<unsigned long long>(in[i]) * a + b;
        switch (b % 5) {
            case 0:
                atomicAdd(cell, value);
                break;
            case 1:
                atomicMax(cell, value);
                break;
            case 2:
                atomicMin(cell, value);
                break;
            case 3:
                atomicXor(cell, value);
                break;
            default:
                atomicOr(cell, value);
                break;
        }
    }
}

__global__ void matches(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                        std::uint32_t a, std::uint32_t b) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned base = first_index() - lane; base < count; base += stride()) {
        const unsigned i = base + lane;
        const std::uint32_t own = i < count ? in[i] : a;
        int all_alike = 0;
        std::uint32_t x = __match_any_sync(0xFFFFFFFFu, own % (a % 7 + 1));
        x ^= __match_all_sync(0xFFFFFFFFu, own % (b % 3 + 1), &all_alike);
        x += static_cast<std::uint32_t>(all_alike);
        // Both halves of a warp go their own way.
        if (lane < 16) {
            x += __shfl_xor_sync(0x0000FFFFu, own, static_cast<int>(a % 16));
            x ^= __ballot_sync(0x0000FFFFu, own & 2u);
        } else {
            x ^= __shfl_down_sync(0xFFFF0000u, own, b % 8, 16);
        }
        __syncwarp();
        if (i < count) {
            out[i] = x;
        }
    }
}

/// Loads and stores of small vectors, where both sides are aligned for them.
__global__ void small_vectors(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                              std::uint32_t a, std::uint32_t b) {
    const bool fits = reinterpret_cast<std::uintptr_t>(out) % 8 == 0 &&
                      reinterpret_cast<std::uintptr_t>(in) % 8 == 0;
    for (unsigned i = first_index(); fits && i < count / 2; i += stride()) {
        const short4 s = reinterpret_cast<const short4*>(in)[i];
        const uchar4 c = reinterpret_cast<const uchar4*>(in)[2 * i];
        const float2 f = make_float2(static_cast<float>(s.x), static_cast<float>(c.y));
        uint2 result =
            make_uint2(static_cast<std::uint32_t>(s.y * c.x + s.w) + a,
                       __float_as_uint(__fmaf_rn(f.x, f.y, static_cast<float>(s.z))) ^ b);
        reinterpret_cast<uint2*>(out)[i] = result;
    }
}

/// Rounds of exchange through shared memory, as many as `a` says.
__global__ void shared_rounds(std::uint32_t* out, const std::uint32_t* in, unsigned count,
                              std::uint32_t a, std::uint32_t b) {
    __shared__ std::uint32_t cells[1024];
    const unsigned rounds = a % 5 + 1;
    for (unsigned base = blockIdx.x * blockDim.x; base < count; base += stride()) {
        const unsigned i = base + threadIdx.x;
        cells[threadIdx.x] = i < count ? in[i] : b;
        __syncthreads();
        for (unsigned round = 0; round < rounds; ++round) {
            const std::uint32_t other = cells[(threadIdx.x + b % 61 + 1) % blockDim.x];
            __syncthreads();
            cells[threadIdx.x] = cells[threadIdx.x] * 3 + other;
            const bool any = __syncthreads_or(other == a) != 0;
            cells[threadIdx.x] += any ? 1u : __syncthreads_count(static_cast<int>(other & 1u));
            __syncthreads();
        }
        if (i < count) {
            out[i] = cells[threadIdx.x];
        }
        __syncthreads();
    }
}

__global__ void misaligned_store(char* p) {
    *reinterpret_cast<std::uint32_t*>(p + 1) = 1;
}

__global__ void store(std::uint32_t* p, std::size_t index) {
    p[index] = 1;
}

__global__ void trap() {
    __trap();
}

__global__ void failing_assert(int value) {
    assert(value == 0);
}

__global__ void nothing() {}

template <auto* Function>
void launch(const KernelCall& call) {
    Function<<<call.blocks, call.threads, 0, call.stream>>>(call.out, call.in, call.count, call.a,
                                                            call.b);
}

#define KERNEL(name) \
    { #name, launch < name> }

const Kernel kernels[] = {
    KERNEL(multiply_add),  KERNEL(reverse),          KERNEL(strided_store),
    KERNEL(bytes),         KERNEL(halfwords),        KERNEL(bits),
    KERNEL(divisions),     KERNEL(wide_integers),    KERNEL(floats),
    KERNEL(doubles),       KERNEL(conversions),      KERNEL(histogram),
    KERNEL(atomics),       KERNEL(compare_and_swap), KERNEL(block_sums),
    KERNEL(shuffles),      KERNEL(uneven_loops),     KERNEL(local_sort),
    KERNEL(transpose),     KERNEL(vectors),          KERNEL(symbol_words_added),
    KERNEL(block_numbers), KERNEL(recursion),        KERNEL(early_exits),
    KERNEL(wide_atomics),  KERNEL(matches),          KERNEL(small_vectors),
    KERNEL(shared_rounds),
};

}  // namespace

const Kernel* all_kernels(std::size_t& count) {
    count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

void launch_fault(Fault fault, std::uint32_t* memory) {
    switch (fault) {
        case Fault::null:
            store<<<1, 1>>>(nullptr, 0);
            break;
        case Fault::far:
            store<<<1, 1>>>(memory, std::size_t{1} << 40);
            break;
        case Fault::misaligned:
            misaligned_store<<<1, 1>>>(reinterpret_cast<char*>(memory));
            break;
        case Fault::trap:
            trap<<<1, 1>>>();
            break;
        case Fault::failed_assert:
            failing_assert<<<1, 1>>>(1);
            break;
    }
}

void launch_with_shape(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                       cudaStream_t stream) {
    nothing<<<grid, block, dynamic_shared_bytes, stream>>>();
}

const void* const symbol_words = device_words;

const void* empty_kernel() {
    return reinterpret_cast<const void*>(nothing);
}

}  // namespace vram::differential
