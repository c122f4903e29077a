// Kernels in streams: when they run, what a bad launch or a fault does, and hazards between them.

#include <cstring>
#include <string>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

extern "C" __attribute__((visibility("hidden"))) void** vram_virtual___cudaRegisterFatBinary(void*);
extern "C" __attribute__((visibility("hidden"))) void vram_virtual___cudaRegisterFunction(
    void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
VRAM_TEST_CALL(cudaLaunchKernel)
VRAM_TEST_CALL(cudaFuncGetAttributes)
VRAM_TEST_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)

namespace vram::virtual_gpu {
namespace {

/// put(int* target, int count): thread i writes i to target[i] for i < count.
/// count_in(int* counter): each thread adds 1 to *counter, atomically.
constexpr const char* ptx_text = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry put(.param .u64 put_param_0, .param .u32 put_param_1)
{
.reg .pred %p<2>;
.reg .b32 %r<6>;
.reg .b64 %rd<5>;
ld.param.u64 %rd1, [put_param_0];
ld.param.u32 %r1, [put_param_1];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra $done;
cvta.to.global.u64 %rd2, %rd1;
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd2, %rd3;
st.global.u32 [%rd4], %r5;
$done:
ret;
}
.visible .entry count_in(.param .u64 count_in_param_0)
{
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [count_in_param_0];
cvta.to.global.u64 %rd2, %rd1;
red.global.add.u32 [%rd2], 1;
ret;
}
)";

struct FatBinary {
    struct {
        std::uint32_t magic = 0xBA55ED50;
        std::uint16_t version = 1;
        std::uint16_t header_bytes = 16;
        std::uint64_t body_bytes = 64 + sizeof text;
    } container;
    struct {
        std::uint16_t kind = 1;
        std::uint16_t version = 0x101;
        std::uint32_t header_bytes = 64;
        std::uint64_t body_bytes = sizeof text;
        std::uint32_t other[2] = {0, 64};
        std::uint16_t minor = 0;
        std::uint16_t major = 7;
        std::uint32_t capability = 75;
        std::uint64_t rest[4] = {};
    } entry;
    char text[2048] = {};
};
static_assert(offsetof(FatBinary, text) == 80);

struct Wrapper {
    std::uint32_t magic = 0x466243B1;
    std::uint32_t version = 1;
    const void* container = nullptr;
    const void* other = nullptr;
};

/// Stand for the host functions `put` and `count_in`; only their addresses count.
const char put_symbol = 0;
const char count_in_symbol = 0;

void register_once() {
    static bool done = false;
    if (done)
        return;
    done = true;
    static FatBinary binary;
    std::strcpy(binary.text, ptx_text);
    static Wrapper wrapper;
    wrapper.container = &binary;
    void** handle = vram_virtual___cudaRegisterFatBinary(&wrapper);
    vram_virtual___cudaRegisterFunction(handle, &put_symbol, nullptr, "put", -1, nullptr, nullptr,
                                        nullptr, nullptr, nullptr);
    vram_virtual___cudaRegisterFunction(handle, &count_in_symbol, nullptr, "count_in", -1, nullptr,
                                        nullptr, nullptr, nullptr, nullptr);
}

class Launch : public VirtualGpu {
  protected:
    Launch() { register_once(); }

