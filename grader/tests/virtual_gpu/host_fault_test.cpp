// Host code that touches device memory dies as on hardware, with a line that says what it touched.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

using HostFault = VirtualGpu;

TEST_F(HostFault, IsDescribedWithTheAllocation) {
    call(7);
    char* block = device(100);
    Report report;
    ASSERT_TRUE(describe_host_fault(address(block) + 40, report));
    EXPECT_EQ(report.kind, ReportKind::host_touches_device);
    EXPECT_NE(report.first_line.find("byte 40 of 100 bytes"), std::string::npos);
    EXPECT_NE(report.first_line.find("call 7"), std::string::npos);
    EXPECT_EQ(report.parties.front().call, 7u);
}

TEST_F(HostFault, JustBelowABlockIsAFreeOfTheHeap) {
    char* block = device(100);
    Report report;
    ASSERT_TRUE(describe_host_fault(address(block) - 8, report));
    EXPECT_NE(report.first_line.find("free() or delete"), std::string::npos);
}

TEST_F(HostFault, InFreedMemorySaysSo) {
    char* block = device(100);
    char* page_locked = pinned(100);
    gpu::cudaFree(block);
    gpu::cudaFreeHost(page_locked);
    Report report;
    ASSERT_TRUE(describe_host_fault(address(block), report));
    EXPECT_NE(report.first_line.find("freed"), std::string::npos);
    ASSERT_TRUE(describe_host_fault(address(page_locked), report));
    EXPECT_NE(report.first_line.find("after it was freed"), std::string::npos);
}

TEST_F(HostFault, ElsewhereIsNoneOfOurs) {
    device(100);
    char on_stack = 0;
    Report report;
    EXPECT_FALSE(describe_host_fault(address(&on_stack), report));
    EXPECT_FALSE(describe_host_fault(0, report));
}

TEST_F(HostFault, EndsTheProgramBySignal) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            volatile char* block = device(100);
            block[3] = 1;
        },
        testing::KilledBySignal(SIGSEGV),
        "host code dereferenced a device pointer: .* is byte 3 of");
    EXPECT_EXIT(std::free(device(64)), testing::KilledBySignal(SIGSEGV),
                "free\\(\\) or delete was given a device pointer");
}

TEST_F(HostFault, DoesNotComeFromThePaddingOfPinnedMemory) {
    char* page_locked = pinned(100);
    page_locked[99] = 1;
    EXPECT_EQ(page_locked[99], 1);
}

TEST_F(HostFault, ForkedChildrenHaveDeviceMemoryOfTheirOwn) {
    char* block = device(16);
    ASSERT_EQ(gpu::cudaMemset(block, 1, 16), cudaSuccess);
    ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
    const pid_t child = fork();
    if (child == 0) {
        const bool done = gpu::cudaMemset(block, 2, 16) == cudaSuccess &&
                          gpu::cudaDeviceSynchronize() == cudaSuccess;
        _exit(done ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    char back = 0;
    ASSERT_EQ(gpu::cudaMemcpy(&back, block, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(back, 1);
}

}  // namespace
}  // namespace vram::virtual_gpu
