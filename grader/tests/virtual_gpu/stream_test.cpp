// Streams, events, host functions and errors of the device as a whole.

#include <atomic>
#include <cstring>
#include <thread>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

using StreamOrder = VirtualGpu;
using EventMark = VirtualGpu;
using DeviceAnswers = VirtualGpu;

TEST_F(StreamOrder, HandleOfADestroyedStreamComesBackAndIsDeadUntilThen) {
    const cudaStream_t first = stream();
    EXPECT_EQ(gpu::cudaStreamDestroy(first), cudaSuccess);
    EXPECT_EQ(gpu::cudaStreamSynchronize(first), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(gpu::cudaStreamDestroy(first), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(stream(), first);
}

TEST_F(StreamOrder, QueryTellsPendingWorkAndComesToAnEnd) {
    const cudaStream_t work = stream();
    EXPECT_EQ(gpu::cudaStreamQuery(work), cudaSuccess);
    ASSERT_EQ(gpu::cudaMemsetAsync(device(64), 0, 64, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaStreamQuery(work), cudaErrorNotReady);
    int asked = 0;
    while (gpu::cudaStreamQuery(work) == cudaErrorNotReady)
        ASSERT_LT(++asked, 10);
}

TEST_F(StreamOrder, HostFunctionsRunInOrderAndMayNotCallTheRuntime) {
    struct Log {
        std::string text;
        cudaError_t inside = cudaSuccess;
    } log;
    const cudaStream_t work = stream();
    const auto first = [](void* data) { static_cast<Log*>(data)->text += "a"; };
    const auto second = [](void* data) {
        auto* log = static_cast<Log*>(data);
        log->text += "b";
        log->inside = gpu::cudaDeviceSynchronize();
    };
    ASSERT_EQ(gpu::cudaLaunchHostFunc(work, first, &log), cudaSuccess);
    ASSERT_EQ(gpu::cudaLaunchHostFunc(work, second, &log), cudaSuccess);
    EXPECT_EQ(log.text, "");
    ASSERT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    EXPECT_EQ(log.text, "ab");
    EXPECT_EQ(log.inside, cudaErrorNotPermitted);
}

TEST_F(StreamOrder, WorkEndsThoughNobodyCallsTheRuntime) {
    std::atomic<bool> flag{false};
    const auto raise = [](void* data) { static_cast<std::atomic<bool>*>(data)->store(true); };
    ASSERT_EQ(gpu::cudaLaunchHostFunc(stream(), raise, &flag), cudaSuccess);
    while (!flag.load())
        std::this_thread::yield();
    SUCCEED();
}

TEST_F(StreamOrder, AHostFunctionMayWaitForAnotherThreadThatCallsTheRuntime) {
    std::atomic<bool> flag{false};
    const cudaStream_t work = stream();
    const auto wait = [](void* data) {
        while (!static_cast<std::atomic<bool>*>(data)->load())
            std::this_thread::yield();
    };
    ASSERT_EQ(gpu::cudaLaunchHostFunc(work, wait, &flag), cudaSuccess);
    std::thread helper([&] {
        device(64);
        flag = true;
    });
    EXPECT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    helper.join();
}

TEST_F(StreamOrder, ThousandsOfPendingCallsAreNoProblem) {
    const cudaStream_t left = stream(), right = stream();
    const cudaEvent_t mark = event();
    char* block = device(64);
    for (int i = 0; i < 3000; ++i) {
        const cudaStream_t from = i % 2 ? left : right;
        const cudaStream_t to = i % 2 ? right : left;
        ASSERT_EQ(gpu::cudaMemsetAsync(block, i, 64, from), cudaSuccess);
        ASSERT_EQ(gpu::cudaEventRecord(mark, from), cudaSuccess);
        ASSERT_EQ(gpu::cudaStreamWaitEvent(to, mark, 0), cudaSuccess);
    }
    ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(reported(), "");
    unsigned char back = 0;
    ASSERT_EQ(gpu::cudaMemcpy(&back, block, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(back, 2999 % 256);
}

TEST_F(EventMark, NeverRecordedIsReachedButCannotBeMeasured) {
    const cudaEvent_t mark = event();
    float milliseconds = 0;
    EXPECT_EQ(gpu::cudaEventQuery(mark), cudaSuccess);
    EXPECT_EQ(gpu::cudaEventSynchronize(mark), cudaSuccess);
    EXPECT_EQ(gpu::cudaStreamWaitEvent(stream(), mark, 0), cudaSuccess);
    EXPECT_EQ(gpu::cudaEventElapsedTime(&milliseconds, mark, mark), cudaErrorInvalidResourceHandle);
}

TEST_F(EventMark, IsNotReadyBeforeItsStreamCameToIt) {
    const cudaStream_t work = stream();
    const cudaEvent_t start = event(), end = event();
    float milliseconds = 0;
    ASSERT_EQ(gpu::cudaEventRecord(start, work), cudaSuccess);
    ASSERT_EQ(gpu::cudaMemsetAsync(device(mebibyte), 0, mebibyte, work), cudaSuccess);
    ASSERT_EQ(gpu::cudaEventRecord(end, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
    EXPECT_EQ(gpu::cudaEventSynchronize(end), cudaSuccess);
    EXPECT_EQ(gpu::cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    EXPECT_GT(milliseconds, 0.0f);
}

TEST_F(EventMark, MeasuresVirtualTimeThatGrowsWithTheWork) {
    const cudaStream_t work = stream();
    const cudaEvent_t start = event(), middle = event(), end = event();
    char* block = device(gibibyte);
    ASSERT_EQ(gpu::cudaEventRecord(start, work), cudaSuccess);
    ASSERT_EQ(gpu::cudaMemsetAsync(block, 0, mebibyte, work), cudaSuccess);
    ASSERT_EQ(gpu::cudaEventRecord(middle, work), cudaSuccess);
    ASSERT_EQ(gpu::cudaMemsetAsync(block, 0, 64 * mebibyte, work), cudaSuccess);
    ASSERT_EQ(gpu::cudaEventRecord(end, work), cudaSuccess);
    ASSERT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    float small = 0, large = 0;
    ASSERT_EQ(gpu::cudaEventElapsedTime(&small, start, middle), cudaSuccess);
    ASSERT_EQ(gpu::cudaEventElapsedTime(&large, middle, end), cudaSuccess);
    EXPECT_GT(large, small);
}

TEST_F(EventMark, WithoutTimingCannotBeMeasured) {
    cudaEvent_t mark = nullptr;
    ASSERT_EQ(gpu::cudaEventCreateWithFlags(&mark, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(gpu::cudaEventRecord(mark, nullptr), cudaSuccess);
    ASSERT_EQ(gpu::cudaEventSynchronize(mark), cudaSuccess);
    float milliseconds = 0;
    EXPECT_EQ(gpu::cudaEventElapsedTime(&milliseconds, mark, mark), cudaErrorInvalidResourceHandle);
}

TEST_F(EventMark, DestroyedIsAnInvalidHandle) {
    const cudaEvent_t mark = event();
    EXPECT_EQ(gpu::cudaEventDestroy(mark), cudaSuccess);
    EXPECT_EQ(gpu::cudaEventDestroy(mark), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(gpu::cudaEventRecord(mark, nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(DeviceAnswers, ThereIsOneDeviceAndItSaysWhatItIs) {
    int count = 0;
    EXPECT_EQ(gpu::cudaGetDeviceCount(&count), cudaSuccess);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(gpu::cudaSetDevice(99), cudaErrorInvalidDevice);
    cudaDeviceProp properties{};
    ASSERT_EQ(vram_virtual_cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_STREQ(properties.name, "virtual GPU");
    EXPECT_EQ(properties.textureAlignment, 512u);
    EXPECT_EQ(properties.multiProcessorCount, 132);
    std::size_t available = 0, total = 0;
    ASSERT_EQ(gpu::cudaMemGetInfo(&available, &total), cudaSuccess);
    EXPECT_EQ(properties.totalGlobalMem, total);
    EXPECT_EQ(total, 143155 * mebibyte);
    EXPECT_EQ(available, 142629 * mebibyte);
    int pageable_access = 1;
    EXPECT_EQ(gpu::cudaDeviceGetAttribute(&pageable_access, cudaDevAttrPageableMemoryAccess, 0),
              cudaSuccess);
    EXPECT_EQ(pageable_access, 0);
}

TEST_F(DeviceAnswers, EveryErrorHasItsNameAndText) {
    EXPECT_STREQ(gpu::cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
    EXPECT_STREQ(gpu::cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
    EXPECT_STREQ(gpu::cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    EXPECT_STREQ(gpu::cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    EXPECT_STREQ(gpu::cudaGetErrorString(cudaErrorProfilerDisabled),
                 "profiler disabled while using external profiling tool");
    EXPECT_STREQ(gpu::cudaGetErrorName(static_cast<cudaError_t>(54321)), "unrecognized error code");
}

}  // namespace
}  // namespace vram::virtual_gpu
