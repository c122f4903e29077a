// Launch configurations, function attributes, occupancy.
#include <string>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

constexpr std::size_t kibibyte = 1024;

void tell_shape(Facts& fact, const std::string& name, dim3 grid, dim3 block,
                std::size_t dynamic_shared_bytes = 0) {
    launch_nothing(grid, block, dynamic_shared_bytes);
    const cudaError_t first = cudaPeekAtLastError();
    const cudaError_t waited = cudaDeviceSynchronize();
    fact("launch of " + name, {first, waited, cudaGetLastError(), cudaGetLastError()});
}

PROBE(launch_shapes) {
    tell_shape(fact, "one thread", dim3(1), dim3(1));
    tell_shape(fact, "1024 threads", dim3(1), dim3(1024));
    tell_shape(fact, "1025 threads", dim3(1), dim3(1025));
    tell_shape(fact, "2048 threads", dim3(1), dim3(2048));
    tell_shape(fact, "32 x 33 threads", dim3(1), dim3(32, 33));
    tell_shape(fact, "1 x 1024 threads", dim3(1), dim3(1, 1024));
    tell_shape(fact, "1 x 1 x 64 threads", dim3(1), dim3(1, 1, 64));
    tell_shape(fact, "1 x 1 x 65 threads", dim3(1), dim3(1, 1, 65));
    tell_shape(fact, "0 blocks", dim3(0), dim3(32));
    tell_shape(fact, "0 threads", dim3(1), dim3(0));
    tell_shape(fact, "1 x 0 blocks", dim3(1, 0), dim3(32));
    tell_shape(fact, "1 x 1 x 0 threads", dim3(1), dim3(1, 1, 0));
    tell_shape(fact, "1 x 65535 blocks", dim3(1, 65535), dim3(1));
    tell_shape(fact, "1 x 65536 blocks", dim3(1, 65536), dim3(1));
    tell_shape(fact, "1 x 1 x 65536 blocks", dim3(1, 1, 65536), dim3(1));
    tell_shape(fact, "65536 blocks", dim3(65536), dim3(1));
    tell_shape(fact, "2^31 blocks", dim3(0x80000000u), dim3(1));
    tell_shape(fact, "48 KiB of shared memory", dim3(1), dim3(1), 48 * kibibyte);
    tell_shape(fact, "48 KiB and 1 byte of shared memory", dim3(1), dim3(1), 48 * kibibyte + 1);
    tell_shape(fact, "1 MiB of shared memory", dim3(1), dim3(1), 1024 * kibibyte);
}

PROBE(launch_results) {
    fact("cudaLaunchKernel of 2048 threads",
         {cudaLaunchKernel(kernel_nothing(), dim3(1), dim3(2048), nullptr, 0, nullptr),
          cudaGetLastError()});
    fact(
        "cudaLaunchKernel of a null function",
        {cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), nullptr, 0, nullptr),
         cudaGetLastError()});
    static int no_kernel = 0;
    fact("cudaLaunchKernel of a variable's address",
         {cudaLaunchKernel(static_cast<const void*>(&no_kernel), dim3(1), dim3(1), nullptr, 0,
                           nullptr),
          cudaGetLastError()});
    fact("cudaLaunchKernel on cudaStreamPerThread",
         cudaLaunchKernel(kernel_nothing(), dim3(1), dim3(1), nullptr, 0, cudaStreamPerThread));
    int* out = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&out), 4096);
    void* arguments[] = {&out};
    fact("cudaLaunchKernel beyond __launch_bounds__",
         cudaLaunchKernel(kernel_bounded(), dim3(1), dim3(129), arguments, 0, nullptr));
    fact("cudaLaunchKernel at __launch_bounds__",
         cudaLaunchKernel(kernel_bounded(), dim3(1), dim3(128), arguments, 0, nullptr));
    fact("static and dynamic shared memory of 48 KiB together",
         cudaLaunchKernel(kernel_static_shared(), dim3(1), dim3(32), arguments, 44 * kibibyte,
                          nullptr));
    fact("static and dynamic shared memory of one byte more",
         cudaLaunchKernel(kernel_static_shared(), dim3(1), dim3(32), arguments, 44 * kibibyte + 1,
                          nullptr));
    cudaDeviceSynchronize();
    cudaFree(out);
}

PROBE(launch_cooperative) {
    fact("cudaLaunchCooperativeKernel of 2 blocks",
         cudaLaunchCooperativeKernel(kernel_cooperative(), dim3(2), dim3(32), nullptr, 0, nullptr));
    fact("cudaLaunchCooperativeKernel of 100000 blocks",
         {cudaLaunchCooperativeKernel(kernel_cooperative(), dim3(100000), dim3(1024), nullptr, 0,
                                      nullptr),
          cudaGetLastError()});
    fact("a wait after those", cudaDeviceSynchronize());
}

PROBE(function_attributes) {
    cudaFuncAttributes seen{};
    fact("attributes of an empty kernel",
         {cudaFuncGetAttributes(&seen, kernel_nothing()), seen.sharedSizeBytes, seen.localSizeBytes,
          seen.maxThreadsPerBlock, seen.maxDynamicSharedSizeBytes, seen.preferredShmemCarveout});
    fact("attributes of a kernel with shared memory",
         {cudaFuncGetAttributes(&seen, kernel_static_shared()), seen.sharedSizeBytes,
          seen.maxDynamicSharedSizeBytes});
    fact("attributes of a kernel with launch bounds",
         {cudaFuncGetAttributes(&seen, kernel_bounded()), seen.maxThreadsPerBlock});
    fact("attributes of a template", cudaFuncGetAttributes(&seen, kernel_template()));
    fact("attributes of a null function",
         cudaFuncGetAttributes(&seen, static_cast<const void*>(nullptr)));
    static int no_kernel = 0;
    fact("attributes of a variable's address",
         cudaFuncGetAttributes(&seen, static_cast<const void*>(&no_kernel)));
    fact("attributes of a function without a place",
         cudaFuncGetAttributes(nullptr, kernel_nothing()));
}

