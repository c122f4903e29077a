// The kernels of the probes, behind functions that launch them, so that the probes themselves need
// no CUDA compiler.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace vram::conformance {

void launch_nothing(cudaStream_t stream = nullptr);
void launch_nothing(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                    cudaStream_t stream = nullptr);
/// Writes 1.0f to p[index].
void launch_poke(float* p, std::size_t index, cudaStream_t stream = nullptr);
/// Writes a float to p + 1, which is no multiple of four.
void launch_misaligned(char* p);
/// p[i] = value for i < count.
void launch_fill(float* p, std::size_t count, float value, cudaStream_t stream = nullptr);
/// Runs for about this many clock cycles.
void launch_spin(long long cycles, cudaStream_t stream = nullptr);
void launch_trap();
void launch_failing_assert();
/// Reads shared memory far beyond what the kernel has.
void launch_shared_out_of_bounds(int index);
/// Writes a float to a shared address that is no multiple of four.
void launch_shared_misaligned();
/// Recursion without an end.
void launch_endless_recursion();
/// A block in which only half of the threads reach the barrier, then end.
void launch_half_barrier();
/// Calls malloc for `bytes` on the device and stores whether it got memory.
void launch_device_malloc(int* got, std::size_t bytes);

const void* kernel_nothing();
const void* kernel_poke();
const void* kernel_static_shared();  ///< 4096 bytes of static shared memory
const void* kernel_bounded();        ///< __launch_bounds__(128)
const void* kernel_dynamic_shared();
const void* kernel_cooperative();  ///< synchronises its grid
const void* kernel_template();

extern const void* const symbol_table;     ///< __device__ int[16]
extern const void* const symbol_constant;  ///< __constant__ float[8]
extern const void* const symbol_managed;   ///< __managed__ int

}  // namespace vram::conformance
