// Copies and sets, row by row of the measured facts.

#include <cstring>
#include <numeric>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

class Copy : public VirtualGpu {
  protected:
    std::vector<unsigned char> host_ = std::vector<unsigned char>(2 * mebibyte);
};
using Fill = Copy;

TEST_F(Copy, BringsBytesThereAndBack) {
    std::iota(host_.begin(), host_.begin() + 1000, 1);
    char* block = device(1000);
    EXPECT_EQ(gpu::cudaMemcpy(block, host_.data(), 1000, cudaMemcpyHostToDevice), cudaSuccess);
    std::vector<unsigned char> back(1000);
    EXPECT_EQ(gpu::cudaMemcpy(back.data(), block, 1000, cudaMemcpyDefault), cudaSuccess);
    EXPECT_TRUE(std::equal(back.begin(), back.end(), host_.begin()));
}

TEST_F(Copy, OfMoreThanWasAskedForIsAnInvalidValue) {
    char* block = device(100);
    for (const std::size_t bytes : {std::size_t{101}, std::size_t{200}, std::size_t{600}, mebibyte})
        EXPECT_EQ(gpu::cudaMemcpy(block, host_.data(), bytes, cudaMemcpyHostToDevice),
                  cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemcpy(block + 50, host_.data(), 51, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemcpy(block, host_.data(), 100, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST_F(Copy, OfNothingSucceeds) {
    EXPECT_EQ(gpu::cudaMemcpy(device(4), host_.data(), 0, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST_F(Copy, FromOrToNullOrFreedMemoryIsAnInvalidValue) {
    char* block = device(64);
    EXPECT_EQ(gpu::cudaMemcpy(nullptr, host_.data(), 16, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemcpy(block, nullptr, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    gpu::cudaFree(block);
    EXPECT_EQ(gpu::cudaMemcpy(block, host_.data(), 16, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemcpy(host_.data(), block, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST_F(Copy, IsWrongInDirectionOnlyWithPageableMemory) {
    void* managed = nullptr;
    ASSERT_EQ(gpu::cudaMallocManaged(&managed, 64, cudaMemAttachGlobal), cudaSuccess);
    struct Side {
        const char* name;
        void* pointer[2];
        bool pageable;
    };
    void* managed_too = nullptr;
    ASSERT_EQ(gpu::cudaMallocManaged(&managed_too, 64, cudaMemAttachGlobal), cudaSuccess);
    const Side sides[] = {{"pageable", {host_.data(), host_.data() + 4096}, true},
                          {"pinned", {pinned(64), pinned(64)}, false},
                          {"managed", {managed, managed_too}, false},
                          {"device", {device(64), device(64)}, false}};
    for (const Side& to : sides)
        for (const Side& from : sides) {
            const auto result = [&](cudaMemcpyKind kind) {
                return gpu::cudaMemcpy(to.pointer[0], from.pointer[1], 64, kind);
            };
            const auto expected = [](bool right) {
                return right ? cudaSuccess : cudaErrorInvalidValue;
            };
            SCOPED_TRACE(std::string("to ") + to.name + " from " + from.name);
            EXPECT_EQ(result(cudaMemcpyHostToHost), cudaSuccess);
            EXPECT_EQ(result(cudaMemcpyDefault), cudaSuccess);
            EXPECT_EQ(result(cudaMemcpyHostToDevice), expected(!to.pageable));
            EXPECT_EQ(result(cudaMemcpyDeviceToHost), expected(!from.pageable));
            EXPECT_EQ(result(cudaMemcpyDeviceToDevice), expected(!to.pageable && !from.pageable));
        }
}

TEST_F(Copy, OfAnUnknownKindHasACodeOfItsOwn) {
    EXPECT_EQ(gpu::cudaMemcpy(device(4), host_.data(), 4, static_cast<cudaMemcpyKind>(7)),
              cudaErrorInvalidMemcpyDirection);
}

TEST_F(Copy, OfRowsChecksPitchesAndBounds) {
    void* block = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(gpu::cudaMallocPitch(&block, &pitch, 4000, 300), cudaSuccess);
    const auto upload = [&](std::size_t to, std::size_t from, std::size_t rows) {
        return gpu::cudaMemcpy2D(block, to, host_.data(), from, 4000, rows, cudaMemcpyHostToDevice);
    };
    EXPECT_EQ(upload(pitch, 4000, 300), cudaSuccess);
    EXPECT_EQ(upload(pitch, 3000, 300), cudaErrorInvalidPitchValue);
    EXPECT_EQ(upload(3000, 4000, 300), cudaErrorInvalidPitchValue);
    EXPECT_EQ(upload(pitch, 4000, 301), cudaErrorInvalidValue);
}

TEST_F(Copy, OfRowsLeavesThePaddingAlone) {
    void* block = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(gpu::cudaMallocPitch(&block, &pitch, 3, 2), cudaSuccess);
    ASSERT_EQ(gpu::cudaMemset(block, 9, pitch * 2), cudaSuccess);
    const unsigned char rows[] = {1, 2, 3, 4, 5, 6};
    ASSERT_EQ(gpu::cudaMemcpy2D(block, pitch, rows, 3, 3, 2, cudaMemcpyHostToDevice), cudaSuccess);
    std::vector<unsigned char> all(pitch * 2);
    ASSERT_EQ(gpu::cudaMemcpy(all.data(), block, all.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(all[2], 3);
    EXPECT_EQ(all[3], 9);
    EXPECT_EQ(all[pitch], 4);
    EXPECT_EQ(all[pitch + 3], 9);
}

TEST_F(Copy, OfASlabTouchesItsBytesOnly) {
    cudaPitchedPtr volume{};
    ASSERT_EQ(gpu::cudaMalloc3D(&volume, cudaExtent{10, 4, 3}), cudaSuccess);
    ASSERT_EQ(gpu::cudaMemset3D(volume, 7, cudaExtent{10, 4, 3}), cudaSuccess);
    unsigned char source[2 * 2 * 2] = {1, 2, 3, 4, 5, 6, 7, 8};
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = cudaPitchedPtr{source, 2, 2, 2};
    parameters.dstPtr = volume;
    parameters.dstPos = cudaPos{8, 1, 1};
    parameters.extent = cudaExtent{2, 2, 2};
    parameters.kind = cudaMemcpyHostToDevice;
    ASSERT_EQ(gpu::cudaMemcpy3D(&parameters), cudaSuccess);
    unsigned char row[10];
    const char* base = static_cast<char*>(volume.ptr);
    const std::size_t second_row_of_last_slice = (2 * 4 + 2) * volume.pitch;
    ASSERT_EQ(gpu::cudaMemcpy(row, base + second_row_of_last_slice, 10, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(row[7], 7);
    EXPECT_EQ(row[8], 7) << "seventh byte of the source";
    EXPECT_EQ(row[9], 8);
    parameters.dstPos.z = 2;
    EXPECT_EQ(gpu::cudaMemcpy3D(&parameters), cudaErrorInvalidValue);
}

TEST_F(Copy, OfOverlappingDeviceBytesSpoilsThem) {
    char* block = device(100);
    std::iota(host_.begin(), host_.begin() + 100, 0);
    ASSERT_EQ(gpu::cudaMemcpy(block, host_.data(), 100, cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(gpu::cudaMemcpy(block + 10, block, 50, cudaMemcpyDeviceToDevice), cudaSuccess);
    unsigned char back[50];
    ASSERT_EQ(gpu::cudaMemcpy(back, block + 10, 50, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_NE(back[49], 49) << "nobody may rely on an overlapping copy";
}

TEST_F(Fill, PastTheEndOrOfPageableMemoryIsAnInvalidValue) {
    char* block = device(100);
    EXPECT_EQ(gpu::cudaMemset(block, 0, 100), cudaSuccess);
    EXPECT_EQ(gpu::cudaMemset(block, 0, 101), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemset(block, 0, 4 * mebibyte), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemset(host_.data(), 0, 100), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMemset(pinned(100), 0, 100), cudaSuccess);
}

TEST_F(Fill, OfRowsWiderThanThePitchIsAnInvalidValue) {
    void* block = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(gpu::cudaMallocPitch(&block, &pitch, 4000, 300), cudaSuccess);
    EXPECT_EQ(gpu::cudaMemset2D(block, pitch, 0, 4000, 300), cudaSuccess);
    EXPECT_EQ(gpu::cudaMemset2D(block, 100, 0, 4000, 300), cudaErrorInvalidValue);
}

TEST_F(Copy, ToPageableMemoryIsDoneWhenTheCallReturns) {
    char* block = device(16);
    ASSERT_EQ(gpu::cudaMemset(block, 5, 16), cudaSuccess);
    char back[16] = {};
    ASSERT_EQ(gpu::cudaMemcpyAsync(back, block, 16, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
    EXPECT_EQ(back[15], 5);
}

TEST_F(Copy, FromPageableMemoryTakesTheBytesBeforeItReturns) {
    char* block = device(16);
    char source[16];
    std::memset(source, 3, sizeof source);
    ASSERT_EQ(gpu::cudaMemcpyAsync(block, source, 16, cudaMemcpyHostToDevice, nullptr),
              cudaSuccess);
    std::memset(source, 4, sizeof source);
    char back[16];
    ASSERT_EQ(gpu::cudaMemcpy(back, block, 16, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(back[0], 3);
    EXPECT_EQ(reported(), "");
}

TEST_F(Copy, ToPinnedMemoryArrivesOnlyWithTheWait) {
    char* block = device(16);
    char* back = pinned(16);
    const cudaStream_t work = stream();
    ASSERT_EQ(gpu::cudaMemset(block, 5, 16), cudaSuccess);
    ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
    std::memset(back, 0, 16);
    ASSERT_EQ(gpu::cudaMemcpyAsync(back, block, 16, cudaMemcpyDeviceToHost, work), cudaSuccess);
    EXPECT_EQ(back[0], 0) << "the copy runs as late as the program lets it";
    ASSERT_EQ(gpu::cudaStreamSynchronize(work), cudaSuccess);
    EXPECT_EQ(back[0], 5);
}

}  // namespace
}  // namespace vram::virtual_gpu
