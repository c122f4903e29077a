// What cudaMalloc and its kin hand out, and what it costs.
#include <cstdint>
#include <vector>

#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;
constexpr std::size_t too_much = std::size_t{1} << 50;

std::size_t modulo(const void* pointer, std::size_t divisor) {
    return reinterpret_cast<std::uintptr_t>(pointer) % divisor;
}

std::size_t available() {
    std::size_t free_bytes = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    return free_bytes;
}

/// Bytes of free memory that went since `before`; negative when some came back.
long long spent_since(std::size_t before) {
    return static_cast<long long>(before) - static_cast<long long>(available());
}

PROBE(malloc_arguments) {
    void* p = never_written();
    fact("cudaMalloc of 0 bytes", {cudaMalloc(&p, 0), p});
    fact("cudaMalloc into a null pointer", cudaMalloc(static_cast<void**>(nullptr), 16));
    fact("cudaMalloc of 0 bytes into a null pointer", cudaMalloc(static_cast<void**>(nullptr), 0));
    p = never_written();
    fact("cudaMalloc of 2^50 bytes", {cudaMalloc(&p, too_much), p});
    fact("error slot after it, read twice", {cudaGetLastError(), cudaGetLastError()});
    fact("the next cudaMalloc", cudaMalloc(&p, 16));
    cudaFree(p);
    p = never_written();
    fact("cudaMalloc of SIZE_MAX", {cudaMalloc(&p, SIZE_MAX), p});
    p = never_written();
    fact("cudaMalloc of SIZE_MAX / 2", {cudaMalloc(&p, SIZE_MAX / 2), p});
}

PROBE(malloc_alignment) {
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{4}, std::size_t{100}, std::size_t{513}, 5000 * std::size_t{1},
          mebibyte, mebibyte + 1, 3 * mebibyte}) {
        void* p = nullptr;
        cudaMalloc(&p, bytes);
        fact("address modulo 512 of " + std::to_string(bytes) + " bytes", modulo(p, 512));
        cudaFree(p);
    }
}

PROBE_ALONE(malloc_distances) {
    for (const std::size_t bytes : {1, 512, 513, 4096, 5000}) {
        char* first = nullptr;
        char* second = nullptr;
        cudaMalloc(reinterpret_cast<void**>(&first), bytes);
        cudaMalloc(reinterpret_cast<void**>(&second), bytes);
        fact("distance of two new blocks of " + std::to_string(bytes) + " bytes", second - first);
        cudaFree(second);
        cudaFree(first);
    }
}

PROBE_ALONE(malloc_chunk_start) {
    for (const std::size_t bytes : {mebibyte, mebibyte + 1, 2 * mebibyte, 5 * mebibyte}) {
        void* p = nullptr;
        cudaMalloc(&p, bytes);
        fact("a first block of " + std::to_string(bytes) + " bytes starts a 2 MiB page",
             modulo(p, 2 * mebibyte) == 0);
        cudaFree(p);
    }
}

PROBE_ALONE(malloc_first_cost) {
    for (const std::size_t bytes :
         {std::size_t{1}, 4 * kibibyte, 64 * kibibyte, mebibyte, mebibyte + 1, 2 * mebibyte,
          2 * mebibyte + 1, 3 * mebibyte, 5 * mebibyte, 64 * mebibyte, 65 * mebibyte}) {
        const std::size_t before = available();
        void* p = nullptr;
        cudaMalloc(&p, bytes);
        fact("free memory that a first block of " + std::to_string(bytes) + " bytes costs",
             spent_since(before));
        cudaFree(p);
        fact("free memory missing after its cudaFree of " + std::to_string(bytes) + " bytes",
             spent_since(before));
    }
}

PROBE_ALONE(malloc_shared_chunks) {
    const std::size_t before = available();
    void* p[3] = {};
    cudaMalloc(&p[0], 4 * kibibyte);
    fact("cost of 4 KiB", spent_since(before));
    cudaMalloc(&p[1], 4 * kibibyte);
    fact("cost of 4 KiB and 4 KiB", spent_since(before));
    cudaMalloc(&p[2], mebibyte);
    fact("cost of 4 KiB, 4 KiB and 1 MiB", spent_since(before));
    cudaFree(p[0]);
    cudaFree(p[2]);
    fact("cost after all but one 4 KiB block were freed", spent_since(before));
    cudaFree(p[1]);
    fact("cost after the last was freed", spent_since(before));
}

