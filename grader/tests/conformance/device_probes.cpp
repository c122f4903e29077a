// The device as a whole: which there are, its properties, its limits and settings.
#include <cstring>
#include <string>
#include <utility>

#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

PROBE_ALONE(device_choice) {
    int number = 99;
    fact("cudaGetDeviceCount", cudaGetDeviceCount(&number));
    fact("cudaGetDeviceCount without a place", cudaGetDeviceCount(nullptr));
    fact("cudaGetDevice", {cudaGetDevice(&number), number});
    fact("cudaGetDevice without a place", cudaGetDevice(nullptr));
    fact("cudaSetDevice of -1", cudaSetDevice(-1));
    fact("cudaSetDevice of 0", cudaSetDevice(0));
    fact("cudaSetDevice of 99", cudaSetDevice(99));
    fact("cudaInitDevice of 99", cudaInitDevice(99, 0, 0));
    fact("cudaInitDevice of 0", cudaInitDevice(0, 0, 0));
    cudaDeviceProp properties{};
    fact("cudaGetDeviceProperties of 99", cudaGetDeviceProperties(&properties, 99));
    fact("cudaGetDeviceProperties without a place", cudaGetDeviceProperties(nullptr, 0));
    fact("cudaDeviceGetAttribute of device 99",
         cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 99));
    fact("cudaDeviceGetAttribute without a place",
         cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    fact("an unknown device attribute",
         cudaDeviceGetAttribute(&number, static_cast<cudaDeviceAttr>(9999), 0));
    std::memset(&properties, 0, sizeof properties);
    fact("cudaChooseDevice", {cudaChooseDevice(&number, &properties), number});
    fact("cudaChooseDevice without a place", cudaChooseDevice(nullptr, &properties));
    char text[32];
    fact("cudaDeviceGetPCIBusId without a place", cudaDeviceGetPCIBusId(nullptr, 32, 0));
    fact("cudaDeviceGetPCIBusId of device 99", cudaDeviceGetPCIBusId(text, 32, 99));
    fact("cudaDeviceGetPCIBusId, and back",
         {cudaDeviceGetPCIBusId(text, 32, 0), cudaDeviceGetByPCIBusId(&number, text), number});
    fact("cudaDeviceGetPCIBusId into 4 characters", cudaDeviceGetPCIBusId(text, 4, 0));
    fact("cudaDeviceGetByPCIBusId of nonsense", cudaDeviceGetByPCIBusId(&number, "nonsense"));
    fact("cudaDriverGetVersion without a place", cudaDriverGetVersion(nullptr));
    fact("cudaRuntimeGetVersion without a place", cudaRuntimeGetVersion(nullptr));
}