PROBE_ALONE(function_settings) {
    const auto set = [](const void* kernel, cudaFuncAttribute attribute, int value) {
        return cudaFuncSetAttribute(kernel, attribute, value);
    };
    const void* const kernel = kernel_dynamic_shared();
    constexpr auto most_shared = cudaFuncAttributeMaxDynamicSharedMemorySize;
    constexpr auto carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    int* out = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&out), 4096);
    void* arguments[] = {&out};
    const auto launch = [&](std::size_t shared) {
        return cudaLaunchKernel(kernel, dim3(1), dim3(32), arguments, shared, nullptr);
    };
    fact("launch with 64 KiB before the limit is raised", launch(64 * kibibyte));
    fact("limit of dynamic shared memory raised to 64 KiB", set(kernel, most_shared, 64 * 1024));
    fact("launch with 64 KiB after it", {launch(64 * kibibyte), cudaDeviceSynchronize()});
    fact("launch with 64 KiB and 1 byte after it", launch(64 * kibibyte + 1));
    cudaFuncAttributes seen{};
    fact("attributes after it",
         {cudaFuncGetAttributes(&seen, kernel), seen.maxDynamicSharedSizeBytes});
    fact("limit of 227 KiB", set(kernel, most_shared, 227 * 1024));
    fact("limit of 227 KiB and 1 byte", set(kernel, most_shared, 227 * 1024 + 1));
    fact("limit of -1", set(kernel, most_shared, -1));
    fact("limit of 0", {set(kernel, most_shared, 0), launch(16 * kibibyte)});
    fact("limit of 227 KiB with 4 KiB of static shared memory",
         set(kernel_static_shared(), most_shared, 227 * 1024));
    fact("limit of 223 KiB with 4 KiB of static shared memory",
         set(kernel_static_shared(), most_shared, 223 * 1024));
    fact("carveouts of -2, -1, 0, 50, 100 and 101",
         {set(kernel, carveout, -2), set(kernel, carveout, -1), set(kernel, carveout, 0),
          set(kernel, carveout, 50), set(kernel, carveout, 100), set(kernel, carveout, 101)});
    fact("an unknown function attribute", set(kernel, static_cast<cudaFuncAttribute>(99), 0));
    fact("a setting of a null function", set(nullptr, most_shared, 0));
    fact("cudaFuncSetCacheConfig",
         {cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1),
          cudaFuncSetCacheConfig(kernel, static_cast<cudaFuncCache>(99)),
          cudaFuncSetCacheConfig(static_cast<const void*>(nullptr), cudaFuncCachePreferL1)});
    cudaDeviceSynchronize();
}

PROBE(occupancy) {
    for (const int threads : {-1, 0, 1, 32, 33, 64, 100, 128, 256, 512, 768, 1000, 1024, 1025}) {
        int blocks = 99;
        const cudaError_t result =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_nothing(), threads, 0);
        fact("resident blocks of " + std::to_string(threads) + " threads", {result, blocks});
    }
    for (const int shared : {1024, 8192, 20000, 49152, 65536, 100000, 232448, 232449, 1000000}) {
        int blocks = 99;
        const cudaError_t result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel_nothing(), 32, static_cast<std::size_t>(shared));
        fact("resident blocks with " + std::to_string(shared) + " bytes of shared memory",
             {result, blocks});
    }
    int blocks = 99;
    fact("resident blocks with 4 KiB of static shared memory",
         {cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_static_shared(), 64, 0),
          blocks});
    fact(
        "resident blocks beyond __launch_bounds__",
        {cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_bounded(), 256, 0), blocks});
    fact("resident blocks without a place",
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernel_nothing(), 32, 0));
    fact("resident blocks of a null function",
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_cast<const void*>(nullptr),
                                                       32, 0));
    std::size_t bytes = 99;
    for (const int wanted : {1, 2, 4, 16, 32, 33}) {
        bytes = 99;
        fact("shared memory left for " + std::to_string(wanted) + " blocks",
             {cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel_nothing(), wanted, 64),
              bytes});
    }
}

PROBE_ALONE(device_heap) {
    int* got = nullptr;
    cudaMallocManaged(reinterpret_cast<void**>(&got), 4);
    launch_device_malloc(got, 1000);
    fact("malloc of 1000 bytes on the device", {cudaDeviceSynchronize(), *got});
    launch_device_malloc(got, std::size_t{64} << 20);
    fact("malloc of 64 MiB on the device", {cudaDeviceSynchronize(), *got});
    fact("heap limit set after a kernel used the heap",
         cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{128} << 20));
}

PROBE_ALONE(device_heap_raised) {
    fact("heap limit set before any kernel",
         cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{128} << 20));
    int* got = nullptr;
    cudaMallocManaged(reinterpret_cast<void**>(&got), 4);
    launch_device_malloc(got, std::size_t{64} << 20);
    fact("malloc of 64 MiB on the device with a heap of 128 MiB", {cudaDeviceSynchronize(), *got});
}

}  // namespace
}  // namespace vram::conformance
