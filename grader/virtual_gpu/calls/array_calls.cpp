// CUDA arrays: made, freed, asked about, and copied row by row.

#include "grader/virtual_gpu/calls/copy.h"
#include "grader/virtual_gpu/calls/not_supported.h"
#include "grader/virtual_gpu/calls/release.h"
#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/memory/array.h"

namespace vram::virtual_gpu {
namespace {

constexpr unsigned known_flags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
constexpr std::size_t faces_of_a_cube = 6;
constexpr std::size_t most_texels_of_an_axis = 131072;

bool is_sensible(const Array& array) {
    const cudaExtent& extent = array.extent;
    const bool layered = (array.flags & cudaArrayLayered) != 0;
    if (extent.width == 0 || (extent.depth != 0 && extent.height == 0 && !layered))
        return false;
    if (extent.width > most_texels_of_an_axis || extent.height > most_texels_of_an_axis ||
        extent.depth > most_texels_of_an_axis || (layered && extent.depth == 0))
        return false;
    if ((array.flags & cudaArrayTextureGather) != 0 && (extent.height == 0 || extent.depth != 0))
        return false;
    if ((array.flags & cudaArrayCubemap) == 0)
        return true;
    const bool whole_cubes = layered ? extent.depth % faces_of_a_cube == 0 && extent.depth != 0
                                     : extent.depth == faces_of_a_cube;
    return extent.width == extent.height && whole_cubes;
}

cudaError_t allocate_array(cudaArray_t* out, const cudaChannelFormatDesc* format, cudaExtent extent,
                           unsigned flags, const char* name) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!out || !format)
        return cudaErrorInvalidValue;
    if ((flags & ~known_flags) != 0)
        return not_supported(name, "these flags of an array");
    Array array;
    array.format = *format;
    array.extent = extent;
    array.flags = flags;
    if (array.texel_bytes() == 0)
        return cudaErrorInvalidChannelDescriptor;
    if (!is_sensible(array))
        return cudaErrorInvalidValue;
    const std::size_t bytes = array.slice_bytes() * array.slices();
    Card& card = call.card();
    card.scheduler.spend(cost::allocate(bytes, card.memory().fits_mapped_chunk(bytes)));
    array.block = card.memory().allocate(bytes, MemoryKind::device, observer().current_call());
    if (!array.block)
        return cudaErrorMemoryAllocation;
    array.block_id = array.block->id;
    *out = add_array(array);
    return cudaSuccess;
}

/// Rows of `width` bytes from byte `x` of row `y` on; false when they leave the array.
bool rows_of(const Array* array, std::size_t x, std::size_t y, std::size_t width,
             std::size_t height, Box& box) {
    if (!array || x > array->row_bytes() || width > array->row_bytes() - x || y > array->rows() ||
        height > array->rows() - y)
        return false;
    const std::uint64_t address = array->block->begin + y * array->row_bytes() + x;
    box = Box{address, width, height, 1, array->row_bytes(), array->slice_bytes()};
    return true;
}

Box rows_at(const void* pointer, std::size_t pitch, std::size_t width, std::size_t height) {
    return Box{reinterpret_cast<std::uint64_t>(pointer), width, height, 1, pitch, 0};
}

cudaError_t copy_to(cudaArray_t destination, std::size_t x, std::size_t y, const void* source,
                    std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                    cudaStream_t stream, Blocking blocking, const char* name) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (width > pitch)
        return cudaErrorInvalidPitchValue;
    Box to;
    if (!rows_of(find_array(destination), x, y, width, height, to))
        return cudaErrorInvalidValue;
    return copy(call.card(), to, rows_at(source, pitch, width, height), kind, stream, blocking,
                name);
}

cudaError_t copy_from(void* destination, std::size_t pitch, cudaArray_const_t source, std::size_t x,
                      std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream, Blocking blocking, const char* name) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (width > pitch)
        return cudaErrorInvalidPitchValue;
    Box from;
    if (!rows_of(find_array(source), x, y, width, height, from))
        return cudaErrorInvalidValue;
    return copy(call.card(), rows_at(destination, pitch, width, height), from, kind, stream,
                blocking, name);
}

/// `bytes` bytes from byte `x` of row `y` on, going on in the rows below; false when they leave the
/// array.
bool line_of(const Array* array, std::size_t x, std::size_t y, std::size_t bytes, Box& box) {
    if (!array || x > array->row_bytes() || y >= array->rows())
        return false;
    const std::size_t offset = y * array->row_bytes() + x;
    if (bytes > array->slice_bytes() - offset)
        return false;
    box = Box{array->block->begin + offset, bytes, 1, 1, bytes, bytes};
    return true;
}

cudaError_t copy_line_to(cudaArray_t destination, std::size_t x, std::size_t y, const void* source,
                         std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                         Blocking blocking, const char* name) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Box to;
    if (!line_of(find_array(destination), x, y, bytes, to))
        return cudaErrorInvalidValue;
    return copy(call.card(), to, rows_at(source, bytes, bytes, 1), kind, stream, blocking, name);
}

cudaError_t copy_line_from(void* destination, cudaArray_const_t source, std::size_t x,
                           std::size_t y, std::size_t bytes, cudaMemcpyKind kind,
                           cudaStream_t stream, Blocking blocking, const char* name) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Box from;
    if (!line_of(find_array(source), x, y, bytes, from))
        return cudaErrorInvalidValue;
    return copy(call.card(), rows_at(destination, bytes, bytes, 1), from, kind, stream, blocking,
                name);
}

}  // namespace