PROBE(device_attributes) {
    // Those that programs for memory look at; clocks and buses differ from card to card.
    for (const auto& [name, attribute] : {
             std::pair{"MaxThreadsPerBlock", cudaDevAttrMaxThreadsPerBlock},
             std::pair{"MaxBlockDimX", cudaDevAttrMaxBlockDimX},
             std::pair{"MaxBlockDimZ", cudaDevAttrMaxBlockDimZ},
             std::pair{"MaxGridDimX", cudaDevAttrMaxGridDimX},
             std::pair{"MaxGridDimY", cudaDevAttrMaxGridDimY},
             std::pair{"MaxGridDimZ", cudaDevAttrMaxGridDimZ},
             std::pair{"MaxSharedMemoryPerBlock", cudaDevAttrMaxSharedMemoryPerBlock},
             std::pair{"MaxSharedMemoryPerBlockOptin", cudaDevAttrMaxSharedMemoryPerBlockOptin},
             std::pair{"ReservedSharedMemoryPerBlock", cudaDevAttrReservedSharedMemoryPerBlock},
             std::pair{"MaxSharedMemoryPerMultiprocessor",
                       cudaDevAttrMaxSharedMemoryPerMultiprocessor},
             std::pair{"TotalConstantMemory", cudaDevAttrTotalConstantMemory},
             std::pair{"WarpSize", cudaDevAttrWarpSize},
             std::pair{"MaxPitch", cudaDevAttrMaxPitch},
             std::pair{"MaxRegistersPerBlock", cudaDevAttrMaxRegistersPerBlock},
             std::pair{"MaxRegistersPerMultiprocessor", cudaDevAttrMaxRegistersPerMultiprocessor},
             std::pair{"TextureAlignment", cudaDevAttrTextureAlignment},
             std::pair{"TexturePitchAlignment", cudaDevAttrTexturePitchAlignment},
             std::pair{"SurfaceAlignment", cudaDevAttrSurfaceAlignment},
             std::pair{"MultiProcessorCount", cudaDevAttrMultiProcessorCount},
             std::pair{"MaxThreadsPerMultiProcessor", cudaDevAttrMaxThreadsPerMultiProcessor},
             std::pair{"MaxBlocksPerMultiprocessor", cudaDevAttrMaxBlocksPerMultiprocessor},
             std::pair{"KernelExecTimeout", cudaDevAttrKernelExecTimeout},
             std::pair{"Integrated", cudaDevAttrIntegrated},
             std::pair{"CanMapHostMemory", cudaDevAttrCanMapHostMemory},
             std::pair{"ComputeMode", cudaDevAttrComputeMode},
             std::pair{"ConcurrentKernels", cudaDevAttrConcurrentKernels},
             std::pair{"EccEnabled", cudaDevAttrEccEnabled},
             std::pair{"TccDriver", cudaDevAttrTccDriver},
             std::pair{"AsyncEngineCount", cudaDevAttrAsyncEngineCount},
             std::pair{"UnifiedAddressing", cudaDevAttrUnifiedAddressing},
             std::pair{"ComputeCapabilityMajor", cudaDevAttrComputeCapabilityMajor},
             std::pair{"ComputeCapabilityMinor", cudaDevAttrComputeCapabilityMinor},
             std::pair{"StreamPrioritiesSupported", cudaDevAttrStreamPrioritiesSupported},
             std::pair{"GlobalL1CacheSupported", cudaDevAttrGlobalL1CacheSupported},
             std::pair{"LocalL1CacheSupported", cudaDevAttrLocalL1CacheSupported},
             std::pair{"ManagedMemory", cudaDevAttrManagedMemory},
             std::pair{"IsMultiGpuBoard", cudaDevAttrIsMultiGpuBoard},
             std::pair{"HostNativeAtomicSupported", cudaDevAttrHostNativeAtomicSupported},
             std::pair{"PageableMemoryAccess", cudaDevAttrPageableMemoryAccess},
             std::pair{"ConcurrentManagedAccess", cudaDevAttrConcurrentManagedAccess},
             std::pair{"ComputePreemptionSupported", cudaDevAttrComputePreemptionSupported},
             std::pair{"CanUseHostPointerForRegisteredMem",
                       cudaDevAttrCanUseHostPointerForRegisteredMem},
             std::pair{"CooperativeLaunch", cudaDevAttrCooperativeLaunch},
             std::pair{"HostRegisterSupported", cudaDevAttrHostRegisterSupported},
             std::pair{"PageableMemoryAccessUsesHostPageTables",
                       cudaDevAttrPageableMemoryAccessUsesHostPageTables},
             std::pair{"DirectManagedMemAccessFromHost", cudaDevAttrDirectManagedMemAccessFromHost},
             std::pair{"MemoryPoolsSupported", cudaDevAttrMemoryPoolsSupported},
             std::pair{"HostRegisterReadOnlySupported", cudaDevAttrHostRegisterReadOnlySupported},
             std::pair{"ClusterLaunch", cudaDevAttrClusterLaunch},
         }) {
        int value = -99;
        fact(std::string("device attribute ") + name,
             {cudaDeviceGetAttribute(&value, attribute, 0), value});
    }
}

