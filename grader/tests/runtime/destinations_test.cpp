#include <sys/mman.h>

#include <memory>

#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

using Destinations = LedgerTest;

TEST_F(Destinations, ThatAreNullAreRefusedWithoutAnAccusation) {
    EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 16), cudaErrorInvalidValue);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Destinations, InDeviceMemoryAreNamedAndNotWritten) {
    void* device = allocate(64);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(plus(device, 8)), 16), cudaErrorInvalidValue);
    ASSERT_EQ(misuse_ids(), "bad-destination");
    EXPECT_TRUE(misuses()[0].failed_call);
    EXPECT_EQ(live().size(), 1u);
}

TEST_F(Destinations, ThatCannotBeWrittenAreNamed) {
    void* read_only = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_EQ(cudaMalloc(static_cast<void**>(read_only), 16), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(0xdeadbeef000), 16), cudaErrorInvalidValue);
    cudaStream_t* nowhere = reinterpret_cast<cudaStream_t*>(0xdeadbeef000);
    EXPECT_EQ(cudaStreamCreate(nowhere), cudaErrorInvalidValue);
    EXPECT_EQ(misuse_ids(), "bad-destination bad-destination bad-destination");
    munmap(read_only, 4096);
}

TEST_F(Destinations, OnHeapAndInStaticStorageAreFine) {
    static void* in_static_storage = nullptr;
    auto on_heap = std::make_unique<void*>();
    EXPECT_EQ(cudaMalloc(&in_static_storage, 16), cudaSuccess);
    EXPECT_EQ(cudaMalloc(on_heap.get(), 16), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    ASSERT_EQ(live().size(), 2u);
    EXPECT_EQ(live()[0].destination_place, Place::host_data);
    EXPECT_EQ(live()[1].destination_place, Place::host_heap);
    EXPECT_EQ(live()[1].destination, reinterpret_cast<std::uint64_t>(on_heap.get()));
}

}  // namespace
}  // namespace vram::runtime
