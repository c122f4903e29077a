// CUDA arrays, and the texture and surface objects that show them.

#include <cstring>
#include <numeric>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

VRAM_TEST_CALL(cudaMallocArray)
VRAM_TEST_CALL(cudaMalloc3DArray)
VRAM_TEST_CALL(cudaFreeArray)
VRAM_TEST_CALL(cudaArrayGetInfo)
VRAM_TEST_CALL(cudaMemcpy2DToArray)
VRAM_TEST_CALL(cudaMemcpy2DFromArray)
VRAM_TEST_CALL(cudaMemcpy2DArrayToArray)
VRAM_TEST_CALL(cudaMemcpy2DToArrayAsync)
VRAM_TEST_CALL(cudaCreateTextureObject)
VRAM_TEST_CALL(cudaDestroyTextureObject)
VRAM_TEST_CALL(cudaCreateSurfaceObject)
VRAM_TEST_CALL(cudaDestroySurfaceObject)

namespace vram::virtual_gpu {
namespace {

constexpr cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
constexpr cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};

class Arrays : public VirtualGpu {
  protected:
    cudaArray_t array(std::size_t width, std::size_t height, unsigned flags = 0,
                      const cudaChannelFormatDesc& format = floats) {
        cudaArray_t made = nullptr;
        EXPECT_EQ(gpu::cudaMallocArray(&made, &format, width, height, flags), cudaSuccess);
        return made;
    }
    static std::vector<float> counting(std::size_t count) {
        std::vector<float> values(count);
        std::iota(values.begin(), values.end(), 0.0f);
        return values;
    }
    static cudaResourceDesc show(cudaArray_t array) {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        return resource;
    }
};

TEST_F(Arrays, TellWhatTheyAre) {
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    ASSERT_EQ(
        gpu::cudaArrayGetInfo(&format, &extent, &flags, array(7, 5, cudaArraySurfaceLoadStore)),
        cudaSuccess);
    EXPECT_EQ(format.x, 32);
    EXPECT_EQ(extent.width, 7u);
    EXPECT_EQ(extent.height, 5u);
    EXPECT_EQ(extent.depth, 0u);
    EXPECT_EQ(flags, unsigned{cudaArraySurfaceLoadStore});
}

TEST_F(Arrays, OfAFormatOrShapeThatDoesNotExistAreRefused) {
    cudaArray_t made = nullptr;
    const cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
    EXPECT_EQ(gpu::cudaMallocArray(&made, &three, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
    EXPECT_EQ(gpu::cudaMallocArray(&made, &floats, 0, 4, 0), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMallocArray(nullptr, &floats, 4, 4, 0), cudaErrorInvalidValue);
    EXPECT_EQ(gpu::cudaMalloc3DArray(&made, &floats, {4, 5, 6}, cudaArrayCubemap),
              cudaErrorInvalidValue);
    EXPECT_EQ(made, nullptr);
}

TEST_F(Arrays, AreFreedOnce) {
    const std::size_t before = free_memory();
    const cudaArray_t made = array(1024, 1024);
    EXPECT_LT(free_memory(), before);
    EXPECT_EQ(gpu::cudaFreeArray(made), cudaSuccess);
    EXPECT_EQ(free_memory(), before);
    EXPECT_NE(gpu::cudaFreeArray(made), cudaSuccess);
    EXPECT_EQ(gpu::cudaFreeArray(nullptr), cudaSuccess);
}

TEST_F(Arrays, TakeAndGivePartsOfRows) {
    const std::vector<float> values = counting(12);
    const cudaArray_t made = array(4, 3);
    ASSERT_EQ(
        gpu::cudaMemcpy2DToArray(made, 0, 0, values.data(), 16, 16, 3, cudaMemcpyHostToDevice),
        cudaSuccess);
    std::vector<float> part(4);
    ASSERT_EQ(gpu::cudaMemcpy2DFromArray(part.data(), 8, made, 4, 1, 8, 2, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(part, (std::vector<float>{5, 6, 9, 10}));
    const cudaArray_t other = array(2, 2);
    ASSERT_EQ(
        gpu::cudaMemcpy2DArrayToArray(other, 0, 0, made, 8, 1, 8, 2, cudaMemcpyDeviceToDevice),
        cudaSuccess);
    ASSERT_EQ(gpu::cudaMemcpy2DFromArray(part.data(), 8, other, 0, 0, 8, 2, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(part, (std::vector<float>{6, 7, 10, 11}));
}

TEST_F(Arrays, RefuseCopiesThatLeaveThem) {
    const std::vector<float> values = counting(64);
    const cudaArray_t made = array(4, 3);
    const auto copy = [&](std::size_t x, std::size_t y, std::size_t width, std::size_t height) {
        return gpu::cudaMemcpy2DToArray(made, x, y, values.data(), 32, width, height,
                                        cudaMemcpyHostToDevice);
    };
    EXPECT_EQ(copy(0, 0, 20, 1), cudaErrorInvalidValue);
    EXPECT_EQ(copy(4, 0, 16, 1), cudaErrorInvalidValue);
    EXPECT_EQ(copy(0, 1, 16, 3), cudaErrorInvalidValue);
    EXPECT_EQ(copy(0, 0, 36, 1), cudaErrorInvalidPitchValue);
    EXPECT_EQ(copy(4, 2, 12, 1), cudaSuccess);
}

TEST_F(Arrays, OfLayersAreFilledByOneCopyCountedInTexels) {
    cudaArray_t made = nullptr;
    ASSERT_EQ(gpu::cudaMalloc3DArray(&made, &floats, {3, 2, 4}, cudaArrayLayered), cudaSuccess);
    std::vector<float> values = counting(24);
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = {values.data(), 12, 3, 2};
    parameters.dstArray = made;
    parameters.extent = {3, 2, 4};
    parameters.kind = cudaMemcpyHostToDevice;
    ASSERT_EQ(gpu::cudaMemcpy3D(&parameters), cudaSuccess);

    std::vector<float> back(2);
    cudaMemcpy3DParms second{};
    second.srcArray = made;
    second.srcPos = {1, 1, 2};
    second.dstPtr = {back.data(), 8, 2, 1};
    second.extent = {2, 1, 1};
    second.kind = cudaMemcpyDeviceToHost;
    ASSERT_EQ(gpu::cudaMemcpy3D(&second), cudaSuccess);
    EXPECT_EQ(back, (std::vector<float>{16, 17}));
    second.srcPos = {2, 1, 2};
    EXPECT_EQ(gpu::cudaMemcpy3D(&second), cudaErrorInvalidValue);
}

TEST_F(Arrays, TakePartInTheOrderOfStreams) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        fresh_card(seed);
        float* values = pinned<float>(64);
        const cudaArray_t made = array(4, 4);
        for (int copy = 0; copy < 2; ++copy) {
            ASSERT_EQ(gpu::cudaMemcpy2DToArrayAsync(made, 0, 0, values, 16, 16, 4,
                                                    cudaMemcpyHostToDevice, stream()),
                      cudaSuccess);
        }
        ASSERT_EQ(gpu::cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_EQ(reported(), "race");
    }
}

TEST_F(Arrays, AreShownByObjects) {
    const cudaResourceDesc plain = show(array(4, 4));
    const cudaResourceDesc writable = show(array(4, 4, cudaArraySurfaceLoadStore));
    cudaTextureDesc settings{};
    cudaTextureObject_t texture = 0;
    ASSERT_EQ(gpu::cudaCreateTextureObject(&texture, &plain, &settings, nullptr), cudaSuccess);
    EXPECT_NE(texture, 0u);
    EXPECT_EQ(gpu::cudaDestroyTextureObject(texture), cudaSuccess);
    EXPECT_NE(gpu::cudaDestroyTextureObject(texture), cudaSuccess);
    cudaSurfaceObject_t surface = 0;
    EXPECT_EQ(gpu::cudaCreateSurfaceObject(&surface, &plain), cudaErrorInvalidValue)
        << "the array was not made for surfaces";
    ASSERT_EQ(gpu::cudaCreateSurfaceObject(&surface, &writable), cudaSuccess);
    EXPECT_EQ(gpu::cudaDestroySurfaceObject(surface), cudaSuccess);
}

TEST_F(Arrays, OfIntegersAreNotFilteredAsTheyAre) {
    const cudaResourceDesc resource = show(array(4, 4, 0, bytes));
    cudaTextureDesc settings{};
    settings.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture = 0;
    EXPECT_EQ(gpu::cudaCreateTextureObject(&texture, &resource, &settings, nullptr),
              cudaErrorInvalidFilterSetting);
    settings.readMode = cudaReadModeNormalizedFloat;
    EXPECT_EQ(gpu::cudaCreateTextureObject(&texture, &resource, &settings, nullptr), cudaSuccess);
    EXPECT_EQ(gpu::cudaDestroyTextureObject(texture), cudaSuccess);
}

}  // namespace
}  // namespace vram::virtual_gpu