VIRTUAL_CALL(cudaError_t, cudaMallocArray, cudaArray_t* out, const cudaChannelFormatDesc* format,
             size_t width, size_t height, unsigned int flags) {
    return allocate_array(out, format, cudaExtent{width, height, 0}, flags, "cudaMallocArray");
}

VIRTUAL_CALL(cudaError_t, cudaMalloc3DArray, cudaArray_t* out, const cudaChannelFormatDesc* format,
             cudaExtent extent, unsigned int flags) {
    return allocate_array(out, format, extent, flags, "cudaMalloc3DArray");
}

VIRTUAL_CALL(cudaError_t, cudaFreeArray, cudaArray_t handle) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!handle)
        return cudaSuccess;
    Array* array = find_array(handle);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    const cudaError_t result = free_now(call.card(), *array->block, "cudaFreeArray");
    if (result == cudaSuccess)
        forget_array(handle);
    return result;
}

VIRTUAL_CALL(cudaError_t, cudaArrayGetInfo, cudaChannelFormatDesc* format, cudaExtent* extent,
             unsigned int* flags, cudaArray_t handle) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const Array* array = find_array(handle);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaGetChannelDesc, cudaChannelFormatDesc* format,
             cudaArray_const_t handle) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const Array* array = find_array(handle);
    if (!format || !array)
        return cudaErrorInvalidValue;
    *format = array->format;
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaMemcpy2DToArray, _ptds,
                    (cudaArray_t dst, size_t x, size_t y, const void* src, size_t pitch,
                     size_t width, size_t height, cudaMemcpyKind kind),
                    (dst, x, y, src, pitch, width, height, kind)) {
    return copy_to(dst, x, y, src, pitch, width, height, kind, nullptr, Blocking::yes,
                   "cudaMemcpy2DToArray");
}

VIRTUAL_STREAM_CALL(cudaMemcpy2DToArrayAsync, _ptsz,
                    (cudaArray_t dst, size_t x, size_t y, const void* src, size_t pitch,
                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, x, y, src, pitch, width, height, kind, stream)) {
    return copy_to(dst, x, y, src, pitch, width, height, kind, stream, Blocking::no,
                   "cudaMemcpy2DToArrayAsync");
}

VIRTUAL_STREAM_CALL(cudaMemcpy2DFromArray, _ptds,
                    (void* dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
                     size_t width, size_t height, cudaMemcpyKind kind),
                    (dst, pitch, src, x, y, width, height, kind)) {
    return copy_from(dst, pitch, src, x, y, width, height, kind, nullptr, Blocking::yes,
                     "cudaMemcpy2DFromArray");
}

VIRTUAL_STREAM_CALL(cudaMemcpy2DFromArrayAsync, _ptsz,
                    (void* dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, pitch, src, x, y, width, height, kind, stream)) {
    return copy_from(dst, pitch, src, x, y, width, height, kind, stream, Blocking::no,
                     "cudaMemcpy2DFromArrayAsync");
}

VIRTUAL_STREAM_CALL(cudaMemcpy2DArrayToArray, _ptds,
                    (cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
                     size_t src_x, size_t src_y, size_t width, size_t height, cudaMemcpyKind kind),
                    (dst, dst_x, dst_y, src, src_x, src_y, width, height, kind)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Box to, from;
    if (!rows_of(find_array(dst), dst_x, dst_y, width, height, to) ||
        !rows_of(find_array(src), src_x, src_y, width, height, from))
        return cudaErrorInvalidValue;
    return copy(call.card(), to, from, kind, nullptr, Blocking::yes, "cudaMemcpy2DArrayToArray");
}

// Deprecated, and still in use.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

VIRTUAL_STREAM_CALL(cudaMemcpyToArray, _ptds,
                    (cudaArray_t dst, size_t x, size_t y, const void* src, size_t count,
                     cudaMemcpyKind kind),
                    (dst, x, y, src, count, kind)) {
    return copy_line_to(dst, x, y, src, count, kind, nullptr, Blocking::yes, "cudaMemcpyToArray");
}

VIRTUAL_STREAM_CALL(cudaMemcpyToArrayAsync, _ptsz,
                    (cudaArray_t dst, size_t x, size_t y, const void* src, size_t count,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, x, y, src, count, kind, stream)) {
    return copy_line_to(dst, x, y, src, count, kind, stream, Blocking::no,
                        "cudaMemcpyToArrayAsync");
}

VIRTUAL_STREAM_CALL(cudaMemcpyFromArray, _ptds,
                    (void* dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                     cudaMemcpyKind kind),
                    (dst, src, x, y, count, kind)) {
    return copy_line_from(dst, src, x, y, count, kind, nullptr, Blocking::yes,
                          "cudaMemcpyFromArray");
}

VIRTUAL_STREAM_CALL(cudaMemcpyFromArrayAsync, _ptsz,
                    (void* dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, src, x, y, count, kind, stream)) {
    return copy_line_from(dst, src, x, y, count, kind, stream, Blocking::no,
                          "cudaMemcpyFromArrayAsync");
}

#pragma GCC diagnostic pop

}  // namespace vram::virtual_gpu
