// Copies: directions, sizes, pitches, contents.
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

constexpr std::array directions = {cudaMemcpyHostToHost, cudaMemcpyHostToDevice,
                                   cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
                                   cudaMemcpyDefault};

/// One block of each class of memory.
class Memory {
  public:
    explicit Memory(std::size_t bytes) : pageable_(bytes) {
        cudaMalloc(&device_, bytes);
        cudaMallocHost(&pinned_, bytes);
        cudaMallocManaged(&managed_, bytes);
        cudaMemset(device_, 0, bytes);
        std::memset(pinned_, 0, bytes);
        std::memset(managed_, 0, bytes);
    }
    ~Memory() {
        cudaFree(managed_);
        cudaFreeHost(pinned_);
        cudaFree(device_);
    }
    Memory(const Memory&) = delete;

    char* pageable() { return pageable_.data(); }
    char* device() { return static_cast<char*>(device_); }
    char* pinned() { return static_cast<char*>(pinned_); }
    char* managed() { return static_cast<char*>(managed_); }
    std::vector<std::pair<std::string, char*>> all() {
        return {{"pageable", pageable()},
                {"pinned", pinned()},
                {"managed", managed()},
                {"device", device()}};
    }

  private:
    std::vector<char> pageable_;
    void* device_ = nullptr;
    void* pinned_ = nullptr;
    void* managed_ = nullptr;
};

PROBE(directions_by_memory) {
    Memory to(256);
    Memory from(256);
    for (const auto& [to_name, to_pointer] : to.all()) {
        for (const auto& [from_name, from_pointer] : from.all()) {
            std::vector<cudaError_t> results;
            for (const cudaMemcpyKind kind : directions) {
                results.push_back(cudaMemcpy(to_pointer, from_pointer, 256, kind));
            }
            fact("cudaMemcpy " + from_name + " to " + to_name + ", by kind",
                 {results[0], results[1], results[2], results[3], results[4]});
        }
    }
}

PROBE(directions_by_memory_async) {
    Memory to(256);
    Memory from(256);
    for (const auto& [to_name, to_pointer] : to.all()) {
        for (const auto& [from_name, from_pointer] : from.all()) {
            std::vector<cudaError_t> results;
            for (const cudaMemcpyKind kind : directions) {
                results.push_back(cudaMemcpyAsync(to_pointer, from_pointer, 256, kind));
                cudaDeviceSynchronize();
            }
            fact("cudaMemcpyAsync " + from_name + " to " + to_name + ", by kind",
                 {results[0], results[1], results[2], results[3], results[4]});
        }
    }
}