    cudaError_t put(int* target, int count, cudaStream_t where = nullptr, unsigned threads = 64,
                    unsigned blocks = 1, std::size_t shared = 0) {
        void* arguments[] = {&target, &count};
        return gpu::cudaLaunchKernel(&put_symbol, dim3(blocks), dim3(threads), arguments, shared,
                                     where);
    }
    /// Adds 64 to *counter.
    cudaError_t count_in(int* counter, cudaStream_t where) {
        void* arguments[] = {&counter};
        return gpu::cudaLaunchKernel(&count_in_symbol, dim3(1), dim3(64), arguments, 0, where);
    }
};

TEST_F(Launch, RunsWhenItsStreamIsWaitedFor) {
    int* block = device<int>(64 * sizeof(int));
    ASSERT_EQ(put(block, 64), cudaSuccess);
    int back[64] = {};
    ASSERT_EQ(gpu::cudaMemcpy(back, block, sizeof back, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(back[63], 63);
    EXPECT_EQ(reported(), "");
    const auto statistics = kernel_statistics();
    ASSERT_EQ(statistics.size(), 1u);
    EXPECT_EQ(statistics[0].name, "put");
    EXPECT_EQ(statistics[0].launches, 1u);
    EXPECT_EQ(statistics[0].counters.store_sectors, 8u);
    EXPECT_GT(statistics[0].nanoseconds, 0u);
}

TEST_F(Launch, OfABadShapeIsRefusedAndNotSticky) {
    int* block = device<int>(64 * sizeof(int));
    EXPECT_EQ(put(block, 64, nullptr, 2048), cudaErrorInvalidValue);
    EXPECT_EQ(put(block, 64, nullptr, 0), cudaErrorInvalidValue);
    EXPECT_EQ(put(block, 64, nullptr, 64, 0), cudaErrorInvalidValue);
    EXPECT_EQ(put(block, 64, nullptr, 64, 1, 300 * kibibyte), cudaErrorInvalidValue);
    void* arguments[] = {&block, &block};
    EXPECT_EQ(gpu::cudaLaunchKernel(&put_symbol, dim3(1, 70000), dim3(1), arguments, 0, nullptr),
              cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(put(block, 64), cudaSuccess);
}

TEST_F(Launch, OfAnUnknownFunctionIsRefused) {
    const char nobody = 0;
    EXPECT_EQ(gpu::cudaLaunchKernel(&nobody, dim3(1), dim3(1), nullptr, 0, nullptr),
              cudaErrorInvalidDeviceFunction);
}

TEST_F(Launch, ThatLeavesItsBlockIsSeenAndSticky) {
    int* block = device<int>(63 * sizeof(int));
    ASSERT_EQ(put(block, 64), cudaSuccess) << "a launch doesn't wait";
    EXPECT_EQ(gpu::cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_EQ(reported(), "kernel-out-of-bounds");
    EXPECT_EQ(gpu::cudaFree(block), cudaErrorIllegalAddress);
    EXPECT_EQ(gpu::cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_EQ(gpu::cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(gpu::cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
}

TEST_F(Launch, TellsItsAttributes) {
    cudaFuncAttributes attributes{};
    ASSERT_EQ(gpu::cudaFuncGetAttributes(&attributes, &put_symbol), cudaSuccess);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
    EXPECT_EQ(attributes.ptxVersion, 75);
    int blocks = 0;
    ASSERT_EQ(gpu::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &put_symbol, 1024, 0),
              cudaSuccess);
    EXPECT_EQ(blocks, 2);
    EXPECT_EQ(compute_capability_times_ten(), 75);
}

TEST_F(Launch, OnTwoStreamsCollidesOnTheBytesItReallyTouches) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        fresh_card(seed);
        int* block = device<int>(128 * sizeof(int));
        call(10);
        ASSERT_EQ(put(block, 64, stream()), cudaSuccess);
        call(20);
        ASSERT_EQ(put(block + 63, 64, stream()), cudaSuccess);
        ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_EQ(reported(), "race");
        EXPECT_EQ(reports()[0].parties[0].call + reports()[0].parties[1].call, 30u);

        fresh_card(seed);
        block = device<int>(128 * sizeof(int));
        ASSERT_EQ(put(block, 64, stream()), cudaSuccess);
        ASSERT_EQ(put(block + 64, 64, stream()), cudaSuccess);
        ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_EQ(reported(), "");
    }
}

TEST_F(Launch, OnTwoStreamsMayUpdateTheSameBytesAtomically) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        fresh_card(seed);
        int* counter = device<int>(sizeof(int));
        ASSERT_EQ(gpu::cudaMemset(counter, 0, sizeof(int)), cudaSuccess);
        ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_EQ(count_in(counter, stream()), cudaSuccess);
        ASSERT_EQ(count_in(counter, stream()), cudaSuccess);
        ASSERT_EQ(count_in(counter, stream()), cudaSuccess);
        ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
        int total = 0;
        ASSERT_EQ(gpu::cudaMemcpy(&total, counter, sizeof total, cudaMemcpyDeviceToHost),
                  cudaSuccess);
        ASSERT_EQ(total, 192);
        ASSERT_EQ(reported(), "");
    }
}

TEST_F(Launch, ThatUpdatesAtomicallyCollidesWithPlainAccesses) {
    const auto expect_race = [&](auto first, auto second) {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            fresh_card(seed);
            int* counter = device<int>(sizeof(int));
            int* copied = device<int>(sizeof(int));
            call(10);
            ASSERT_EQ(first(counter, copied), cudaSuccess);
            call(20);
            ASSERT_EQ(second(counter, copied), cudaSuccess);
            ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
            ASSERT_EQ(reported(), "race");
            EXPECT_EQ(reports()[0].parties[0].call + reports()[0].parties[1].call, 30u);
        }
    };
    const auto update = [&](int* counter, int*) { return count_in(counter, stream()); };
    const auto write = [&](int* counter, int*) { return put(counter, 1, stream()); };
    const auto read = [&](int* counter, int* copied) {
        return gpu::cudaMemcpyAsync(copied, counter, sizeof(int), cudaMemcpyDeviceToDevice,
                                    stream());
    };
    expect_race(update, write);
    expect_race(write, update);
    expect_race(update, read);
    expect_race(read, update);
}

TEST_F(Launch, IsCaughtByAFreeThatDoesNotWait) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        fresh_card(seed);
        int* block = device<int>(64 * sizeof(int));
        call(10);
        ASSERT_EQ(put(block, 64, stream()), cudaSuccess);
        call(20);
        ASSERT_EQ(gpu::cudaFree(block), cudaSuccess);
        ASSERT_EQ(reported(), "free-in-flight");
    }
}

TEST_F(Launch, InAPoolHandedOnWithoutAnEventIsCaught) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        fresh_card(seed);
        int* recycled = device<int>(64 * sizeof(int));
        call(10);
        ASSERT_EQ(put(recycled, 64, stream()), cudaSuccess);
        call(20);
        ASSERT_EQ(put(recycled, 64, stream()), cudaSuccess);
        ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_EQ(reported(), "race");
    }
}

}  // namespace
}  // namespace vram::virtual_gpu
