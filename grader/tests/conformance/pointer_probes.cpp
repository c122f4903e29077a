// What cudaPointerGetAttributes says of each kind of address.
#include <cstdlib>
#include <vector>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

std::string same_or_null(const void* seen, const void* asked) {
    if (seen == nullptr) {
        return "null";
    }
    return seen == asked ? "itself" : "another";
}

void tell(Facts& fact, const std::string& name, const void* pointer) {
    cudaPointerAttributes seen{};
    seen.type = static_cast<cudaMemoryType>(77);
    seen.device = 77;
    const cudaError_t result = cudaPointerGetAttributes(&seen, pointer);
    fact("attributes of " + name,
         {result, "type " + Value(seen.type).text(), "device " + Value(seen.device).text(),
          "device pointer " + same_or_null(seen.devicePointer, pointer),
          "host pointer " + same_or_null(seen.hostPointer, pointer)});
}

PROBE(pointer_attributes) {
    char* device = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&device), 1000);
    tell(fact, "device memory", device);
    tell(fact, "an address inside device memory", device + 3);
    tell(fact, "the last byte of device memory", device + 999);
    tell(fact, "the first byte past device memory", device + 1000);
    cudaFree(device);
    tell(fact, "freed device memory", device);
    tell(fact, "a null pointer", nullptr);
    int on_stack = 0;
    tell(fact, "a stack address", &on_stack);
    std::vector<char> heap(64);
    tell(fact, "malloc memory", heap.data());
    fact("attributes without a place", cudaPointerGetAttributes(nullptr, &on_stack));
}

PROBE(pointer_attributes_of_host_memory) {
    void* pinned = nullptr;
    void* managed = nullptr;
    cudaMallocHost(&pinned, 1000);
    cudaMallocManaged(&managed, 1000);
    tell(fact, "pinned memory", pinned);
    tell(fact, "an address inside pinned memory", static_cast<char*>(pinned) + 3);
    tell(fact, "the first byte past pinned memory", static_cast<char*>(pinned) + 1000);
    tell(fact, "managed memory", managed);
    tell(fact, "an address inside managed memory", static_cast<char*>(managed) + 3);
    cudaFreeHost(pinned);
    cudaFree(managed);
    tell(fact, "freed pinned memory", pinned);
    tell(fact, "freed managed memory", managed);
    alignas(4096) static char registered[8192];
    cudaHostRegister(registered, 4096, cudaHostRegisterDefault);
    tell(fact, "registered memory", registered);
    tell(fact, "an address inside registered memory", registered + 7);
    cudaHostUnregister(registered);
    tell(fact, "memory no longer registered", registered);
}

PROBE(pointer_attributes_of_stream_ordered_memory) {
    void* p = nullptr;
    cudaMallocAsync(&p, 1000, nullptr);
    tell(fact, "cudaMallocAsync memory", p);
    cudaFreeAsync(p, nullptr);
    cudaDeviceSynchronize();
    tell(fact, "cudaMallocAsync memory after its free and a wait", p);
}

PROBE(pointer_attributes_of_symbols) {
    void* address = nullptr;
    cudaGetSymbolAddress(&address, symbol_table);
    tell(fact, "a __device__ variable", address);
    cudaGetSymbolAddress(&address, symbol_constant);
    tell(fact, "a __constant__ variable", address);
    cudaGetSymbolAddress(&address, symbol_managed);
    tell(fact, "a __managed__ variable", address);
    tell(fact, "a kernel", kernel_nothing());
}

}  // namespace
}  // namespace vram::conformance