PROBE_ALONE(malloc_many) {
    const std::size_t before = available();
    std::vector<void*> blocks(1024);
    for (void*& block : blocks) {
        cudaMalloc(&block, 4 * kibibyte);
    }
    fact("cost of 1024 blocks of 4 KiB", spent_since(before));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i % 512 != 0) {
            cudaFree(blocks[i]);
        }
    }
    fact("cost after all but one in 512 were freed", spent_since(before));
    cudaFree(blocks[0]);
    cudaFree(blocks[512]);
    fact("cost after all 1024 were freed", spent_since(before));

    std::vector<void*> megabytes(4);
    for (void*& block : megabytes) {
        cudaMalloc(&block, mebibyte);
    }
    fact("cost of 4 blocks of 1 MiB", spent_since(before));
    cudaFree(megabytes[0]);
    cudaFree(megabytes[2]);
    fact("cost after every other 1 MiB block was freed", spent_since(before));
    cudaFree(megabytes[1]);
    cudaFree(megabytes[3]);

    for (std::size_t i = 0; i < 513; ++i) {
        cudaMalloc(&blocks[i], 1);
    }
    fact("cost of 513 blocks of 1 byte", spent_since(before));
    for (std::size_t i = 0; i < 513; ++i) {
        cudaFree(blocks[i]);
    }
}

PROBE_ALONE(malloc_reuse) {
    char* first = nullptr;
    char* keep = nullptr;
    char* again = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&first), 4096);
    cudaMalloc(reinterpret_cast<void**>(&keep), 4096);
    cudaFree(first);
    cudaMalloc(reinterpret_cast<void**>(&again), 4096);
    fact("a freed 4 KiB block's address comes back for the next of the same size", again == first);
    cudaFree(again);
    cudaMalloc(reinterpret_cast<void**>(&again), 1024);
    fact("a freed 4 KiB block's address comes back for 1 KiB", again == first);
    cudaFree(again);
    cudaFree(keep);
}

PROBE(pitches) {
    for (const std::size_t width :
         {1, 4, 100, 400, 511, 512, 513, 1000, 4000, 4096, 4100, 10000, 100000}) {
        void* p = nullptr;
        std::size_t pitch = 0;
        cudaMallocPitch(&p, &pitch, width, 3);
        fact("pitch for rows of " + std::to_string(width) + " bytes", {pitch, modulo(p, 512)});
        cudaFree(p);
    }
}

PROBE(pitch_arguments) {
    void* p = never_written();
    std::size_t pitch = 7;
    fact("cudaMallocPitch of 0 x 0", {cudaMallocPitch(&p, &pitch, 0, 0), p, pitch});
    p = never_written();
    pitch = 7;
    fact("cudaMallocPitch of 100 bytes x 0 rows", {cudaMallocPitch(&p, &pitch, 100, 0), p, pitch});
    p = never_written();
    pitch = 7;
    fact("cudaMallocPitch of 0 bytes x 100 rows", {cudaMallocPitch(&p, &pitch, 0, 100), p, pitch});
    fact("cudaMallocPitch into a null pointer",
         cudaMallocPitch(static_cast<void**>(nullptr), &pitch, 100, 10));
    p = never_written();
    fact("cudaMallocPitch without a place for the pitch",
         {cudaMallocPitch(&p, nullptr, 100, 10), p});
    p = never_written();
    pitch = 7;
    fact("cudaMallocPitch whose size overflows",
         {cudaMallocPitch(&p, &pitch, std::size_t{1} << 40, std::size_t{1} << 40), p, pitch});
    p = never_written();
    pitch = 7;
    fact("cudaMallocPitch of SIZE_MAX bytes a row",
         {cudaMallocPitch(&p, &pitch, SIZE_MAX, 1), p, pitch});
    p = never_written();
    pitch = 7;
    fact("cudaMallocPitch of 2^50 bytes",
         {cudaMallocPitch(&p, &pitch, std::size_t{1} << 20, std::size_t{1} << 30), p, pitch});
}

