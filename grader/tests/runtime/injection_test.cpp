#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

using Injected = LedgerTest;

void kernel() {}

cudaError_t launch() {
    return cudaLaunchKernel(reinterpret_cast<const void*>(&kernel), dim3(4), dim3(256), nullptr, 0,
                            nullptr);
}

TEST_F(Injected, TheNthEligibleCallFails) {
    Injection injection;
    injection.nth = 2;
    session().inject(injection);
    void* first = allocate(16);
    void* second = &second;
    EXPECT_EQ(cudaMalloc(&second, 16), cudaErrorMemoryAllocation);
    EXPECT_EQ(second, nullptr);
    void* third = allocate(16);
    EXPECT_NE(first, third);
    EXPECT_EQ(session().injections_fired(), 1u);
    EXPECT_EQ(session().first_injected_call(), calls().at(1).number);
    EXPECT_TRUE(calls().at(1).injected);
    EXPECT_EQ(session().eligible_calls(), 3u);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(live().size(), 2u);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Injected, ACountingRunFailsNothing) {
    session().inject({});
    cudaFree(allocate(16));
    cudaGetLastError();
    cudaPeekAtLastError();
    cudaGetErrorName(cudaSuccess);
    EXPECT_EQ(session().eligible_calls(), 2u);
    EXPECT_EQ(session().injections_fired(), 0u);
    EXPECT_EQ(session().first_injected_call(), 0u);
}

TEST_F(Injected, TheDestinationCanStayUntouched) {
    Injection injection;
    injection.nth = 1;
    injection.destination = Injection::Destination::untouched;
    session().inject(injection);
    void* pointer = &pointer;
    EXPECT_EQ(cudaMalloc(&pointer, 16), cudaErrorMemoryAllocation);
    EXPECT_EQ(pointer, &pointer);
}

TEST_F(Injected, OnlyEligibleEntriesCount) {
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorInvalidValue;
    injection.eligible = [](Entry entry) { return entry == entry_of("cudaMemset"); };
    session().inject(injection);
    void* pointer = allocate(16);
    EXPECT_EQ(cudaMemset(pointer, 0, 16), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset(pointer, 0, 16), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Injected, OnlyLargeRequestsFail) {
    Injection injection;
    injection.nth = 1;
    injection.repeat = true;
    injection.larger_than = 1000;
    session().inject(injection);
    allocate(1000);
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, 1001), cudaErrorMemoryAllocation);
    std::size_t pitch = 0;
    EXPECT_EQ(cudaMallocPitch(&pointer, &pitch, 100, 11), cudaErrorMemoryAllocation);
    allocate(500);
    EXPECT_EQ(session().eligible_calls(), 2u);
}

TEST_F(Injected, RepeatedFailuresCanBeCleared) {
    Injection injection;
    injection.nth = 1;
    injection.repeat = true;
    injection.later_error = cudaErrorInvalidValue;
    session().inject(injection);
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, 16), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&pointer, 16), cudaErrorInvalidValue);
    session().stop_injecting();
    EXPECT_EQ(cudaMalloc(&pointer, 16), cudaSuccess);
}

TEST_F(Injected, StickyErrorsGoOnAndForbidNewWork) {
    void* pointer = allocate(16);
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorIllegalAddress;
    injection.sticky = true;
    session().inject(injection);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaFree(pointer), cudaErrorIllegalAddress);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_EQ(cudaMemset(pointer, 0, 16), cudaErrorIllegalAddress);
    EXPECT_EQ(misuse_ids(), "work-after-sticky");
    session().stop_injecting();
    EXPECT_EQ(cudaMemset(pointer, 0, 16), cudaSuccess);
    EXPECT_EQ(misuses().size(), 1u);
}

TEST_F(Injected, AFailedLaunchIsNotMadeAndSetsTheSlot) {
    int before = fake_gpu::launches();
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorInvalidConfiguration;
    session().inject(injection);
    EXPECT_EQ(launch(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(fake_gpu::launches(), before);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(launch(), cudaSuccess);
    EXPECT_EQ(fake_gpu::launches(), before + 1);
}

TEST_F(Injected, ABlockWhoseFreeFailedIsExcused) {
    void* pointer = allocate(16);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorInvalidValue;
    injection.repeat = true;
    session().inject(injection);
    cudaFree(pointer);
    cudaStreamDestroy(stream);
    EXPECT_TRUE(live().at(0).excused);
    EXPECT_TRUE(session().handles().at(0).excused);
    EXPECT_TRUE(session().handles().at(0).live);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Injected, MemoryWhoseUnregistrationFailedCanBeRegisteredAgain) {
    static char memory[64];
    ASSERT_EQ(cudaHostRegister(memory, sizeof memory, 0), cudaSuccess);
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorInvalidValue;
    session().inject(injection);
    EXPECT_EQ(cudaHostUnregister(memory), cudaErrorInvalidValue);
    session().stop_injecting();
    EXPECT_EQ(cudaHostRegister(memory, sizeof memory, 0), cudaSuccess);
    EXPECT_EQ(cudaHostRegister(memory, sizeof memory, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(cudaHostUnregister(memory), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Injected, TheHarnessIsSpared) {
    Injection injection;
    injection.nth = 1;
    session().inject(injection);
    session().leave_learner();
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, 16), cudaSuccess);
    EXPECT_EQ(cudaFree(pointer), cudaSuccess);
    session().enter_learner();
    EXPECT_EQ(session().eligible_calls(), 0u);
}

TEST_F(Injected, EachKindOfCallHasItsErrors) {
    EXPECT_TRUE(can_return(entry_of("cudaMalloc"), cudaErrorMemoryAllocation));
    EXPECT_FALSE(can_return(entry_of("cudaMalloc"), cudaErrorNotSupported));
    EXPECT_TRUE(can_return(entry_of("cudaMallocAsync"), cudaErrorNotSupported));
    EXPECT_TRUE(can_return(entry_of("cudaMemcpy"), cudaErrorInvalidValue));
    EXPECT_FALSE(can_return(entry_of("cudaMemcpy"), cudaErrorMemoryAllocation));
    EXPECT_TRUE(can_return(entry_of("cudaDeviceSynchronize"), cudaErrorIllegalAddress));
    EXPECT_FALSE(can_return(entry_of("cudaDeviceSynchronize"), cudaErrorInvalidValue));
    EXPECT_TRUE(can_return(entry_of("cudaStreamCreate"), cudaErrorMemoryAllocation));
    EXPECT_TRUE(can_return(entry_of("cudaLaunchKernel"), cudaErrorInvalidConfiguration));
    EXPECT_FALSE(can_return(entry_of("cudaGetLastError"), cudaErrorInvalidValue));
}

}  // namespace
}  // namespace vram::runtime