PROBE(copy_arguments) {
    Memory memory(128);
    char* const device = memory.device();
    char* const host = memory.pageable();
    fact("copy with kind 5", cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(5)));
    fact("copy with kind 7", cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(7)));
    fact("copy with kind -1", cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(-1)));
    fact("copy of 0 bytes", cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
    fact("copy of 0 bytes with kind 7",
         cudaMemcpy(device, host, 0, static_cast<cudaMemcpyKind>(7)));
    fact("copy of 0 bytes, both null", cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    fact("copy of 0 bytes in the wrong direction",
         cudaMemcpy(device, host, 0, cudaMemcpyDeviceToHost));
    fact("copy to null", cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
    fact("copy from null to device", cudaMemcpy(device, nullptr, 16, cudaMemcpyHostToDevice));
    fact("copy from null to host", cudaMemcpy(host, nullptr, 16, cudaMemcpyDeviceToHost));
    fact("copy from device to null", cudaMemcpy(nullptr, device, 16, cudaMemcpyDeviceToHost));
    fact("copy from null to null", cudaMemcpy(nullptr, nullptr, 16, cudaMemcpyDeviceToDevice));
    fact("copy to itself", cudaMemcpy(device, device, 64, cudaMemcpyDeviceToDevice));
    fact("async copy with kind 7",
         cudaMemcpyAsync(device, host, 16, static_cast<cudaMemcpyKind>(7)));
    fact("async copy of 0 bytes", cudaMemcpyAsync(device, host, 0, cudaMemcpyHostToDevice));
    fact("async copy to null", cudaMemcpyAsync(nullptr, host, 16, cudaMemcpyHostToDevice));
    cudaDeviceSynchronize();
}

PROBE(copy_bounds) {
    Memory memory(100);
    std::vector<char> host(4 << 20);
    char* const device = memory.device();
    for (const std::size_t bytes : {100, 101, 200, 512, 600, 1 << 20, 3 << 20}) {
        fact("copy of " + std::to_string(bytes) + " bytes to a block of 100",
             cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
        fact("copy of " + std::to_string(bytes) + " bytes from a block of 100",
             cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
    }
    fact("copy to the last byte", cudaMemcpy(device + 99, host.data(), 1, cudaMemcpyHostToDevice));
    fact("copy of two bytes to the last byte",
         cudaMemcpy(device + 99, host.data(), 2, cudaMemcpyHostToDevice));
    fact("copy of one byte past the end",
         cudaMemcpy(device + 100, host.data(), 1, cudaMemcpyHostToDevice));
    fact("copy of 0 bytes past the end",
         cudaMemcpy(device + 100, host.data(), 0, cudaMemcpyHostToDevice));
    fact("copy of 101 bytes, kind default",
         cudaMemcpy(device, host.data(), 101, cudaMemcpyDefault));
    fact("async copy of 101 bytes",
         cudaMemcpyAsync(device, host.data(), 101, cudaMemcpyHostToDevice));
    void* second = nullptr;
    cudaMalloc(&second, 4096);
    fact("copy device to device, source too small",
         cudaMemcpy(second, device, 101, cudaMemcpyDeviceToDevice));
    fact("copy device to device, destination too small",
         cudaMemcpy(device, second, 101, cudaMemcpyDeviceToDevice));
    cudaFree(second);
    void* large = nullptr;
    cudaMalloc(&large, (std::size_t{2} << 20) + 1);
    fact("copy of one byte more than 2 MiB + 1",
         cudaMemcpy(large, host.data(), (std::size_t{2} << 20) + 2, cudaMemcpyHostToDevice));
    cudaFree(large);
    fact("error slot after refused copies", {cudaGetLastError(), cudaGetLastError()});
}

PROBE_ALONE(copy_past_pinned) {
    void* pinned = nullptr;
    void* device = nullptr;
    cudaMallocHost(&pinned, 100);
    cudaMalloc(&device, 8192);
    fact("copy of 101 bytes from a pinned block of 100",
         cudaMemcpy(device, pinned, 101, cudaMemcpyHostToDevice));
    fact("copy of 101 bytes to a pinned block of 100",
         cudaMemcpy(pinned, device, 101, cudaMemcpyDeviceToHost));
}

PROBE_ALONE(copy_past_managed) {
    void* managed = nullptr;
    void* device = nullptr;
    cudaMallocManaged(&managed, 100);
    cudaMalloc(&device, 8192);
    fact("copy of 101 bytes from a managed block of 100",
         cudaMemcpy(device, managed, 101, cudaMemcpyHostToDevice));
    fact("copy of 101 bytes to a managed block of 100",
         cudaMemcpy(managed, device, 101, cudaMemcpyDeviceToHost));
}

PROBE(copy_freed) {
    std::vector<char> host(64);
    void* keep = nullptr;
    void* freed = nullptr;
    cudaMalloc(&keep, 64);
    cudaMalloc(&freed, 64);
    cudaFree(freed);
    fact("copy to a freed block", cudaMemcpy(freed, host.data(), 64, cudaMemcpyHostToDevice));
    fact("copy from a freed block", cudaMemcpy(host.data(), freed, 64, cudaMemcpyDeviceToHost));
    fact("copy from a freed block to a live one",
         cudaMemcpy(keep, freed, 64, cudaMemcpyDeviceToDevice));
    fact("copy of 0 bytes to a freed block",
         cudaMemcpy(freed, host.data(), 0, cudaMemcpyHostToDevice));
    fact("cudaMemset of a freed block", cudaMemset(freed, 0, 64));
    cudaFree(keep);
}

PROBE(copy_2d_arguments) {
    constexpr std::size_t width = 4000;
    constexpr std::size_t rows = 30;
    void* image = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&image, &pitch, width, rows);
    std::vector<char> host(width * (rows + 1));
    const auto copy = [&](std::size_t to_pitch, std::size_t from_pitch, std::size_t bytes,
                          std::size_t count, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
        return cudaMemcpy2D(image, to_pitch, host.data(), from_pitch, bytes, count, kind);
    };
    fact("cudaMemcpy2D", copy(pitch, width, width, rows));
    fact("cudaMemcpy2D, source pitch too small", copy(pitch, 3000, width, rows));
    fact("cudaMemcpy2D, destination pitch too small", copy(3000, width, width, rows));
    fact("cudaMemcpy2D, both pitches too small", copy(10, 10, width, rows));
    fact("cudaMemcpy2D, pitch too small for one row", copy(3000, width, width, 1));
    fact("cudaMemcpy2D of one row too many", copy(pitch, width, width, rows + 1));
    fact("cudaMemcpy2D of width 0", copy(pitch, width, 0, rows));
    fact("cudaMemcpy2D of height 0", copy(pitch, width, width, 0));
    fact("cudaMemcpy2D of width 0 with pitch 0", copy(0, 0, 0, rows));
    fact("cudaMemcpy2D of height 0 with a pitch too small", copy(10, 10, width, 0));
    fact("cudaMemcpy2D of one row with pitch 0", copy(0, 0, width, 1));
    fact("cudaMemcpy2D with kind 7",
         copy(pitch, width, width, rows, static_cast<cudaMemcpyKind>(7)));
    fact("cudaMemcpy2D with kind 7 and a pitch too small",
         copy(10, width, width, rows, static_cast<cudaMemcpyKind>(7)));
    fact("cudaMemcpy2D in the wrong direction",
         copy(pitch, width, width, rows, cudaMemcpyDeviceToHost));
    fact("cudaMemcpy2D to null",
         cudaMemcpy2D(nullptr, pitch, host.data(), width, width, rows, cudaMemcpyHostToDevice));
    fact("cudaMemcpy2D from null",
         cudaMemcpy2D(image, pitch, nullptr, width, width, rows, cudaMemcpyHostToDevice));
    fact("cudaMemcpy2D with a huge pitch", copy(std::size_t{1} << 32, width, width, 1));
    fact("cudaMemcpy2D with a pitch of 2^31", copy(std::size_t{1} << 31, width, width, 1));
    fact("cudaMemcpy2D with a pitch of 2^31 - 1",
         copy((std::size_t{1} << 31) - 1, width, width, 1));
    fact("cudaMemcpy2D, the pitch of one row beyond the block", copy(pitch * 40, width, width, 1));
    fact("cudaMemcpy2DAsync, source pitch too small",
         cudaMemcpy2DAsync(image, pitch, host.data(), 3000, width, rows, cudaMemcpyHostToDevice));
    cudaFree(image);
}

PROBE(copy_2d_last_row) {
    // A block that ends with the data of its last row, without the padding.
    constexpr std::size_t pitch = 512;
    constexpr std::size_t width = 100;
    constexpr std::size_t rows = 4;
    void* block = nullptr;
    cudaMalloc(&block, (rows - 1) * pitch + width);
    std::vector<char> host(pitch * rows);
    fact("cudaMemcpy2D, last row without padding",
         cudaMemcpy2D(block, pitch, host.data(), width, width, rows, cudaMemcpyHostToDevice));
    fact("cudaMemcpy2D back, last row without padding",
         cudaMemcpy2D(host.data(), width, block, pitch, width, rows, cudaMemcpyDeviceToHost));
    fact("cudaMemcpy2D, last row one byte longer",
         cudaMemcpy2D(block, pitch, host.data(), pitch, width + 1, rows, cudaMemcpyHostToDevice));
    fact("cudaMemset2D, last row without padding", cudaMemset2D(block, pitch, 1, width, rows));
    fact("cudaMemset2D, last row one byte longer", cudaMemset2D(block, pitch, 1, width + 1, rows));
    fact("cudaMemcpy2D, pitch equal to the width",
         cudaMemcpy2D(block, width, host.data(), width, width, rows, cudaMemcpyHostToDevice));
    fact("cudaMemcpy2D from the second row on",
         cudaMemcpy2D(static_cast<char*>(block) + pitch, pitch, host.data(), width, width, rows - 1,
                      cudaMemcpyHostToDevice));
    fact("cudaMemcpy2D from the second row on, a row too many",
         cudaMemcpy2D(static_cast<char*>(block) + pitch, pitch, host.data(), width, width, rows,
                      cudaMemcpyHostToDevice));
    cudaFree(block);
}

PROBE(copy_3d_arguments) {
    cudaPitchedPtr volume{};
    const cudaExtent extent = make_cudaExtent(100, 5, 3);
    cudaMalloc3D(&volume, extent);
    std::vector<char> host(100 * 5 * 4);
    const cudaPitchedPtr packed = make_cudaPitchedPtr(host.data(), 100, 100, 5);
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = packed;
    parameters.dstPtr = volume;
    parameters.extent = extent;
    parameters.kind = cudaMemcpyHostToDevice;
    fact("cudaMemcpy3D", cudaMemcpy3D(&parameters));
    fact("cudaMemcpy3D without parameters", cudaMemcpy3D(nullptr));
    cudaMemcpy3DParms changed = parameters;
    changed.extent.depth = 4;
    fact("cudaMemcpy3D of one slice too many", cudaMemcpy3D(&changed));
    changed = parameters;
    changed.extent.depth = 0;
    fact("cudaMemcpy3D of depth 0", cudaMemcpy3D(&changed));
    changed = parameters;
    changed.kind = static_cast<cudaMemcpyKind>(7);
    fact("cudaMemcpy3D with kind 7", cudaMemcpy3D(&changed));
    changed = parameters;
    changed.kind = cudaMemcpyDeviceToHost;
    fact("cudaMemcpy3D in the wrong direction", cudaMemcpy3D(&changed));
    changed = parameters;
    changed.srcPtr.pitch = 50;
    fact("cudaMemcpy3D, source pitch too small", cudaMemcpy3D(&changed));
    changed = parameters;
    changed.extent.height = 6;
    fact("cudaMemcpy3D of one row a slice too many", cudaMemcpy3D(&changed));
    changed = parameters;
    changed.dstPtr.ptr = nullptr;
    fact("cudaMemcpy3D to null", cudaMemcpy3D(&changed));
    changed = parameters;
    changed.dstPos = make_cudaPos(0, 0, 1);
    changed.extent.depth = 2;
    fact("cudaMemcpy3D to the second slice on", cudaMemcpy3D(&changed));
    changed.extent.depth = 3;
    fact("cudaMemcpy3D to the second slice on, a slice too many", cudaMemcpy3D(&changed));

    fact("cudaMemset3D", cudaMemset3D(volume, 1, extent));
    fact("cudaMemset3D of width 0", cudaMemset3D(volume, 1, make_cudaExtent(0, 5, 3)));
    fact("cudaMemset3D of one slice too many", cudaMemset3D(volume, 1, make_cudaExtent(100, 5, 4)));
    fact("cudaMemset3D of more than the pitch",
         cudaMemset3D(volume, 1, make_cudaExtent(volume.pitch + 1, 5, 3)));
    cudaFree(volume.ptr);
}

PROBE(copy_contents) {
    Memory memory(1024);
    std::vector<unsigned char> host(1024);
    for (std::size_t i = 0; i < host.size(); ++i) {
        host[i] = static_cast<unsigned char>(i * 7 + 3);
    }
    cudaMemcpy(memory.device(), host.data(), host.size(), cudaMemcpyHostToDevice);
    std::vector<unsigned char> back(1024);
    cudaMemcpy(back.data(), memory.device(), back.size(), cudaMemcpyDeviceToHost);
    fact("bytes come back as they went", back == host);
    cudaMemset(memory.device(), 0x1234, 1024);
    cudaMemcpy(back.data(), memory.device(), back.size(), cudaMemcpyDeviceToHost);
    fact("cudaMemset with 0x1234 writes", {static_cast<int>(back[0]), static_cast<int>(back[1])});
    cudaMemset(memory.device(), -1, 1024);
    cudaMemcpy(back.data(), memory.device(), back.size(), cudaMemcpyDeviceToHost);
    fact("cudaMemset with -1 writes", static_cast<int>(back[0]));
    cudaMemcpy2D(memory.device(), 64, host.data(), 10, 10, 3, cudaMemcpyHostToDevice);
    cudaMemcpy(back.data(), memory.device(), back.size(), cudaMemcpyDeviceToHost);
    fact("cudaMemcpy2D leaves padding alone",
         {std::memcmp(&back[64], &host[10], 10) == 0, static_cast<int>(back[10]),
          static_cast<int>(back[63])});
}

PROBE(set_arguments) {
    Memory memory(100);
    char* const device = memory.device();
    fact("cudaMemset of 100 bytes", cudaMemset(device, 1, 100));
    fact("cudaMemset of 101 bytes in a block of 100", cudaMemset(device, 1, 101));
    fact("cudaMemset of 4 KiB in a block of 100", cudaMemset(device, 1, 4096));
    fact("cudaMemset of 4 MiB in a block of 100", cudaMemset(device, 1, std::size_t{4} << 20));
    fact("cudaMemset of the last byte", cudaMemset(device + 99, 1, 1));
    fact("cudaMemset past the end", cudaMemset(device + 100, 1, 1));
    fact("cudaMemset of 0 bytes", cudaMemset(device, 1, 0));
    fact("cudaMemset of 0 bytes at null", cudaMemset(nullptr, 1, 0));
    fact("cudaMemset at null", cudaMemset(nullptr, 1, 16));
    fact("cudaMemset of pageable memory", cudaMemset(memory.pageable(), 1, 16));
    fact("cudaMemset of 0 bytes of pageable memory", cudaMemset(memory.pageable(), 1, 0));
    fact("cudaMemset of pinned memory", {cudaMemset(memory.pinned(), 7, 16), memory.pinned()[3]});
    fact("cudaMemset of managed memory", cudaMemset(memory.managed(), 7, 16));
    cudaDeviceSynchronize();
    fact("cudaMemsetAsync of 101 bytes in a block of 100", cudaMemsetAsync(device, 1, 101));
    fact("cudaMemsetAsync of pageable memory", cudaMemsetAsync(memory.pageable(), 1, 16));
    cudaDeviceSynchronize();
}

PROBE(set_2d_arguments) {
    void* image = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&image, &pitch, 400, 30);
    fact("cudaMemset2D", cudaMemset2D(image, pitch, 1, 400, 30));
    fact("cudaMemset2D wider than the pitch", cudaMemset2D(image, 100, 1, 400, 30));
    fact("cudaMemset2D wider than the pitch, one row", cudaMemset2D(image, 100, 1, 400, 1));
    fact("cudaMemset2D of the whole pitch", cudaMemset2D(image, pitch, 1, pitch, 30));
    fact("cudaMemset2D of one row too many", cudaMemset2D(image, pitch, 1, 400, 31));
    fact("cudaMemset2D of width 0", cudaMemset2D(image, pitch, 1, 0, 30));
    fact("cudaMemset2D of height 0", cudaMemset2D(image, pitch, 1, 400, 0));
    fact("cudaMemset2D of height 0 wider than the pitch", cudaMemset2D(image, 100, 1, 400, 0));
    fact("cudaMemset2D at null", cudaMemset2D(nullptr, pitch, 1, 400, 30));
    std::vector<char> host(400);
    fact("cudaMemset2D of pageable memory", cudaMemset2D(host.data(), 100, 1, 100, 4));
    cudaFree(image);
}

PROBE(copy_peer) {
    Memory memory(64);
    void* second = nullptr;
    cudaMalloc(&second, 64);
    fact("cudaMemcpyPeer on one device", cudaMemcpyPeer(second, 0, memory.device(), 0, 64));
    fact("cudaMemcpyPeer to device 99", cudaMemcpyPeer(second, 99, memory.device(), 0, 64));
    fact("cudaMemcpyPeer from device 99", cudaMemcpyPeer(second, 0, memory.device(), 99, 64));
    fact("cudaMemcpyPeer of too many bytes", cudaMemcpyPeer(second, 0, memory.device(), 0, 65));
    fact("cudaMemcpyPeer of 0 bytes", cudaMemcpyPeer(second, 0, memory.device(), 0, 0));
    cudaFree(second);
    int can = 7;
    fact("cudaDeviceCanAccessPeer of the device itself",
         {cudaDeviceCanAccessPeer(&can, 0, 0), can});
    fact("cudaDeviceCanAccessPeer of device 99", cudaDeviceCanAccessPeer(&can, 0, 99));
    fact("cudaDeviceEnablePeerAccess of the device itself", cudaDeviceEnablePeerAccess(0, 0));
    fact("cudaDeviceEnablePeerAccess of device 99", cudaDeviceEnablePeerAccess(99, 0));
    fact("cudaDeviceDisablePeerAccess of the device itself", cudaDeviceDisablePeerAccess(0));
    fact("cudaDeviceDisablePeerAccess of device 99", cudaDeviceDisablePeerAccess(99));
}

PROBE_ALONE(symbol_address_without_a_place) {
    fact("cudaGetSymbolAddress without a place", cudaGetSymbolAddress(nullptr, symbol_table));
}

PROBE_ALONE(symbol_size_without_a_place) {
    fact("cudaGetSymbolSize without a place", cudaGetSymbolSize(nullptr, symbol_table));
}

PROBE(symbol_of_a_managed_variable) {
    void* address = never_written();
    std::size_t bytes = 99;
    fact("cudaGetSymbolAddress of a __managed__ variable",
         {cudaGetSymbolAddress(&address, symbol_managed), address == symbol_managed});
    fact("cudaGetSymbolSize of a __managed__ variable",
         {cudaGetSymbolSize(&bytes, symbol_managed), bytes});
    int value = 7;
    fact("cudaMemcpyToSymbol of a __managed__ variable",
         {cudaMemcpyToSymbol(symbol_managed, &value, 4), cudaDeviceSynchronize(),
          *static_cast<const int*>(symbol_managed)});
}

PROBE(copy_2d_single_row) {
    void* block = nullptr;
    cudaMalloc(&block, 1000);
    std::vector<char> host(1000);
    const auto copy = [&](std::size_t to_pitch, std::size_t from_pitch, std::size_t width) {
        return cudaMemcpy2D(block, to_pitch, host.data(), from_pitch, width, 1,
                            cudaMemcpyHostToDevice);
    };
    fact("cudaMemcpy2D of one row, destination pitch 0", copy(0, 500, 500));
    fact("cudaMemcpy2D of one row, source pitch 0", copy(500, 0, 500));
    fact("cudaMemcpy2D of one row, destination pitch 1", copy(1, 500, 500));
    fact("cudaMemcpy2D of one row, source pitch 1", copy(500, 1, 500));
    fact("cudaMemcpy2D of one row that is too long", copy(2000, 2000, 1001));
    fact("cudaMemset2D of one row, pitch 0", cudaMemset2D(block, 0, 1, 500, 1));
    fact("cudaMemset2D of one row that is too long", cudaMemset2D(block, 2000, 1, 1001, 1));
    fact("cudaMemset2D of two rows, pitch 0", cudaMemset2D(block, 0, 1, 500, 2));
    fact("cudaMemcpy2D of two rows, pitch 0",
         cudaMemcpy2D(block, 0, host.data(), 500, 500, 2, cudaMemcpyHostToDevice));
    cudaFree(block);
}

PROBE(symbols) {
    std::vector<int> host(32, 5);
    std::size_t bytes = 0;
    void* address = never_written();
    fact("cudaGetSymbolSize", {cudaGetSymbolSize(&bytes, symbol_table), bytes});
    fact("cudaGetSymbolSize of a constant", {cudaGetSymbolSize(&bytes, symbol_constant), bytes});
    fact("cudaGetSymbolAddress", {cudaGetSymbolAddress(&address, symbol_table), address});
    fact("cudaGetSymbolAddress of a host variable", cudaGetSymbolAddress(&address, host.data()));
    fact("cudaGetSymbolAddress of null", cudaGetSymbolAddress(&address, nullptr));
    fact("cudaGetSymbolSize of a host variable", cudaGetSymbolSize(&bytes, host.data()));
    fact("cudaMemcpyToSymbol", cudaMemcpyToSymbol(symbol_table, host.data(), 64));
    fact("cudaMemcpyToSymbol of 4 bytes too many",
         cudaMemcpyToSymbol(symbol_table, host.data(), 68));
    fact("cudaMemcpyToSymbol with an offset", cudaMemcpyToSymbol(symbol_table, host.data(), 4, 60));
    fact("cudaMemcpyToSymbol with an offset too far",
         cudaMemcpyToSymbol(symbol_table, host.data(), 4, 64));
    fact("cudaMemcpyToSymbol of 0 bytes at the end",
         cudaMemcpyToSymbol(symbol_table, host.data(), 0, 64));
    fact("cudaMemcpyToSymbol of 0 bytes past the end",
         cudaMemcpyToSymbol(symbol_table, host.data(), 0, 65));
    fact("cudaMemcpyToSymbol from null", cudaMemcpyToSymbol(symbol_table, nullptr, 4));
    fact("cudaMemcpyToSymbol to a host variable",
         cudaMemcpyToSymbol(static_cast<const void*>(&host[16]), host.data(), 4));
    fact("cudaMemcpyToSymbol to null",
         cudaMemcpyToSymbol(static_cast<const void*>(nullptr), host.data(), 4));
    fact("cudaMemcpyToSymbol, device to host",
         cudaMemcpyToSymbol(symbol_table, host.data(), 4, 0, cudaMemcpyDeviceToHost));
    fact("cudaMemcpyToSymbol, host to host",
         cudaMemcpyToSymbol(symbol_table, host.data(), 4, 0, cudaMemcpyHostToHost));
    fact("cudaMemcpyToSymbol, device to device",
         cudaMemcpyToSymbol(symbol_table, host.data(), 4, 0, cudaMemcpyDeviceToDevice));
    fact("cudaMemcpyToSymbol, kind default",
         cudaMemcpyToSymbol(symbol_table, host.data(), 4, 0, cudaMemcpyDefault));
    fact("cudaMemcpyToSymbol, kind 7",
         cudaMemcpyToSymbol(symbol_table, host.data(), 4, 0, static_cast<cudaMemcpyKind>(7)));
    std::vector<int> back(16);
    fact("cudaMemcpyFromSymbol",
         {cudaMemcpyFromSymbol(back.data(), symbol_table, 64), back[0], back[15]});
    fact("cudaMemcpyFromSymbol of 4 bytes too many",
         cudaMemcpyFromSymbol(host.data(), symbol_table, 68));
    fact("cudaMemcpyFromSymbol, host to device",
         cudaMemcpyFromSymbol(back.data(), symbol_table, 4, 0, cudaMemcpyHostToDevice));
    fact("cudaMemcpyFromSymbol to null",
         cudaMemcpyFromSymbol(static_cast<void*>(nullptr), symbol_table, 4));
    fact("cudaMemset of a __device__ variable",
         {cudaGetSymbolAddress(&address, symbol_table), cudaMemset(address, 0, 64),
          cudaMemset(address, 0, 65)});
}

}  // namespace
}  // namespace vram::conformance
