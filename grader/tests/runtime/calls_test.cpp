#include <dlfcn.h>
#include <link.h>

#include <thread>

#include "grader/tests/runtime/ledger_test.h"

// As nvcc's host code declares them.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                CUstream_st* stream);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                  void* stream);
extern "C" void __cudaRegisterFunction(void** module, const char* function, char* device_function,
                                       const char* name, int thread_limit, uint3* thread,
                                       uint3* block, dim3* block_size, dim3* grid_size,
                                       int* warp_size);

namespace vram::runtime {
namespace {

using Calls = LedgerTest;

void stub() {}

/// The function of this program that a frame lies in.
std::uint64_t load_base() {
    std::uint64_t base = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
            *static_cast<std::uint64_t*>(to) = object->dlpi_addr;
            return 1;
        },
        &base);
    return base;
}

template <typename Function>
bool lies_in(std::uint64_t frame, Function* function, std::size_t bytes = 512) {
    std::uint64_t begin = reinterpret_cast<std::uint64_t>(function) - load_base();
    return frame > begin && frame < begin + bytes;
}

__attribute__((noinline)) cudaError_t inner(void* pointer) {
    cudaError_t result = cudaFree(pointer);
    asm volatile("");
    return result;
}

__attribute__((noinline)) cudaError_t outer(void* pointer) {
    cudaError_t result = inner(pointer);
    asm volatile("");
    return result;
}

__attribute__((noinline)) void push() {
    __cudaPushCallConfiguration(dim3(4), dim3(256), 0, nullptr);
    asm volatile("");
}

__attribute__((noinline)) void launch_from_stub() {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    __cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream);
    cudaLaunchKernel(reinterpret_cast<const void*>(&stub), dim3(4), dim3(256), nullptr, 0, nullptr);
    asm volatile("");
}

__attribute__((noinline)) void launch_explicitly() {
    cudaLaunchKernel(reinterpret_cast<const void*>(&stub), dim3(2, 3), dim3(32), nullptr, 128,
                     nullptr);
    asm volatile("");
}

TEST_F(Calls, KnowTheirCallSites) {
    outer(nullptr);
    CallRecord call = calls().at(0);
    EXPECT_TRUE(lies_in(call.frames[0], &inner));
    EXPECT_TRUE(lies_in(call.frames[1], &outer));
    EXPECT_NE(call.frames[2], 0u);
}

TEST_F(Calls, LaunchesArePlacedByTheirConfiguration) {
    push();
    launch_from_stub();
    EXPECT_TRUE(lies_in(calls().at(0).frames[0], &push));
    launch_explicitly();
    EXPECT_TRUE(lies_in(calls().at(1).frames[0], &launch_explicitly));
}

TEST_F(Calls, AreNumberedAndCounted) {
    Entry entry = entry_of("cudaFree");
    std::uint64_t before = session().count(entry);
    cudaFree(nullptr);
    cudaFree(nullptr);
    EXPECT_EQ(session().count(entry), before + 2);
    ASSERT_EQ(calls().size(), 2u);
    EXPECT_EQ(calls()[1].number, calls()[0].number + 1);
    EXPECT_EQ(session().call(calls()[1].number).entry, entry);
    EXPECT_EQ(session().call(session().last_call() + 1).number, 0u);
    EXPECT_TRUE(calls()[1].finished);
}

TEST_F(Calls, AreCountedButNotKeptWithoutRecording) {
    Entry entry = entry_of("cudaFree");
    std::uint64_t before = session().count(entry);
    session().set_recording(false);
    cudaFree(allocate(16));
    EXPECT_EQ(session().count(entry), before + 1);
    EXPECT_TRUE(calls().empty());
    EXPECT_EQ(session().allocations().size(), 1u);
    EXPECT_TRUE(live().empty());
}

TEST_F(Calls, OfOtherThreadsAreTold) {
    cudaFree(nullptr);
    std::thread([] { cudaFree(nullptr); }).join();
    EXPECT_NE(calls().at(0).thread, calls().at(1).thread);
}

TEST_F(Calls, AreDescribedInWords) {
    void* pointer = allocate(1048576);
    char address[32];
    std::snprintf(address, sizeof address, "%p", pointer);
    cudaFree(pointer);
    cudaFree(pointer);
    int value = 0;
    cudaMemcpy(&value, nullptr, 4, cudaMemcpyDeviceToHost);
    launch_explicitly();
    std::vector<CallRecord> all = calls();
    EXPECT_EQ(session().describe(all.at(0)),
              std::string("cudaMalloc(1048576 bytes) -> ") + address);
    EXPECT_EQ(session().describe(all.at(1)),
              std::string("cudaFree(") + address + ") -> cudaSuccess");
    EXPECT_EQ(session().describe(all.at(2)),
              std::string("cudaFree(") + address + ") -> cudaErrorInvalidValue");
    EXPECT_NE(session().describe(all.at(3)).find("4 bytes, device to host"), std::string::npos);
    EXPECT_EQ(session().describe(all.at(4)),
              "a kernel<<<(2, 3, 1), 32, 128 bytes>>> -> cudaSuccess");
    EXPECT_EQ(session().describe(session().allocations().at(0)),
              "a 1048576-byte block from cudaMalloc");
}

TEST_F(Calls, LaunchesNameTheirKernel) {
    static char stub_of_scale;
    __cudaRegisterFunction(nullptr, &stub_of_scale, nullptr, "_Z5scalePfi", -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
    cudaLaunchKernel(&stub_of_scale, dim3(4), dim3(256), nullptr, 0, nullptr);
    EXPECT_EQ(session().describe(calls().at(0)), "scale<<<4, 256>>> -> cudaSuccess");
}

TEST_F(Calls, ThatTheVirtualGpuLacksAreNamed) {
    cudaGraph_t graph = nullptr;
    testing::internal::CaptureStderr();
    EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaErrorNotSupported);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "vram: cudaGraphCreate is not part of the virtual GPU; it returned "
              "cudaErrorNotSupported\n");
    ASSERT_EQ(misuse_ids(), "not-supported");
    EXPECT_EQ(misuses()[0].call, calls().at(0).number);
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST_F(Calls, TheNewestAreKeptOnceTheRingIsFull) {
    constexpr int more_than_fit = (1 << 20) + 1000;
    for (int call = 0; call < more_than_fit; ++call) {
        cudaFree(nullptr);
    }
    EXPECT_EQ(session().call(start_ + 1).number, 0u);
    EXPECT_EQ(calls().size(), std::size_t{1} << 20);
    EXPECT_EQ(session().last_calls(3).size(), 3u);
    EXPECT_EQ(session().last_calls(3)[2].number, session().last_call());
}

}  // namespace
}  // namespace vram::runtime
