#include <thread>

#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

using LastErrors = LedgerTest;

TEST_F(LastErrors, AreReadAndClearedByGet) {
    void* pointer = nullptr;
    cudaMalloc(&pointer, std::size_t{1} << 50);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LastErrors, KnowTheirCall) {
    void* pointer = nullptr;
    cudaMalloc(&pointer, std::size_t{1} << 50);
    allocate(16);
    EXPECT_EQ(session().last_error().code, cudaErrorMemoryAllocation);
    EXPECT_EQ(session().last_error().set_by, calls().at(0).number);
    EXPECT_FALSE(session().last_error().injected);
}

TEST_F(LastErrors, DoNotKeepNotReady) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LastErrors, BelongToTheirThread) {
    cudaFree(this);
    cudaError_t seen_elsewhere = cudaErrorUnknown;
    std::thread([&] { seen_elsewhere = cudaPeekAtLastError(); }).join();
    EXPECT_EQ(seen_elsewhere, cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LastErrors, OfTheHarnessStayOutOfTheProgramsSlot) {
    session().leave_learner();
    cudaFree(this);
    session().enter_learner();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LastErrors, OfTheProgramSurviveTheHarness) {
    cudaFree(this);
    session().leave_learner();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    cudaFree(this);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    session().enter_learner();
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LastErrors, CanBePlanted) {
    session().plant_last_error(cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LastErrors, OfCallsThatAreNotHookedAreFoundOnTheSide) {
    fake_gpu::set_slot(cudaErrorInvalidTexture);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidTexture);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LastErrors, ThatAreStickyMakeNewWorkAMisuseOnce) {
    void* device = allocate(16);
    fake_gpu::set_sticky_error(cudaErrorIllegalAddress);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CallNumber seen = session().last_call();
    cudaFree(device);
    cudaDeviceSynchronize();
    EXPECT_EQ(misuse_ids(), "");
    void* more = nullptr;
    cudaMalloc(&more, 16);
    cudaMemset(device, 0, 16);
    ASSERT_EQ(misuse_ids(), "work-after-sticky");
    EXPECT_EQ(misuses()[0].other_call, seen);
}

TEST_F(LastErrors, ThatAreStickyAreClearedFromTheSlotOnly) {
    fake_gpu::set_sticky_error(cudaErrorIllegalAddress);
    cudaDeviceSynchronize();
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

}  // namespace
}  // namespace vram::runtime
