#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

using Allocations = LedgerTest;

TEST_F(Allocations, AreKeptWithSizeAndCall) {
    void* pointer = allocate(1000);
    ASSERT_EQ(live().size(), 1u);
    AllocationRecord record = live()[0];
    EXPECT_EQ(record.base, reinterpret_cast<std::uint64_t>(pointer));
    EXPECT_EQ(record.bytes, 1000u);
    EXPECT_EQ(record.family, Family::device);
    EXPECT_EQ(record.made_by, calls()[0].number);
    EXPECT_FALSE(record.by_harness);
    EXPECT_EQ(record.destination_place, Place::host_stack);
    EXPECT_EQ(calls()[0].allocation, record.id);
    EXPECT_EQ(calls()[0].handed_out, record.base);
    EXPECT_EQ(calls()[0].arguments[1], 1000u);
}

TEST_F(Allocations, OfNoBytesAreNone) {
    void* pointer = &pointer;
    EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
    EXPECT_EQ(pointer, nullptr);
    EXPECT_TRUE(live().empty());
    EXPECT_EQ(cudaFree(pointer), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Allocations, ThatFailAreNone) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 50), cudaErrorMemoryAllocation);
    EXPECT_TRUE(live().empty());
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Allocations, CountTheirBytesWhileTheyLive) {
    void* first = allocate(1000);
    void* second = allocate(24);
    EXPECT_EQ(session().live_device_bytes(), 1024u);
    cudaFree(first);
    EXPECT_EQ(session().live_device_bytes(), 24u);
    cudaFree(second);
    EXPECT_EQ(session().live_device_bytes(), 0u);
}

TEST_F(Allocations, WithPitchKnowTheirRows) {
    void* pointer = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&pointer, &pitch, 100, 7), cudaSuccess);
    AllocationRecord record = live().at(0);
    EXPECT_EQ(record.family, Family::pitched);
    EXPECT_EQ(record.pitch, 512u);
    EXPECT_EQ(record.row_bytes, 100u);
    EXPECT_EQ(record.rows, 7u);
    EXPECT_EQ(record.bytes, 512u * 7);
}

TEST_F(Allocations, OnPinnedMemoryTakeNoDeviceBytes) {
    void* pointer = nullptr;
    ASSERT_EQ(cudaMallocHost(&pointer, 100), cudaSuccess);
    EXPECT_EQ(live().at(0).family, Family::pinned);
    EXPECT_EQ(session().live_device_bytes(), 0u);
    EXPECT_EQ(cudaFreeHost(pointer), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Allocations, OfTheHarnessAreMarkedAndNeverJudged) {
    session().leave_learner();
    void* pointer = nullptr;
    cudaMalloc(&pointer, 10);
    cudaFree(pointer);
    cudaFree(pointer);
    session().enter_learner();
    EXPECT_TRUE(session().allocations().at(0).by_harness);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_TRUE(calls().empty());
    EXPECT_EQ(session().calls_after(start_, true).size(), 3u);
}

TEST_F(Allocations, KeepTheirIdentityWhenAnAddressComesBack) {
    void* first = allocate(100);
    cudaFree(first);
    fake_gpu::set_next_address(reinterpret_cast<std::uint64_t>(first));
    void* second = allocate(100);
    ASSERT_EQ(first, second);
    std::vector<AllocationRecord> all = session().allocations();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_LT(all[0].id, all[1].id);
    EXPECT_EQ(all[0].state, AllocationState::freed);
    EXPECT_EQ(all[1].state, AllocationState::live);
    EXPECT_EQ(cudaFree(second), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Allocations, AreLostInAReset) {
    void* pointer = allocate(64);
    cudaDeviceReset();
    EXPECT_EQ(session().allocations().at(0).state, AllocationState::lost_in_reset);
    EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
    EXPECT_EQ(misuse_ids(), "free-after-reset");
}

TEST_F(Allocations, AreReleasedAsLeftovers) {
    allocate(100);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaFree(&stream);
    ASSERT_NE(misuse_ids(), "");
    session().release_leftovers();
    EXPECT_TRUE(live().empty());
    EXPECT_FALSE(session().handles().at(0).live);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Allocations, SurviveAResetOfTheLedgerWhileTheyLive) {
    void* kept = allocate(100);
    cudaFree(allocate(50));
    session().reset_ledger();
    ASSERT_EQ(session().allocations().size(), 1u);
    EXPECT_EQ(session().live_device_bytes(), 100u);
    EXPECT_EQ(session().classify(kept).place, Place::base);
    EXPECT_EQ(cudaFree(kept), cudaSuccess);
    EXPECT_EQ(session().allocations().at(0).state, AllocationState::freed);
}

TEST_F(Allocations, ManyMoreThanThePlacesKeepTheLedgerRight) {
    session().set_recording(false);
    void* kept = allocate(100);
    for (int round = 0; round < 600000; ++round) {
        fake_gpu::set_next_address(0x7000'0000'0000);
        void* pointer = nullptr;
        ASSERT_EQ(cudaMalloc(&pointer, 16), cudaSuccess);
        ASSERT_EQ(cudaFree(pointer), cudaSuccess);
    }
    ASSERT_EQ(live().size(), 1u);
    EXPECT_EQ(live()[0].base, reinterpret_cast<std::uint64_t>(kept));
    EXPECT_EQ(misuse_ids(), "");
}

}  // namespace
}  // namespace vram::runtime