PROBE(device_properties_agree) {
    cudaDeviceProp properties{};
    fact("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, 0));
    int value = 0;
    const auto agrees = [&](cudaDeviceAttr attribute, long long property) {
        cudaDeviceGetAttribute(&value, attribute, 0);
        return value == property;
    };
    fact("properties agree with attributes",
         {agrees(cudaDevAttrWarpSize, properties.warpSize),
          agrees(cudaDevAttrMultiProcessorCount, properties.multiProcessorCount),
          agrees(cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock),
          agrees(cudaDevAttrTextureAlignment, static_cast<long long>(properties.textureAlignment)),
          agrees(cudaDevAttrComputeCapabilityMajor, properties.major)});
    std::size_t free_bytes = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    fact("totalGlobalMem is the total of cudaMemGetInfo", properties.totalGlobalMem == total);
}

PROBE_ALONE(device_limits) {
    for (const auto& [name, limit] :
         {std::pair{"StackSize", cudaLimitStackSize},
          std::pair{"PrintfFifoSize", cudaLimitPrintfFifoSize},
          std::pair{"MallocHeapSize", cudaLimitMallocHeapSize},
          std::pair{"DevRuntimeSyncDepth", cudaLimitDevRuntimeSyncDepth},
          std::pair{"DevRuntimePendingLaunchCount", cudaLimitDevRuntimePendingLaunchCount},
          std::pair{"MaxL2FetchGranularity", cudaLimitMaxL2FetchGranularity},
          std::pair{"PersistingL2CacheSize", cudaLimitPersistingL2CacheSize}}) {
        std::size_t value = 99;
        fact(std::string("limit ") + name, {cudaDeviceGetLimit(&value, limit), value});
    }
    std::size_t value = 99;
    fact("an unknown limit", {cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)),
                              cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1)});
    fact("a limit without a place", cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    fact("stack limit of 4096", {cudaDeviceSetLimit(cudaLimitStackSize, 4096),
                                 cudaDeviceGetLimit(&value, cudaLimitStackSize), value});
    fact("stack limit of 1001", {cudaDeviceSetLimit(cudaLimitStackSize, 1001),
                                 cudaDeviceGetLimit(&value, cudaLimitStackSize), value});
    fact("heap limit of 64 MiB", {cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20),
                                  cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), value});
    fact("stack limit of 2^40", cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{1} << 40));
}

PROBE_ALONE(device_settings) {
    unsigned flags = 99;
    fact("cudaGetDeviceFlags", {cudaGetDeviceFlags(&flags), flags});
    fact("cudaGetDeviceFlags without a place", cudaGetDeviceFlags(nullptr));
    fact("cudaSetDeviceFlags to spin",
         {cudaSetDeviceFlags(cudaDeviceScheduleSpin), cudaGetDeviceFlags(&flags), flags});
    fact("cudaSetDeviceFlags to block, after a context",
         {cudaFree(nullptr), cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync),
          cudaGetDeviceFlags(&flags), flags});
    fact("cudaSetDeviceFlags of unknown flags", cudaSetDeviceFlags(0x4000));
    fact("cudaSetDeviceFlags to spin and to block", cudaSetDeviceFlags(1 | 4));
    cudaFuncCache cache = static_cast<cudaFuncCache>(99);
    fact("cudaDeviceGetCacheConfig", {cudaDeviceGetCacheConfig(&cache), cache});
    fact("cudaDeviceSetCacheConfig", {cudaDeviceSetCacheConfig(cudaFuncCachePreferL1),
                                      cudaDeviceGetCacheConfig(&cache), cache});
    fact("cudaDeviceSetCacheConfig of nonsense",
         cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(99)));
    fact("cudaDeviceGetCacheConfig without a place", cudaDeviceGetCacheConfig(nullptr));
    fact("cudaCtxResetPersistingL2Cache", cudaCtxResetPersistingL2Cache());
}

}  // namespace
}  // namespace vram::conformance
