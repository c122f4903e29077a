// cudaFree and cudaFreeHost, of what they may be given and of what they may not.
#include <cstdint>
#include <cstdlib>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

char* device_block(std::size_t bytes) {
    void* p = nullptr;
    cudaMalloc(&p, bytes);
    return static_cast<char*>(p);
}

PROBE(free_device) {
    char* p = device_block(4096);
    fact("cudaFree of a null pointer", cudaFree(nullptr));
    fact("cudaFree of an address inside a block", cudaFree(p + 4));
    fact("cudaFree of an address 512 bytes inside a block", cudaFree(p + 512));
    fact("cudaFree after those", cudaFree(p));
    fact("a second cudaFree", cudaFree(p));
    fact("error slot after a second cudaFree, read twice",
         {cudaGetLastError(), cudaGetLastError()});
    fact("a third cudaFree", cudaFree(p));
    char* next = nullptr;
    fact("cudaMalloc after a double free", cudaMalloc(reinterpret_cast<void**>(&next), 4096));
    fact("cudaMemset after a double free", cudaMemset(next, 1, 4096));
    cudaFree(next);
}

PROBE(free_large_device) {
    char* p = device_block(std::size_t{64} << 20);
    fact("cudaFree 2 MiB inside a block of 64 MiB", cudaFree(p + (std::size_t{2} << 20)));
    fact("cudaFree of 64 MiB", cudaFree(p));
    fact("a second cudaFree of 64 MiB", cudaFree(p));
}

PROBE(free_other_memory) {
    int on_stack = 0;
    static int in_data = 0;
    void* heap = std::malloc(64);
    fact("cudaFree of a stack address", cudaFree(&on_stack));
    fact("cudaFree of static storage", cudaFree(&in_data));
    fact("cudaFree of malloc memory", cudaFree(heap));
    fact("cudaFree of an address that nobody handed out",
         cudaFree(reinterpret_cast<void*>(0xdeadbeef00)));
    fact("cudaFree of a small number", cudaFree(reinterpret_cast<void*>(16)));
    fact("cudaFree of a kernel's address", cudaFree(const_cast<void*>(kernel_nothing())));
    void* symbol = nullptr;
    cudaGetSymbolAddress(&symbol, symbol_table);
    fact("cudaFree of a __device__ variable", cudaFree(symbol));
    cudaGetSymbolAddress(&symbol, symbol_managed);
    fact("cudaFree of a __managed__ variable", cudaFree(symbol));
    std::free(heap);
}

PROBE(free_pitched) {
    void* p = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&p, &pitch, 100, 10);
    fact("cudaFree of the second row", cudaFree(static_cast<char*>(p) + pitch));
    fact("cudaFree of pitched memory", cudaFree(p));
    fact("a second cudaFree of pitched memory", cudaFree(p));
}

PROBE(free_managed) {
    void* p = nullptr;
    cudaMallocManaged(&p, 4096);
    fact("cudaFree inside managed memory", cudaFree(static_cast<char*>(p) + 16));
    fact("cudaFreeHost of managed memory", cudaFreeHost(p));
    fact("cudaFree of managed memory", cudaFree(p));
    fact("a second cudaFree of managed memory", cudaFree(p));
}

PROBE(free_pinned) {
    void* p = nullptr;
    cudaMallocHost(&p, 4096);
    fact("cudaFree of pinned memory", cudaFree(p));
    fact("cudaFreeHost inside pinned memory", cudaFreeHost(static_cast<char*>(p) + 16));
    fact("cudaFreeHost of pinned memory", cudaFreeHost(p));
    fact("a second cudaFreeHost", cudaFreeHost(p));
    fact("cudaFreeHost of a null pointer", cudaFreeHost(nullptr));
    int on_stack = 0;
    void* heap = std::malloc(64);
    fact("cudaFreeHost of a stack address", cudaFreeHost(&on_stack));
    fact("cudaFreeHost of malloc memory", cudaFreeHost(heap));
    std::free(heap);
    char* device = device_block(4096);
    fact("cudaFreeHost of device memory", cudaFreeHost(device));
    fact("cudaFree of it after that", cudaFree(device));
}

PROBE(free_stream_ordered) {
    void* p = nullptr;
    cudaMallocAsync(&p, 4096, nullptr);
    fact("cudaFree inside cudaMallocAsync memory", cudaFree(static_cast<char*>(p) + 512));
    fact("cudaFreeHost of cudaMallocAsync memory", cudaFreeHost(p));
    fact("cudaFree of cudaMallocAsync memory", cudaFree(p));
    fact("a second cudaFree of cudaMallocAsync memory", cudaFree(p));
    cudaDeviceSynchronize();
}

PROBE_ALONE(reset) {
    char* p = device_block(4096);
    void* pinned = nullptr;
    cudaMallocHost(&pinned, 64);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    fact("cudaDeviceReset", cudaDeviceReset());
    fact("cudaFree of memory from before the reset", cudaFree(p));
    fact("error slot after it, twice", {cudaGetLastError(), cudaGetLastError()});
    fact("cudaFreeHost of memory from before the reset", cudaFreeHost(pinned));
    cudaPointerAttributes attributes{};
    const cudaError_t result = cudaPointerGetAttributes(&attributes, p);
    fact("cudaPointerGetAttributes of memory from before the reset", {result, attributes.type});
    fact("cudaMemset of memory from before the reset", cudaMemset(p, 0, 16));
    void* again = nullptr;
    fact("cudaMalloc after a reset", cudaMalloc(&again, 4096));
    fact("cudaFree after a reset", cudaFree(again));
    launch_nothing();
    fact("a launch after a reset", {cudaGetLastError(), cudaDeviceSynchronize()});
    fact("a second cudaDeviceReset", cudaDeviceReset());
}

PROBE_ALONE(first_call_is_free) {
    fact("cudaFree of a null pointer as the first call", cudaFree(nullptr));
    fact("cudaFree of a wild pointer as the second call",
         cudaFree(reinterpret_cast<void*>(0x123400)));
}

PROBE_ALONE(first_call_is_wrong_free) {
    fact("cudaFree of a wild pointer as the first call",
         cudaFree(reinterpret_cast<void*>(0x123400)));
}

PROBE_ALONE(first_call_is_wrong_copy) {
    char here[16] = {};
    fact("cudaMemcpy to a wild pointer as the first call",
         cudaMemcpy(reinterpret_cast<void*>(0x123400), here, 16, cudaMemcpyHostToDevice));
}

}  // namespace
}  // namespace vram::conformance