PROBE(malloc_3d) {
    cudaPitchedPtr made{never_written(), 7, 7, 7};
    fact("cudaMalloc3D of 100 x 5 x 3", {cudaMalloc3D(&made, make_cudaExtent(100, 5, 3)), made.ptr,
                                         made.pitch, made.xsize, made.ysize});
    cudaFree(made.ptr);
    made = {never_written(), 7, 7, 7};
    fact("cudaMalloc3D of 100 x 5 x 0", {cudaMalloc3D(&made, make_cudaExtent(100, 5, 0)), made.ptr,
                                         made.pitch, made.xsize, made.ysize});
    made = {never_written(), 7, 7, 7};
    fact("cudaMalloc3D of 0 x 5 x 3", {cudaMalloc3D(&made, make_cudaExtent(0, 5, 3)), made.ptr,
                                       made.pitch, made.xsize, made.ysize});
    fact("cudaMalloc3D into a null pointer", cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)));
    made = {never_written(), 7, 7, 7};
    fact("cudaMalloc3D of 2^50 bytes",
         {cudaMalloc3D(&made, make_cudaExtent(1 << 20, 1 << 15, 1 << 15)), made.ptr, made.pitch,
          made.xsize, made.ysize});
}

PROBE(managed_arguments) {
    void* p = never_written();
    fact("cudaMallocManaged of 0 bytes", {cudaMallocManaged(&p, 0), p});
    fact("cudaMallocManaged into a null pointer",
         cudaMallocManaged(static_cast<void**>(nullptr), 16));
    for (const unsigned flags : {0u, 1u, 2u, 3u, 4u, 8u}) {
        p = never_written();
        const cudaError_t result = cudaMallocManaged(&p, 16, flags);
        fact("cudaMallocManaged with flags " + std::to_string(flags), {result, p});
        if (result == cudaSuccess) {
            cudaFree(p);
        }
    }
    cudaMallocManaged(&p, 100);
    fact("managed memory's address modulo 512", modulo(p, 512));
    *static_cast<int*>(p) = 41;
    ++*static_cast<int*>(p);
    fact("the host writes and reads managed memory", *static_cast<int*>(p));
    cudaFree(p);
}

PROBE(pinned_arguments) {
    void* p = never_written();
    fact("cudaMallocHost of 0 bytes", {cudaMallocHost(&p, 0), p});
    fact("cudaMallocHost into a null pointer", cudaMallocHost(static_cast<void**>(nullptr), 16));
    p = never_written();
    fact("cudaMallocHost of 2^50 bytes", {cudaMallocHost(&p, too_much), p});
    p = never_written();
    fact("cudaHostAlloc of 0 bytes", {cudaHostAlloc(&p, 0, cudaHostAllocDefault), p});
    fact("cudaHostAlloc into a null pointer",
         cudaHostAlloc(static_cast<void**>(nullptr), 16, cudaHostAllocDefault));
    for (const unsigned flags : {1u, 2u, 4u, 7u, 8u, 16u, 128u}) {
        p = never_written();
        const cudaError_t result = cudaHostAlloc(&p, 100, flags);
        fact("cudaHostAlloc with flags " + std::to_string(flags), {result, p});
        if (result == cudaSuccess) {
            unsigned seen = 99;
            const cudaError_t got = cudaHostGetFlags(&seen, p);
            fact("cudaHostGetFlags of memory with flags " + std::to_string(flags), {got, seen});
            cudaFreeHost(p);
        }
    }
    cudaMallocHost(&p, 100);
    fact("pinned memory's address modulo 512", modulo(p, 512));
    unsigned seen = 99;
    fact("cudaHostGetFlags of cudaMallocHost memory", {cudaHostGetFlags(&seen, p), seen});
    fact("cudaHostGetFlags of an interior address",
         {cudaHostGetFlags(&seen, static_cast<char*>(p) + 10), seen});
    fact("cudaHostGetFlags without a place", cudaHostGetFlags(nullptr, p));
    cudaFreeHost(p);
    std::vector<char> heap(64);
    fact("cudaHostGetFlags of pageable memory", cudaHostGetFlags(&seen, heap.data()));
    cudaMalloc(&p, 64);
    fact("cudaHostGetFlags of device memory", cudaHostGetFlags(&seen, p));
    cudaFree(p);
}

