// Small kernels whose results are determined: free of races, in arithmetic that every device rounds
// alike.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace vram::differential {

struct KernelCall {
    std::uint32_t* out = nullptr;
    const std::uint32_t* in = nullptr;  ///< does not overlap `out`
    unsigned count = 0;                 ///< words of both
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    unsigned blocks = 1;
    unsigned threads = 32;  ///< a multiple of 32
    cudaStream_t stream = nullptr;
};

struct Kernel {
    const char* name;
    void (*launch)(const KernelCall& call);
};

/// Every kernel of the family.
const Kernel* all_kernels(std::size_t& count);

/// Kernels that spoil the context.
enum class Fault { null, far, misaligned, trap, failed_assert };
void launch_fault(Fault fault, std::uint32_t* memory);

void launch_with_shape(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                       cudaStream_t stream);

extern const void* const symbol_words;  ///< __device__ uint32_t[64]
constexpr std::size_t symbol_bytes = 256;
const void* empty_kernel();

}  // namespace vram::differential
