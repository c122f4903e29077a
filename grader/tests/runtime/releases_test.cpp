#include <cstdlib>
#include <memory>

#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

using Releases = LedgerTest;

int global_variable;

TEST_F(Releases, OfNullAreHarmless) {
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_EQ(calls().at(0).pointers[0].place, Place::null);
}

TEST_F(Releases, TwiceAreADoubleFreeOfBothCalls) {
    void* pointer = allocate(1048576);
    cudaFree(pointer);
    EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
    ASSERT_EQ(misuse_ids(), "double-free");
    Misuse misuse = misuses()[0];
    EXPECT_EQ(misuse.call, calls()[2].number);
    EXPECT_EQ(misuse.other_call, calls()[1].number);
    EXPECT_TRUE(misuse.failed_call);
    EXPECT_EQ(misuse.address, reinterpret_cast<std::uint64_t>(pointer));
    EXPECT_STREQ(misuse.first_line,
                 "cudaFree was given an address that had been freed before: a 1048576-byte block "
                 "from cudaMalloc.");
}

TEST_F(Releases, OfAnInteriorAddressNameTheOffset) {
    void* pointer = allocate(4096);
    EXPECT_EQ(cudaFree(plus(pointer, 512)), cudaErrorInvalidValue);
    ASSERT_EQ(misuse_ids(), "free-interior");
    EXPECT_STREQ(misuses()[0].first_line,
                 "cudaFree was given an address 512 bytes into a 4096-byte block from cudaMalloc; "
                 "only its first address can be freed, and it is still allocated.");
    EXPECT_EQ(live().size(), 1u);
}

TEST_F(Releases, OfTheVariableInsteadOfItsValueAreNamed) {
    void* pointer = allocate(16);
    EXPECT_EQ(cudaFree(&pointer), cudaErrorInvalidValue);
    ASSERT_EQ(misuse_ids(), "free-of-variable");
    EXPECT_EQ(misuses()[0].allocation, live().at(0).id);
}

TEST_F(Releases, OfHostMemoryTellWhichKind) {
    int local = 0;
    auto heap = std::make_unique<int[]>(100);
    cudaFree(&local);
    cudaFree(&global_variable);
    cudaFree(heap.get());
    EXPECT_EQ(misuse_ids(), "free-host-memory free-host-memory free-host-memory");
    EXPECT_EQ(calls().at(0).pointers[0].place, Place::host_stack);
    EXPECT_EQ(calls().at(1).pointers[0].place, Place::host_data);
    EXPECT_EQ(calls().at(2).pointers[0].place, Place::host_heap);
}

TEST_F(Releases, ByTheWrongFamilyNameTheRightCall) {
    void* pinned = nullptr;
    cudaMallocHost(&pinned, 100);
    cudaFree(pinned);
    void* device = allocate(100);
    cudaFreeHost(device);
    ASSERT_EQ(misuse_ids(), "free-wrong-family free-wrong-family");
    EXPECT_STREQ(misuses()[0].first_line,
                 "cudaFree was given a 100-byte block from cudaMallocHost; what releases it is "
                 "cudaFreeHost.");
    EXPECT_EQ(live().size(), 2u);
}

TEST_F(Releases, OfAsyncMemoryByEitherCallAreRight) {
    void* pointer = nullptr;
    ASSERT_EQ(cudaMallocAsync(&pointer, 100, nullptr), cudaSuccess);
    EXPECT_EQ(cudaFree(pointer), cudaSuccess);
    ASSERT_EQ(cudaMallocAsync(&pointer, 100, nullptr), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_TRUE(live().empty());
}

TEST_F(Releases, OfDeviceMemoryByFreeAsyncAreNamedThoughTheySucceed) {
    void* pointer = allocate(100);
    EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
    ASSERT_EQ(misuse_ids(), "free-wrong-family");
    EXPECT_FALSE(misuses()[0].failed_call);
    EXPECT_TRUE(live().empty());
}

TEST_F(Releases, OfAnAddressThatNobodyHandedOut) {
    EXPECT_EQ(cudaFree(reinterpret_cast<void*>(0xdeadbeef000)), cudaErrorInvalidValue);
    EXPECT_EQ(misuse_ids(), "free-never-allocated");
}

TEST_F(Releases, ThatFailLeaveTheBlockAlive) {
    void* pointer = allocate(100);
    fake_gpu::set_sticky_error(cudaErrorIllegalAddress);
    EXPECT_EQ(cudaFree(pointer), cudaErrorIllegalAddress);
    fake_gpu::set_sticky_error(cudaSuccess);
    EXPECT_EQ(live().size(), 1u);
    EXPECT_EQ(session().live_device_bytes(), 100u);
    EXPECT_EQ(cudaFree(pointer), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

}  // namespace
}  // namespace vram::runtime
