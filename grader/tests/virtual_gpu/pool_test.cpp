// Stream-ordered allocation and pools, row by row of the measured facts.

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

class Pool : public VirtualGpu {
  protected:
    cudaMemPool_t default_pool() {
        cudaMemPool_t pool = nullptr;
        EXPECT_EQ(gpu::cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
        return pool;
    }
    std::uint64_t number(cudaMemPoolAttr attribute) {
        std::uint64_t value = 0;
        EXPECT_EQ(gpu::cudaMemPoolGetAttribute(default_pool(), attribute, &value), cudaSuccess);
        return value;
    }
    std::uint64_t reserved() { return number(cudaMemPoolAttrReservedMemCurrent); }
    std::uint64_t used() { return number(cudaMemPoolAttrUsedMemCurrent); }
    void keep_memory() {
        std::uint64_t most = ~std::uint64_t{0};
        EXPECT_EQ(
            gpu::cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrReleaseThreshold, &most),
            cudaSuccess);
    }
};

TEST_F(Pool, StartsWithThresholdZeroAndAllReusePolicies) {
    EXPECT_EQ(number(cudaMemPoolAttrReleaseThreshold), 0u);
    for (const auto policy :
         {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
          cudaMemPoolReuseAllowInternalDependencies}) {
        int on = 0;
        EXPECT_EQ(gpu::cudaMemPoolGetAttribute(default_pool(), policy, &on), cudaSuccess);
        EXPECT_EQ(on, 1);
    }
}

TEST_F(Pool, ReservesInStepsOf32MebibytesUntilTheWait) {
    const cudaStream_t work = stream();
    char* first = asynchronous(490, work);
    char* second = asynchronous(512, work);
    EXPECT_EQ(second - first, 512);
    EXPECT_EQ(reserved(), 32 * mebibyte);
    EXPECT_EQ(used(), 1002u);
    EXPECT_EQ(gpu::cudaFreeAsync(first, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaFreeAsync(second, work), cudaSuccess);
    EXPECT_EQ(reserved(), 32 * mebibyte);
    EXPECT_EQ(used(), 0u);
    EXPECT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    EXPECT_EQ(reserved(), 0u);
    EXPECT_EQ(number(cudaMemPoolAttrReservedMemHigh), 32 * mebibyte);
    EXPECT_EQ(number(cudaMemPoolAttrUsedMemHigh), 1002u);
}

TEST_F(Pool, OfOneGibibyteCostsOneGibibyte) {
    const cudaStream_t work = stream();
    const std::size_t before = free_memory();
    char* block = asynchronous(gibibyte, work);
    EXPECT_EQ(before - free_memory(), gibibyte);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaSuccess);
    EXPECT_EQ(before - free_memory(), gibibyte);
    EXPECT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    EXPECT_EQ(free_memory(), before);
}

TEST_F(Pool, ReusesOnTheSameStreamAtOnceAndOnOthersOnlyInOrder) {
    const cudaStream_t work = stream(), other = stream();
    char* block = asynchronous(4096, work);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaSuccess);
    char* on_other = asynchronous(4096, other);
    EXPECT_NE(on_other, block);
    EXPECT_EQ(asynchronous(4096, work), block);
}

TEST_F(Pool, ReusesAcrossStreamsBehindAnEvent) {
    const cudaStream_t work = stream(), other = stream();
    const cudaEvent_t freed = event();
    char* block = asynchronous(4096, work);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaEventRecord(freed, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaStreamWaitEvent(other, freed, 0), cudaSuccess);
    EXPECT_EQ(asynchronous(4096, other), block);
}

TEST_F(Pool, RefusesASecondFree) {
    const cudaStream_t work = stream();
    char* block = asynchronous(4096, work);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFree(block), cudaErrorInvalidValue);
}

TEST_F(Pool, TakesNullZeroBytesAndTooMany) {
    const cudaStream_t work = stream();
    EXPECT_EQ(gpu::cudaFreeAsync(nullptr, work), cudaSuccess);
    void* pointer = reinterpret_cast<void*>(0x1234);
    EXPECT_EQ(gpu::cudaMallocAsync(&pointer, 0, work), cudaSuccess);
    EXPECT_EQ(pointer, nullptr);
    pointer = reinterpret_cast<void*>(0x1234);
    EXPECT_EQ(gpu::cudaMallocAsync(&pointer, std::size_t{1} << 50, work),
              cudaErrorMemoryAllocation);
    EXPECT_EQ(pointer, nullptr);
}

TEST_F(Pool, MemoryMayBeFreedByCudaFree) {
    const cudaStream_t work = stream();
    char* block = asynchronous(4096, work);
    EXPECT_EQ(gpu::cudaFree(block), cudaSuccess);
    EXPECT_EQ(gpu::cudaFree(block), cudaErrorInvalidValue);
}

TEST_F(Pool, PlainMemoryMayBeFreedInStreamOrder) {
    const cudaStream_t work = stream();
    char* block = device(4096);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(gpu::cudaFree(block), cudaErrorInvalidValue);
}

TEST_F(Pool, WithAThresholdKeepsMemoryUntilItIsTrimmed) {
    const cudaStream_t work = stream();
    keep_memory();
    char* block = asynchronous(4096, work);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    EXPECT_EQ(reserved(), 32 * mebibyte);
    EXPECT_EQ(gpu::cudaMemPoolTrimTo(default_pool(), 0), cudaSuccess);
    EXPECT_EQ(reserved(), 0u);
}

TEST_F(Pool, OfOnesOwnLivesUntilItsLastBlockIsFreed) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool = nullptr;
    ASSERT_EQ(gpu::cudaMemPoolCreate(&pool, &properties), cudaSuccess);
    const cudaStream_t work = stream();
    void* block = nullptr;
    ASSERT_EQ(gpu::cudaMallocFromPoolAsync(&block, 64, pool, work), cudaSuccess);
    EXPECT_EQ(reserved(), 0u) << "the default pool has nothing to do with it";
    EXPECT_EQ(gpu::cudaMemPoolDestroy(pool), cudaSuccess);
    void* another = nullptr;
    EXPECT_EQ(gpu::cudaMallocFromPoolAsync(&another, 64, pool, work), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemsetAsync(block, 0, 64, work), cudaSuccess);
    EXPECT_EQ(gpu::cudaFreeAsync(block, work), cudaSuccess);
    const std::size_t before = free_memory();
    EXPECT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    EXPECT_EQ(free_memory() - before, 32 * mebibyte);
}

}  // namespace
}  // namespace vram::virtual_gpu
