#include <array>
#include <vector>

#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

class Copies : public LedgerTest {
  protected:
    std::array<char, 8192> host_{};
};

TEST_F(Copies, ThatFitAreNoMisuse) {
    void* device = allocate(4096);
    EXPECT_EQ(cudaMemcpy(device, host_.data(), 4096, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(host_.data(), plus(device, 96), 4000, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(cudaMemcpy(device, plus(device, 2048), 2048, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_EQ(calls().at(2).pointers[1].place, Place::interior);
    EXPECT_EQ(calls().at(2).pointers[1].offset, 96u);
}

TEST_F(Copies, PastTheRequestedBytesAreOutOfBounds) {
    void* device = allocate(100);
    EXPECT_EQ(cudaMemcpy(device, host_.data(), 200, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ASSERT_EQ(misuse_ids(), "copy-out-of-bounds");
    EXPECT_STREQ(misuses()[0].first_line,
                 "cudaMemcpy of 200 bytes writes past the end of a 100-byte block from "
                 "cudaMalloc.");
    cudaMemcpy(host_.data(), plus(device, 60), 41, cudaMemcpyDeviceToHost);
    EXPECT_EQ(misuse_ids(), "copy-out-of-bounds copy-out-of-bounds");
}

TEST_F(Copies, OfNothingAreNoMisuse) {
    void* device = allocate(16);
    EXPECT_EQ(cudaMemcpy(device, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Copies, OfFreedMemoryNameTheFree) {
    void* device = allocate(100);
    cudaFree(device);
    cudaMemcpy(host_.data(), plus(device, 4), 10, cudaMemcpyDeviceToHost);
    ASSERT_EQ(misuse_ids(), "copy-of-freed-memory");
    EXPECT_EQ(misuses()[0].other_call, calls().at(1).number);
}

TEST_F(Copies, WithNullNameTheSide) {
    void* device = allocate(16);
    cudaMemcpy(nullptr, host_.data(), 16, cudaMemcpyHostToDevice);
    cudaMemcpy(device, nullptr, 16, cudaMemcpyHostToDevice);
    ASSERT_EQ(misuse_ids(), "copy-bad-pointer copy-bad-pointer");
    EXPECT_STREQ(misuses()[0].first_line, "The destination of this cudaMemcpy is a null pointer.");
    EXPECT_STREQ(misuses()[1].first_line, "The source of this cudaMemcpy is a null pointer.");
}

TEST_F(Copies, WithTheAddressOfThePointerSayDropTheAmpersand) {
    void* device = allocate(16);
    cudaMemcpy(&device, host_.data(), 16, cudaMemcpyHostToDevice);
    ASSERT_EQ(misuse_ids(), "copy-bad-pointer");
    EXPECT_NE(std::string(misuses()[0].first_line).find("drop the &"), std::string::npos);
}

TEST_F(Copies, OfAHostStructThatHoldsADevicePointerAreRight) {
    struct Image {
        void* pixels;
        int width;
    };
    Image image = {allocate(64), 8};
    void* on_device = allocate(sizeof image);
    EXPECT_EQ(cudaMemcpy(on_device, &image, sizeof image, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Copies, RefusedForTheirDirectionNameIt) {
    void* device = allocate(64);
    EXPECT_EQ(cudaMemcpy(host_.data(), device, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ASSERT_EQ(misuse_ids(), "copy-wrong-direction");
    EXPECT_TRUE(misuses()[0].failed_call);
    EXPECT_STREQ(misuses()[0].first_line,
                 "cudaMemcpy says host to device, but its destination lies on the host and its "
                 "source lies on the device.");
}

TEST_F(Copies, ThatOneSideContradictsButSucceedAreNoMisuse) {
    void* first = allocate(64);
    void* second = allocate(64);
    EXPECT_EQ(cudaMemcpy(first, second, 64, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Copies, ThatBothSidesContradictAreNamed) {
    void* device = allocate(64);
    void* pinned = nullptr;
    cudaMallocHost(&pinned, 64);
    EXPECT_EQ(cudaMemcpy(pinned, device, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(misuse_ids(), "copy-wrong-direction");
}

TEST_F(Copies, WithAPitchSmallerThanTheRowAskAboutElements) {
    void* device = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&device, &pitch, 2560, 2);
    cudaMemcpy2D(device, pitch, host_.data(), 640, 2560, 2, cudaMemcpyHostToDevice);
    ASSERT_EQ(misuse_ids(), "copy-bad-pitch");
    EXPECT_STREQ(misuses()[0].first_line,
                 "The source pitch of this cudaMemcpy2D is 640 bytes, smaller than its rows of "
                 "2560 bytes.");
    EXPECT_NE(std::string(misuses()[0].details).find("4 times"), std::string::npos);
}

TEST_F(Copies, OfRowsCountFromTheFirstToTheLastByte) {
    void* device = allocate(3 * 100 + 40);
    EXPECT_EQ(cudaMemcpy2D(device, 100, host_.data(), 40, 40, 4, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    cudaMemcpy2D(device, 100, host_.data(), 40, 41, 4, cudaMemcpyHostToDevice);
    EXPECT_EQ(misuse_ids(), "copy-bad-pitch");
    cudaMemcpy2D(device, 100, host_.data(), 50, 40, 5, cudaMemcpyHostToDevice);
    EXPECT_EQ(misuse_ids(), "copy-bad-pitch copy-out-of-bounds");
}

TEST_F(Copies, PastAKnownHostBufferNameIt) {
    void* device = allocate(1024);
    session().register_host_buffer(host_.data(), 1000, "pixels");
    cudaMemcpy(host_.data(), device, 1000, cudaMemcpyDeviceToHost);
    EXPECT_EQ(misuse_ids(), "");
    cudaMemcpy(host_.data(), device, 1024, cudaMemcpyDeviceToHost);
    ASSERT_EQ(misuse_ids(), "copy-host-overrun");
    EXPECT_STREQ(misuses()[0].first_line,
                 "cudaMemcpy of 1024 bytes writes past the end of the host buffer \"pixels\", "
                 "which has 1000 bytes.");
    session().forget_host_buffer(host_.data());
    cudaMemcpy(host_.data(), device, 1024, cudaMemcpyDeviceToHost);
    EXPECT_EQ(misuses().size(), 1u);
}

TEST_F(Copies, OfBoxesAreMeasuredFromTheirPosition) {
    void* device = allocate(2 * 4 * 64);
    cudaMemcpy3DParms shape = {};
    shape.srcPtr = {host_.data(), 64, 64, 4};
    shape.dstPtr = {device, 64, 64, 4};
    shape.extent = {64, 4, 2};
    shape.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(cudaMemcpy3D(&shape), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    shape.dstPos = {0, 0, 1};
    cudaMemcpy3D(&shape);
    EXPECT_EQ(misuse_ids(), "copy-out-of-bounds");
}

TEST_F(Copies, FromFreedPinnedMemoryThatIsHostMemoryAgainAreNoMisuse) {
    void* device = allocate(64);
    void* pinned = nullptr;
    cudaMallocHost(&pinned, 64);
    cudaFreeHost(pinned);
    EXPECT_EQ(cudaMemcpy(device, pinned, 64, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Copies, SetsAreMeasuredToo) {
    void* device = allocate(100);
    EXPECT_EQ(cudaMemset(device, 0, 100), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    cudaMemset(device, 0, 101);
    cudaMemset(host_.data(), 0, 16);
    cudaMemset(nullptr, 0, 16);
    EXPECT_EQ(misuse_ids(), "set-out-of-bounds set-bad-pointer set-bad-pointer");
}

}  // namespace
}  // namespace vram::runtime