PROBE(host_device_pointers) {
    void* pinned = nullptr;
    void* device = nullptr;
    void* managed = nullptr;
    std::vector<char> heap(64);
    cudaMallocHost(&pinned, 100);
    cudaMalloc(&device, 100);
    cudaMallocManaged(&managed, 100);
    void* out = never_written();
    fact("cudaHostGetDevicePointer of pinned memory",
         {cudaHostGetDevicePointer(&out, pinned, 0), out == pinned});
    out = never_written();
    fact("cudaHostGetDevicePointer of an interior address",
         {cudaHostGetDevicePointer(&out, static_cast<char*>(pinned) + 8, 0),
          out == static_cast<char*>(pinned) + 8});
    out = never_written();
    fact("cudaHostGetDevicePointer with flags 1", {cudaHostGetDevicePointer(&out, pinned, 1), out});
    out = never_written();
    fact("cudaHostGetDevicePointer of pageable memory",
         {cudaHostGetDevicePointer(&out, heap.data(), 0), out});
    out = never_written();
    fact("cudaHostGetDevicePointer of device memory",
         {cudaHostGetDevicePointer(&out, device, 0), out});
    out = never_written();
    fact("cudaHostGetDevicePointer of managed memory",
         {cudaHostGetDevicePointer(&out, managed, 0), out == managed});
    out = never_written();
    fact("cudaHostGetDevicePointer of a null pointer",
         {cudaHostGetDevicePointer(&out, nullptr, 0), out});
    fact("cudaHostGetDevicePointer without a place", cudaHostGetDevicePointer(nullptr, pinned, 0));
    cudaFree(managed);
    cudaFree(device);
    cudaFreeHost(pinned);
}

PROBE(host_registration) {
    constexpr std::size_t page = 4096;
    alignas(4096) static char memory[4 * page];
    fact("cudaHostRegister of a null pointer", cudaHostRegister(nullptr, page, 0));
    fact("cudaHostRegister of 0 bytes", cudaHostRegister(memory, 0, 0));
    fact("cudaHostRegister with unknown flags", cudaHostRegister(memory, page, 0x100));
    fact("cudaHostRegister of two pages", cudaHostRegister(memory, 2 * page, 0));
    unsigned flags = 99;
    fact("cudaHostGetFlags of registered memory", {cudaHostGetFlags(&flags, memory), flags});
    fact("cudaHostRegister of the same pages again", cudaHostRegister(memory, 2 * page, 0));
    fact("cudaHostRegister of overlapping pages", cudaHostRegister(memory + page, 2 * page, 0));
    fact("cudaFreeHost of registered memory", cudaFreeHost(memory));
    fact("cudaFree of registered memory", cudaFree(memory));
    fact("cudaHostUnregister of an interior address", cudaHostUnregister(memory + 64));
    fact("cudaHostUnregister", cudaHostUnregister(memory));
    fact("cudaHostUnregister a second time", cudaHostUnregister(memory));
    fact("cudaHostUnregister of a null pointer", cudaHostUnregister(nullptr));
    fact("cudaHostRegister of an address within a page", cudaHostRegister(memory + 100, 200, 0));
    fact("cudaHostUnregister of an address within a page", cudaHostUnregister(memory + 100));
    void* pinned = nullptr;
    cudaMallocHost(&pinned, page);
    fact("cudaHostRegister of pinned memory", cudaHostRegister(pinned, page, 0));
    fact("cudaHostUnregister of cudaMallocHost memory", cudaHostUnregister(pinned));
    cudaFreeHost(pinned);
    void* device = nullptr;
    cudaMalloc(&device, page);
    fact("cudaHostRegister of device memory", cudaHostRegister(device, page, 0));
    cudaFree(device);
}

PROBE(memory_info_arguments) {
    std::size_t bytes = 0;
    fact("cudaMemGetInfo without a place for free", cudaMemGetInfo(nullptr, &bytes));
    fact("cudaMemGetInfo without a place for total", cudaMemGetInfo(&bytes, nullptr));
    std::size_t free_bytes = 0;
    fact("cudaMemGetInfo",
         {cudaMemGetInfo(&free_bytes, &bytes), free_bytes <= bytes, free_bytes > bytes / 2});
}

}  // namespace
}  // namespace vram::conformance
