// What allocating and freeing does, row by row of the measured facts.

#include <cstdint>
#include <limits>
#include <set>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

using Allocation = VirtualGpu;
using Release = VirtualGpu;

void* const poison = reinterpret_cast<void*>(0x1234);

TEST_F(Allocation, OfZeroBytesSucceedsWithNull) {
    void* pointer = poison;
    EXPECT_EQ(gpu::cudaMalloc(&pointer, 0), cudaSuccess);
    EXPECT_EQ(pointer, nullptr);
}

TEST_F(Allocation, NeedsADestination) {
    EXPECT_EQ(gpu::cudaMalloc(nullptr, 16), cudaErrorInvalidValue);
}

TEST_F(Allocation, TooLargeFailsWithNullAndIsNotSticky) {
    for (const std::size_t bytes :
         {std::size_t{1} << 50, std::numeric_limits<std::size_t>::max()}) {
        void* pointer = poison;
        EXPECT_EQ(gpu::cudaMalloc(&pointer, bytes), cudaErrorMemoryAllocation);
        EXPECT_EQ(pointer, nullptr);
    }
    EXPECT_NE(device(1024), nullptr);
}

TEST_F(Allocation, LiesAtMultiplesOf512AndNeighboursTouch) {
    const char* first = device(4 * kibibyte);
    const char* second = device(4 * kibibyte);
    const char* tiny = device(1);
    const char* next_tiny = device(1);
    EXPECT_EQ(address(first) % 512, 0u);
    EXPECT_EQ(second - first, 4096);
    EXPECT_EQ(next_tiny - tiny, 512);
}

TEST_F(Allocation, TakesMemoryInChunksOfTwoMebibytes) {
    const std::size_t before = free_memory();
    device(4 * kibibyte);
    EXPECT_EQ(before - free_memory(), 2 * mebibyte);
    for (int i = 0; i < 10000; ++i)
        device(1);
    EXPECT_EQ(before - free_memory(), 6 * mebibyte);
}

TEST_F(Allocation, OfAHundredThousandBlocksTakes392Mebibytes) {
    const std::size_t before = free_memory();
    std::vector<char*> blocks;
    for (int i = 0; i < 100000; ++i)
        blocks.push_back(device(4 * kibibyte));
    EXPECT_EQ(before - free_memory(), 392 * mebibyte);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (i % 512 != 0) {
            EXPECT_EQ(gpu::cudaFree(blocks[i]), cudaSuccess);
        }
    EXPECT_EQ(before - free_memory(), 392 * mebibyte) << "a chunk returns only when it is empty";
    for (std::size_t i = 0; i < blocks.size(); i += 512)
        EXPECT_EQ(gpu::cudaFree(blocks[i]), cudaSuccess);
    EXPECT_EQ(free_memory(), before);
}

TEST_F(Allocation, OfMoreThanAMebibyteStartsItsOwnChunk) {
    const char* shared = device(mebibyte);
    const char* alone = device(mebibyte + 1);
    EXPECT_EQ(address(alone) % (2 * mebibyte), 0u);
    EXPECT_NE(address(alone) / (2 * mebibyte), address(shared) / (2 * mebibyte));
}

TEST_F(Allocation, FillsACardOfAnySizeAndFindsRoomBetweenBlocks) {
    const std::size_t third = free_memory() / 10 * 3;
    char* blocks[3] = {device(third), device(third), device(third)};
    EXPECT_EQ(gpu::cudaFree(blocks[1]), cudaSuccess);
    void* larger_than_the_hole = nullptr;
    EXPECT_EQ(gpu::cudaMalloc(&larger_than_the_hole, third / 30 * 37), cudaSuccess)
        << "the driver maps scattered pages at fresh addresses";
}

