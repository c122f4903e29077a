#include "grader/virtual_gpu/device_properties.h"

#include <cstring>

namespace vram::virtual_gpu {
namespace {

constexpr int clock_kilohertz = 1'980'000;
constexpr int memory_clock_kilohertz = 3'201'000;

void set_textures(cudaDeviceProp& properties) {
    properties.textureAlignment = 512;
    properties.texturePitchAlignment = 32;
    properties.surfaceAlignment = 512;
    properties.maxTexture1D = 131072;
    properties.maxTexture1DMipmap = 32768;
    properties.maxTexture2D[0] = 131072;
    properties.maxTexture2D[1] = 65536;
    properties.maxTexture3D[0] = 16384;
    properties.maxTexture3D[1] = 16384;
    properties.maxTexture3D[2] = 16384;
}

void set_memory(cudaDeviceProp& properties, std::size_t total_memory) {
    properties.totalGlobalMem = total_memory;
    properties.totalConstMem = 65536;
    properties.memPitch = 2147483647;
    properties.sharedMemPerBlock = 49152;
    properties.sharedMemPerBlockOptin = 232448;
    properties.sharedMemPerMultiprocessor = 233472;
    properties.reservedSharedMemPerBlock = 1024;
    properties.l2CacheSize = 62914560;
    properties.memoryBusWidth = 6144;
    properties.unifiedAddressing = 1;
    properties.canMapHostMemory = 1;
    properties.managedMemory = 1;
    properties.concurrentManagedAccess = 1;
    properties.canUseHostPointerForRegisteredMem = 1;
    properties.hostRegisterSupported = 1;
    properties.hostRegisterReadOnlySupported = 1;
    properties.memoryPoolsSupported = 1;
    properties.ECCEnabled = 1;
    properties.globalL1CacheSupported = 1;
    properties.localL1CacheSupported = 1;
}

void set_execution(cudaDeviceProp& properties) {
    properties.regsPerBlock = 65536;
    properties.regsPerMultiprocessor = 65536;
    properties.warpSize = 32;
    properties.maxThreadsPerBlock = 1024;
    properties.maxThreadsDim[0] = 1024;
    properties.maxThreadsDim[1] = 1024;
    properties.maxThreadsDim[2] = 64;
    properties.maxGridSize[0] = 2147483647;
    properties.maxGridSize[1] = 65535;
    properties.maxGridSize[2] = 65535;
    properties.multiProcessorCount = 132;
    properties.maxThreadsPerMultiProcessor = 2048;
    properties.maxBlocksPerMultiProcessor = 32;
    properties.concurrentKernels = 1;
    properties.asyncEngineCount = 3;
    properties.streamPrioritiesSupported = 1;
    properties.computePreemptionSupported = 1;
    properties.cooperativeLaunch = 1;
}

}  // namespace

cudaDeviceProp device_properties(std::size_t total_memory, int capability) {
    cudaDeviceProp properties;
    std::memset(&properties, 0, sizeof properties);
    std::strcpy(properties.name, "virtual GPU");
    properties.major = capability / 10;
    properties.minor = capability % 10;
    properties.pciBusID = 1;
    properties.hostNumaId = -1;
    properties.deviceNumaId = -1;
    set_memory(properties, total_memory);
    set_execution(properties);
    set_textures(properties);
    return properties;
}

std::optional<int> device_attribute(cudaDeviceAttr attribute, const cudaDeviceProp& p) {
    const auto number = [](auto value) { return static_cast<int>(value); };
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            return p.maxThreadsPerBlock;
        case cudaDevAttrMaxBlockDimX:
            return p.maxThreadsDim[0];
        case cudaDevAttrMaxBlockDimY:
            return p.maxThreadsDim[1];
        case cudaDevAttrMaxBlockDimZ:
            return p.maxThreadsDim[2];
        case cudaDevAttrMaxGridDimX:
            return p.maxGridSize[0];
        case cudaDevAttrMaxGridDimY:
            return p.maxGridSize[1];
        case cudaDevAttrMaxGridDimZ:
            return p.maxGridSize[2];
        case cudaDevAttrMaxSharedMemoryPerBlock:
            return number(p.sharedMemPerBlock);
        case cudaDevAttrTotalConstantMemory:
            return number(p.totalConstMem);
        case cudaDevAttrWarpSize:
            return p.warpSize;
        case cudaDevAttrMaxPitch:
            return number(p.memPitch);
        case cudaDevAttrMaxRegistersPerBlock:
            return p.regsPerBlock;
        case cudaDevAttrClockRate:
            return clock_kilohertz;
        case cudaDevAttrTextureAlignment:
            return number(p.textureAlignment);
        case cudaDevAttrGpuOverlap:
            return p.asyncEngineCount > 0;
        case cudaDevAttrMultiProcessorCount:
            return p.multiProcessorCount;
        case cudaDevAttrCanMapHostMemory:
            return p.canMapHostMemory;
        case cudaDevAttrMaxTexture1DWidth:
            return p.maxTexture1D;
        case cudaDevAttrMaxTexture2DWidth:
            return p.maxTexture2D[0];
        case cudaDevAttrMaxTexture2DHeight:
            return p.maxTexture2D[1];
        case cudaDevAttrMaxTexture3DWidth:
            return p.maxTexture3D[0];
        case cudaDevAttrMaxTexture3DHeight:
            return p.maxTexture3D[1];
        case cudaDevAttrMaxTexture3DDepth:
            return p.maxTexture3D[2];
        case cudaDevAttrSurfaceAlignment:
            return number(p.surfaceAlignment);
        case cudaDevAttrConcurrentKernels:
            return p.concurrentKernels;
        case cudaDevAttrEccEnabled:
            return p.ECCEnabled;
        case cudaDevAttrPciBusId:
            return p.pciBusID;
        case cudaDevAttrPciDeviceId:
            return p.pciDeviceID;
        case cudaDevAttrPciDomainId:
            return p.pciDomainID;
        case cudaDevAttrMemoryClockRate:
            return memory_clock_kilohertz;
        case cudaDevAttrGlobalMemoryBusWidth:
            return p.memoryBusWidth;
        case cudaDevAttrL2CacheSize:
            return p.l2CacheSize;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            return p.maxThreadsPerMultiProcessor;
        case cudaDevAttrAsyncEngineCount:
            return p.asyncEngineCount;
        case cudaDevAttrUnifiedAddressing:
            return p.unifiedAddressing;
        case cudaDevAttrTexturePitchAlignment:
            return number(p.texturePitchAlignment);
        case cudaDevAttrComputeCapabilityMajor:
            return p.major;
        case cudaDevAttrComputeCapabilityMinor:
            return p.minor;
        case cudaDevAttrStreamPrioritiesSupported:
            return p.streamPrioritiesSupported;
        case cudaDevAttrGlobalL1CacheSupported:
            return p.globalL1CacheSupported;
        case cudaDevAttrLocalL1CacheSupported:
            return p.localL1CacheSupported;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return number(p.sharedMemPerMultiprocessor);
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            return p.regsPerMultiprocessor;
        case cudaDevAttrManagedMemory:
            return p.managedMemory;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio:
            return 2;
        case cudaDevAttrConcurrentManagedAccess:
            return p.concurrentManagedAccess;
        case cudaDevAttrComputePreemptionSupported:
            return p.computePreemptionSupported;
        case cudaDevAttrCanUseHostPointerForRegisteredMem:
            return p.canUseHostPointerForRegisteredMem;
        case cudaDevAttrCooperativeLaunch:
            return p.cooperativeLaunch;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            return number(p.sharedMemPerBlockOptin);
        case cudaDevAttrHostRegisterSupported:
            return p.hostRegisterSupported;
        case cudaDevAttrHostRegisterReadOnlySupported:
            return p.hostRegisterReadOnlySupported;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            return p.maxBlocksPerMultiProcessor;
        case cudaDevAttrReservedSharedMemoryPerBlock:
            return number(p.reservedSharedMemPerBlock);
        case cudaDevAttrMemoryPoolsSupported:
            return p.memoryPoolsSupported;
        case cudaDevAttrNumaId:
        case cudaDevAttrHostNumaId:
            return -1;
        default:
            break;
    }
    // The others are features that the virtual GPU lacks, or are off.
    return attribute > 0 && attribute < cudaDevAttrMax ? std::optional<int>(0) : std::nullopt;
}

}  // namespace vram::virtual_gpu
