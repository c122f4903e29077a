// Moving a telemetry service's samples between the host and the device.
//
// Holds for all functions:
// - Pointers named `device` (or `a` and `b`) are addresses of device memory, those named `host` of
//   host memory, pageable or pinned. Both may point into the middle of a larger block, and nothing
//   outside the stated elements is read or written.
// - Counts, positions and lengths are in floats.
// - Nothing to do (a count or length of zero) is cudaSuccess: device and host pointers may be null
//   and no element is touched.
// - cudaErrorInvalidValue, and nothing is touched: a null pointer where there is something to do, a
//   null out-parameter, a count whose bytes do not fit into size_t.
// - When a function returns, the host may read what it wrote to host memory and change what it read
//   from there. What it wrote to the device is seen by later work on the default stream.
// - Each copy names its true direction, or cudaMemcpyDefault. Source and destination of one copy
//   never overlap.
// - When a runtime call fails, its code is returned; the contents of the destination and of the
//   out-parameter are then unspecified.
// - Scratch memory may be kept from call to call, as long as repeating a call does not add to it.
//   That holds after failures too.
// - Nothing here has to be safe against use from two threads at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Copies `count` floats from the host to the device.
cudaError_t upload(float* device, const float* host, std::size_t count);

/// Copies `count` floats from the device to the host.
cudaError_t download(float* host, const float* device, std::size_t count);

/// Sets `count` floats on the device to `value`, which may be any number.
cudaError_t fill(float* device, float value, std::size_t count);

/// Stores the sum of `count` floats in `*out`; 0 for no elements. They are added as doubles, in any
/// order.
cudaError_t sum(const float* device, std::size_t count, double* out);

/// Stores the first index at which the arrays differ in `*first_difference`, and `count` when they
/// don't. They hold no NaN and no negative zero, so comparing numbers and bytes is the same.
cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference);

/// Copies `length` floats from index `from` to index `to` of one array of `count` floats. The two
/// ranges may overlap: the result is as if the source had been read completely before the first
/// element is written. A range that leaves the array is refused with cudaErrorInvalidValue.
cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length);

/// What kind of memory an address lies in.
enum class Place {
    unregistered,  ///< not known to the runtime: plain host memory, null, or already released
    pinned,        ///< host memory from cudaMallocHost or cudaHostAlloc
    device,        ///< device memory, whichever call allocated it
    managed,       ///< memory from cudaMallocManaged
};

/// The place of `pointer`, also when it is not the first byte of its block. When the runtime can't
/// say, for example because the question itself failed: Place::unregistered.
Place place_of(const void* pointer);