TEST_F(Allocation, IsFullOfGarbage) {
    const char* fresh = device(4 * kibibyte);
    std::vector<unsigned char> bytes(4 * kibibyte);
    ASSERT_EQ(gpu::cudaMemcpy(bytes.data(), fresh, bytes.size(), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 0);
}

TEST_F(Allocation, OfRowsRoundsThePitchUpTo512) {
    const std::pair<std::size_t, std::size_t> rows[] = {
        {1, 512}, {511, 512}, {512, 512}, {513, 1024}, {4000, 4096}, {4100, 4608}, {10000, 10240}};
    for (const auto& [width, expected] : rows) {
        void* pointer = nullptr;
        std::size_t pitch = 0;
        EXPECT_EQ(gpu::cudaMallocPitch(&pointer, &pitch, width, 3), cudaSuccess);
        EXPECT_EQ(pitch, expected) << "for a row of " << width << " bytes";
    }
}

TEST_F(Allocation, OfNoRowsSucceedsWithNullAndPitchZero) {
    for (const auto& [width, height] : {std::pair{0, 0}, std::pair{100, 0}}) {
        void* pointer = poison;
        std::size_t pitch = 77;
        EXPECT_EQ(gpu::cudaMallocPitch(&pointer, &pitch, width, height), cudaSuccess);
        EXPECT_EQ(pointer, nullptr);
        EXPECT_EQ(pitch, 0u);
    }
}

TEST_F(Allocation, OfRowsWhoseProductOverflowsIsAnInvalidValue) {
    void* pointer = nullptr;
    std::size_t pitch = 0;
    EXPECT_EQ(gpu::cudaMallocPitch(&pointer, &pitch, std::size_t{1} << 40, std::size_t{1} << 40),
              cudaErrorInvalidValue);
}

TEST_F(Allocation, OfHostAndManagedMemoryOfZeroBytesGivesNull) {
    void* pointer = poison;
    EXPECT_EQ(gpu::cudaMallocHost(&pointer, 0), cudaSuccess);
    EXPECT_EQ(pointer, nullptr);
    pointer = poison;
    EXPECT_EQ(gpu::cudaMallocManaged(&pointer, 0, cudaMemAttachGlobal), cudaSuccess);
    EXPECT_EQ(pointer, nullptr);
}

TEST_F(Allocation, IsKnownByItsAttributes) {
    char heap = 0;
    char* on_device = device(4096);
    cudaPointerAttributes attributes{};
    EXPECT_EQ(gpu::cudaPointerGetAttributes(&attributes, on_device + 12), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_EQ(attributes.devicePointer, on_device + 12);
    EXPECT_EQ(gpu::cudaPointerGetAttributes(&attributes, pinned(64)), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
    EXPECT_EQ(gpu::cudaPointerGetAttributes(&attributes, &heap), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
    gpu::cudaFree(on_device);
    EXPECT_EQ(gpu::cudaPointerGetAttributes(&attributes, on_device), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(Release, OfNullSucceeds) {
    EXPECT_EQ(gpu::cudaFree(nullptr), cudaSuccess);
    EXPECT_EQ(gpu::cudaFreeHost(nullptr), cudaSuccess);
}

TEST_F(Release, OfTheSamePointerTwiceIsAnInvalidValueAndHarmless) {
    char* block = device(1024);
    EXPECT_EQ(gpu::cudaFree(block), cudaSuccess);
    EXPECT_EQ(gpu::cudaFree(block), cudaErrorInvalidValue);
    EXPECT_NE(device(1024), nullptr);
}

TEST_F(Release, OfAnythingButABaseIsAnInvalidValue) {
    char on_stack = 0;
    std::vector<char> on_heap(64);
    char* block = device(mebibyte);
    char* page_locked = pinned(4096);
    EXPECT_EQ(gpu::cudaFree(block + 1), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFree(block + 512), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFree(&on_stack), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFree(on_heap.data()), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFree(page_locked), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFree(reinterpret_cast<void*>(0xdeadbeef00)), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFreeHost(block), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaFree(block), cudaSuccess);
    EXPECT_EQ(gpu::cudaFreeHost(page_locked), cudaSuccess);
}

TEST_F(Release, AfterAResetIsAnInvalidValue) {
    char* block = device(64);
    const std::size_t while_live = free_memory();
    EXPECT_EQ(gpu::cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(gpu::cudaFree(block), cudaErrorInvalidValue);
    EXPECT_GT(free_memory(), while_live);
}

TEST_F(Release, OfRegisteredMemoryIsAnotherCall) {
    std::vector<char> buffer(8192);
    EXPECT_EQ(gpu::cudaHostRegister(buffer.data(), buffer.size(), 0), cudaSuccess);
    EXPECT_EQ(gpu::cudaHostRegister(buffer.data(), 16, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(gpu::cudaFreeHost(buffer.data()), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaHostUnregister(buffer.data()), cudaSuccess);
    EXPECT_EQ(gpu::cudaHostUnregister(buffer.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(Allocation, HonoursTheCapacityThatWasSet) {
    ASSERT_TRUE(set_capacity(64 * mebibyte));
    const std::size_t available = free_memory();
    EXPECT_LE(available, 64 * mebibyte);
    void* pointer = nullptr;
    EXPECT_EQ(gpu::cudaMalloc(&pointer, available + 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(gpu::cudaMalloc(&pointer, available), cudaSuccess);
    EXPECT_EQ(free_memory(), 0u);
    EXPECT_FALSE(set_capacity(128 * mebibyte)) << "too late: memory is in use";
}

TEST_F(Allocation, CountsLiveBytesAsRequested) {
    device(100);
    char* other = device(5000);
    EXPECT_EQ(live_device_bytes(), 5100u);
    gpu::cudaFree(other);
    EXPECT_EQ(live_device_bytes(), 100u);
}

}  // namespace
}  // namespace vram::virtual_gpu
