// The runtime calls of the virtual GPU under their own names, and an observer that remembers.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/virtual_gpu/control.h"
#include "grader/virtual_gpu/observer.h"

#define VRAM_TEST_CALL(name)                                                               \
    extern "C" __attribute__((visibility("hidden"))) decltype(::name) vram_virtual_##name; \
    namespace gpu {                                                                        \
    inline constexpr auto name = vram_virtual_##name;                                      \
    }

VRAM_TEST_CALL(cudaMalloc)
VRAM_TEST_CALL(cudaMallocPitch)
VRAM_TEST_CALL(cudaMalloc3D)
VRAM_TEST_CALL(cudaMallocHost)
VRAM_TEST_CALL(cudaHostAlloc)
VRAM_TEST_CALL(cudaMallocManaged)
VRAM_TEST_CALL(cudaHostRegister)
VRAM_TEST_CALL(cudaHostUnregister)
VRAM_TEST_CALL(cudaHostGetDevicePointer)
VRAM_TEST_CALL(cudaFree)
VRAM_TEST_CALL(cudaFreeHost)
VRAM_TEST_CALL(cudaMemGetInfo)
VRAM_TEST_CALL(cudaPointerGetAttributes)
VRAM_TEST_CALL(cudaMemcpy)
VRAM_TEST_CALL(cudaMemcpyAsync)
VRAM_TEST_CALL(cudaMemcpy2D)
VRAM_TEST_CALL(cudaMemcpy2DAsync)
VRAM_TEST_CALL(cudaMemcpy3D)
VRAM_TEST_CALL(cudaMemset)
VRAM_TEST_CALL(cudaMemsetAsync)
VRAM_TEST_CALL(cudaMemset2D)
VRAM_TEST_CALL(cudaMemset3D)
VRAM_TEST_CALL(cudaMallocAsync)
VRAM_TEST_CALL(cudaMallocFromPoolAsync)
VRAM_TEST_CALL(cudaFreeAsync)
VRAM_TEST_CALL(cudaDeviceGetDefaultMemPool)
VRAM_TEST_CALL(cudaMemPoolCreate)
VRAM_TEST_CALL(cudaMemPoolDestroy)
VRAM_TEST_CALL(cudaMemPoolTrimTo)
VRAM_TEST_CALL(cudaMemPoolGetAttribute)
VRAM_TEST_CALL(cudaMemPoolSetAttribute)
VRAM_TEST_CALL(cudaStreamCreate)
VRAM_TEST_CALL(cudaStreamCreateWithFlags)
VRAM_TEST_CALL(cudaStreamDestroy)
VRAM_TEST_CALL(cudaStreamSynchronize)
VRAM_TEST_CALL(cudaStreamQuery)
VRAM_TEST_CALL(cudaStreamWaitEvent)
VRAM_TEST_CALL(cudaLaunchHostFunc)
VRAM_TEST_CALL(cudaEventCreate)
VRAM_TEST_CALL(cudaEventCreateWithFlags)
VRAM_TEST_CALL(cudaEventDestroy)
VRAM_TEST_CALL(cudaEventRecord)
VRAM_TEST_CALL(cudaEventSynchronize)
VRAM_TEST_CALL(cudaEventQuery)
VRAM_TEST_CALL(cudaEventElapsedTime)
VRAM_TEST_CALL(cudaDeviceSynchronize)
VRAM_TEST_CALL(cudaDeviceReset)
VRAM_TEST_CALL(cudaGetDeviceCount)
VRAM_TEST_CALL(cudaSetDevice)
VRAM_TEST_CALL(cudaDeviceGetAttribute)
VRAM_TEST_CALL(cudaGetErrorName)
VRAM_TEST_CALL(cudaGetErrorString)

extern "C" __attribute__((visibility("hidden"))) cudaError_t vram_virtual_cudaGetDeviceProperties(
    cudaDeviceProp*, int);
extern "C" __attribute__((visibility("hidden"))) cudaError_t vram_virtual_cudaMemsetAsync_ptsz(
    void*, int, size_t, cudaStream_t);

namespace vram::virtual_gpu {

class RememberingObserver final : public Observer {
  public:
    void on_report(const Report& report) override { reports.push_back(report); }
    CallNumber current_call() const override { return call; }

    std::vector<Report> reports;
    CallNumber call = 0;
};

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;
constexpr std::size_t gibibyte = 1024 * mebibyte;
constexpr std::size_t h200_memory = 143155 * mebibyte;

/// A fresh card for each test, and an observer in place.
class VirtualGpu : public testing::Test {
  protected:
    VirtualGpu() {
        set_observer(&observer_);
        fresh_card(0);
    }
    ~VirtualGpu() override {
        reset();
        set_observer(nullptr);
    }

    void fresh_card(std::uint64_t seed) {
        reset();
        vary(seed);
        set_capacity(h200_memory);
        observer_.reports.clear();
        observer_.call = 0;
    }
    /// Numbers the next call, as the runtime library would.
    void call(CallNumber number) { observer_.call = number; }
    const std::vector<Report>& reports() const { return observer_.reports; }

    std::string reported() const {
        std::string ids;
        for (const Report& report : observer_.reports)
            ids += std::string(ids.empty() ? "" : " ") + diagnosis_id(report.kind);
        return ids;
    }

    template <typename Type = char>
    Type* device(std::size_t bytes) {
        void* pointer = nullptr;
        EXPECT_EQ(gpu::cudaMalloc(&pointer, bytes), cudaSuccess);
        return static_cast<Type*>(pointer);
    }
    template <typename Type = char>
    Type* pinned(std::size_t bytes) {
        void* pointer = nullptr;
        EXPECT_EQ(gpu::cudaMallocHost(&pointer, bytes), cudaSuccess);
        return static_cast<Type*>(pointer);
    }
    char* asynchronous(std::size_t bytes, cudaStream_t stream) {
        void* pointer = nullptr;
        EXPECT_EQ(gpu::cudaMallocAsync(&pointer, bytes, stream), cudaSuccess);
        return static_cast<char*>(pointer);
    }
    cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
        cudaStream_t made = nullptr;
        EXPECT_EQ(gpu::cudaStreamCreateWithFlags(&made, flags), cudaSuccess);
        return made;
    }
    cudaEvent_t event() {
        cudaEvent_t made = nullptr;
        EXPECT_EQ(gpu::cudaEventCreate(&made), cudaSuccess);
        return made;
    }
    std::size_t free_memory() {
        std::size_t available = 0, total = 0;
        EXPECT_EQ(gpu::cudaMemGetInfo(&available, &total), cudaSuccess);
        return available;
    }

  private:
    RememberingObserver observer_;
};

inline std::uint64_t address(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace vram::virtual_gpu
