// cudaMemcpy and its kin.

#include "grader/virtual_gpu/calls/copy.h"
#include "grader/virtual_gpu/calls/not_supported.h"
#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/memory/array.h"

namespace vram::virtual_gpu {
namespace {

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

Box line(const void* pointer, std::size_t bytes) {
    return Box{address_of(pointer), bytes, 1, 1, bytes, bytes};
}

Box rows(const void* pointer, std::size_t pitch, std::size_t width, std::size_t height) {
    return Box{address_of(pointer), width, height, 1, pitch, 0};
}

cudaError_t copy_line(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                      cudaStream_t stream, Blocking blocking, const char* name) {
    CallScope call;
    if (bytes == 0)
        return cudaSuccess;
    if (!known_kind(kind))
        return cudaErrorInvalidMemcpyDirection;
    if (call.refused())
        return call.refused();
    return copy(call.card(), line(destination, bytes), line(source, bytes), kind, stream, blocking,
                name);
}

/// As measured, a single row may have pitch 0, and one that is too small is another error for it.
bool single_row_fits(std::size_t pitch, std::size_t width) {
    return pitch == 0 || width <= pitch;
}

cudaError_t copy_rows(void* destination, std::size_t destination_pitch, const void* source,
                      std::size_t source_pitch, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind, cudaStream_t stream, Blocking blocking,
                      const char* name) {
    CallScope call;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (height > 1 && (width > destination_pitch || width > source_pitch))
        return cudaErrorInvalidPitchValue;
    if (!known_kind(kind))
        return cudaErrorInvalidMemcpyDirection;
    if (call.refused())
        return call.refused();
    if (height == 1 &&
        (!single_row_fits(destination_pitch, width) || !single_row_fits(source_pitch, width)))
        return cudaErrorInvalidValue;
    return copy(call.card(), rows(destination, destination_pitch, width, height),
                rows(source, source_pitch, width, height), kind, stream, blocking, name);
}

/// The box of one side of a three-dimensional copy, or the error when it is none.
cudaError_t slab(const cudaPitchedPtr& where, const cudaPos& position, const cudaExtent& extent,
                 Box& box) {
    if (!where.ptr)
        return cudaErrorInvalidValue;
    const bool several_slices = extent.depth > 1 || position.z > 0;
    if (position.x + extent.width > where.pitch ||
        (several_slices && position.y + extent.height > where.ysize))
        return extent.height == 1 && extent.depth == 1 ? cudaErrorInvalidValue  // as measured
                                                       : cudaErrorInvalidPitchValue;
    const std::size_t slice = where.pitch * where.ysize;
    const std::size_t offset = position.z * slice + position.y * where.pitch + position.x;
    box = Box{address_of(where.ptr) + offset,
              extent.width,
              extent.height,
              extent.depth,
              where.pitch,
              slice};
    return cudaSuccess;
}

cudaError_t copy_slab(const cudaPitchedPtr& destination, const cudaPos& destination_position,
                      const cudaPitchedPtr& source, const cudaPos& source_position,
                      const cudaExtent& extent, cudaMemcpyKind kind, cudaStream_t stream,
                      Blocking blocking, const char* name) {
    CallScope call;
    if (call.refused())  // before the question whether there is anything to copy, as measured
        return call.refused();
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    Box to, from;
    if (const cudaError_t error = slab(destination, destination_position, extent, to))
        return error;
    if (const cudaError_t error = slab(source, source_position, extent, from))
        return error;
    return copy(call.card(), to, from, kind, stream, blocking, name);
}

/// Puts the array of one side of a three-dimensional copy, if it has one, in the terms of device
/// memory: bytes instead of texels. False when the copy leaves the array.
bool array_as_memory(cudaArray_t handle, const cudaExtent& texels, cudaPitchedPtr& where,
                     cudaPos& position) {
    if (!handle)
        return true;
    const Array* array = find_array(handle);
    if (!array || where.ptr || position.x + texels.width > array->extent.width ||
        position.y + texels.height > array->rows() || position.z + texels.depth > array->slices())
        return false;
    where = cudaPitchedPtr{reinterpret_cast<void*>(array->block->begin), array->row_bytes(),
                           array->row_bytes(), array->rows()};
    position.x *= array->texel_bytes();
    return true;
}

/// Bytes of a texel of the arrays that take part; 1 when none does, 0 when they do not fit.
std::size_t texel_bytes_of(cudaArray_t first, cudaArray_t second) {
    std::size_t bytes = 1;
    for (const cudaArray_t handle : {first, second}) {
        const Array* array = handle ? find_array(handle) : nullptr;
        if (!array)
            continue;
        if (bytes != 1 && bytes != array->texel_bytes())
            return 0;
        bytes = array->texel_bytes();
    }
    return bytes;
}

cudaError_t copy_parameters(const cudaMemcpy3DParms* parameters, cudaStream_t stream,
                            Blocking blocking, const char* name) {
    if (!parameters)
        return cudaErrorInvalidValue;
    cudaMemcpy3DParms given = *parameters;
    {
        const std::lock_guard lock(card_mutex());
        const cudaExtent texels = given.extent;
        given.extent.width *= texel_bytes_of(given.srcArray, given.dstArray);
        if ((texels.width != 0 && given.extent.width == 0) ||
            !array_as_memory(given.srcArray, texels, given.srcPtr, given.srcPos) ||
            !array_as_memory(given.dstArray, texels, given.dstPtr, given.dstPos))
            return cudaErrorInvalidValue;
    }
    return copy_slab(given.dstPtr, given.dstPos, given.srcPtr, given.srcPos, given.extent,
                     given.kind, stream, blocking, name);
}

cudaError_t copy_peer_parameters(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream,
                                 Blocking blocking, const char* name) {
    if (!parameters)
        return cudaErrorInvalidValue;
    if (parameters->srcArray || parameters->dstArray)
        return not_supported(name, "copies from or to CUDA arrays");
    if (parameters->srcDevice != 0 || parameters->dstDevice != 0)
        return cudaErrorInvalidDevice;
    return copy_slab(parameters->dstPtr, parameters->dstPos, parameters->srcPtr, parameters->srcPos,
                     parameters->extent, cudaMemcpyDefault, stream, blocking, name);
}

cudaError_t set_line(void* destination, int value, std::size_t bytes, cudaStream_t stream,
                     Blocking blocking, const char* name) {
    CallScope call;
    if (bytes == 0)
        return cudaSuccess;
    if (call.refused())
        return call.refused();
    return fill(call.card(), line(destination, bytes), value, stream, blocking, name);
}

cudaError_t set_rows(void* destination, std::size_t pitch, int value, std::size_t width,
                     std::size_t height, cudaStream_t stream, Blocking blocking, const char* name) {
    CallScope call;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (call.refused())
        return call.refused();
    if (height > 1 && width > pitch)  // a single row has no pitch, as measured
        return cudaErrorInvalidValue;
    return fill(call.card(), rows(destination, pitch, width, height), value, stream, blocking,
                name);
}

cudaError_t set_slab(const cudaPitchedPtr& destination, int value, const cudaExtent& extent,
                     cudaStream_t stream, Blocking blocking, const char* name) {
    CallScope call;
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    if (call.refused())
        return call.refused();
    Box box;
    if (slab(destination, cudaPos{0, 0, 0}, extent, box) != cudaSuccess)
        return cudaErrorInvalidValue;
    return fill(call.card(), box, value, stream, blocking, name);
}

}  // namespace

VIRTUAL_STREAM_CALL(cudaMemcpy, _ptds,
                    (void* dst, const void* src, size_t count, cudaMemcpyKind kind),
                    (dst, src, count, kind)) {
    return copy_line(dst, src, count, kind, nullptr, Blocking::yes, "cudaMemcpy");
}

VIRTUAL_STREAM_CALL(cudaMemcpyAsync, _ptsz,
                    (void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    (dst, src, count, kind, stream)) {
    return copy_line(dst, src, count, kind, stream, Blocking::no, "cudaMemcpyAsync");
}

VIRTUAL_CALL(cudaError_t, cudaMemcpyPeer, void* dst, int dst_device, const void* src,
             int src_device, size_t count) {
    if (dst_device != 0 || src_device != 0)
        return cudaErrorInvalidDevice;
    return copy_line(dst, src, count, cudaMemcpyDefault, nullptr, Blocking::yes, "cudaMemcpyPeer");
}

VIRTUAL_CALL(cudaError_t, cudaMemcpyPeerAsync, void* dst, int dst_device, const void* src,
             int src_device, size_t count, cudaStream_t stream) {
    if (dst_device != 0 || src_device != 0)
        return cudaErrorInvalidDevice;
    return copy_line(dst, src, count, cudaMemcpyDefault, stream, Blocking::no,
                     "cudaMemcpyPeerAsync");
}

VIRTUAL_STREAM_CALL(cudaMemcpy2D, _ptds,
                    (void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    (dst, dpitch, src, spitch, width, height, kind)) {
    return copy_rows(dst, dpitch, src, spitch, width, height, kind, nullptr, Blocking::yes,
                     "cudaMemcpy2D");
}

VIRTUAL_STREAM_CALL(cudaMemcpy2DAsync, _ptsz,
                    (void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    (dst, dpitch, src, spitch, width, height, kind, stream)) {
    return copy_rows(dst, dpitch, src, spitch, width, height, kind, stream, Blocking::no,
                     "cudaMemcpy2DAsync");
}

VIRTUAL_STREAM_CALL(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* parameters), (parameters)) {
    return copy_parameters(parameters, nullptr, Blocking::yes, "cudaMemcpy3D");
}

VIRTUAL_STREAM_CALL(cudaMemcpy3DAsync, _ptsz,
                    (const cudaMemcpy3DParms* parameters, cudaStream_t stream),
                    (parameters, stream)) {
    return copy_parameters(parameters, stream, Blocking::no, "cudaMemcpy3DAsync");
}

VIRTUAL_STREAM_CALL(cudaMemcpy3DPeer, _ptds, (const cudaMemcpy3DPeerParms* parameters),
                    (parameters)) {
    return copy_peer_parameters(parameters, nullptr, Blocking::yes, "cudaMemcpy3DPeer");
}

VIRTUAL_STREAM_CALL(cudaMemcpy3DPeerAsync, _ptsz,
                    (const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream),
                    (parameters, stream)) {
    return copy_peer_parameters(parameters, stream, Blocking::no, "cudaMemcpy3DPeerAsync");
}

VIRTUAL_STREAM_CALL(cudaMemset, _ptds, (void* destination, int value, size_t count),
                    (destination, value, count)) {
    return set_line(destination, value, count, nullptr, Blocking::yes, "cudaMemset");
}

VIRTUAL_STREAM_CALL(cudaMemsetAsync, _ptsz,
                    (void* destination, int value, size_t count, cudaStream_t stream),
                    (destination, value, count, stream)) {
    return set_line(destination, value, count, stream, Blocking::no, "cudaMemsetAsync");
}

VIRTUAL_STREAM_CALL(cudaMemset2D, _ptds,
                    (void* destination, size_t pitch, int value, size_t width, size_t height),
                    (destination, pitch, value, width, height)) {
    return set_rows(destination, pitch, value, width, height, nullptr, Blocking::yes,
                    "cudaMemset2D");
}

VIRTUAL_STREAM_CALL(cudaMemset2DAsync, _ptsz,
                    (void* destination, size_t pitch, int value, size_t width, size_t height,
                     cudaStream_t stream),
                    (destination, pitch, value, width, height, stream)) {
    return set_rows(destination, pitch, value, width, height, stream, Blocking::no,
                    "cudaMemset2DAsync");
}

VIRTUAL_STREAM_CALL(cudaMemset3D, _ptds, (cudaPitchedPtr destination, int value, cudaExtent extent),
                    (destination, value, extent)) {
    return set_slab(destination, value, extent, nullptr, Blocking::yes, "cudaMemset3D");
}

VIRTUAL_STREAM_CALL(cudaMemset3DAsync, _ptsz,
                    (cudaPitchedPtr destination, int value, cudaExtent extent, cudaStream_t stream),
                    (destination, value, extent, stream)) {
    return set_slab(destination, value, extent, stream, Blocking::no, "cudaMemset3DAsync");
}

}  // namespace vram::virtual_gpu
