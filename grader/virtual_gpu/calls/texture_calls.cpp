// Texture and surface objects: views of arrays and of device memory.

#include <memory>

#include "grader/virtual_gpu/calls/not_supported.h"
#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/memory/array.h"
#include "grader/virtual_gpu/ptx/texture.h"
#include "grader/virtual_gpu/streams/handle_table.h"

namespace vram::virtual_gpu {
namespace {

struct ViewObject {
    cudaResourceDesc resource{};
    cudaTextureDesc settings{};
    ptx::TextureView view;
};

/// All objects of this process, as kernels find them.
class Objects final : public ptx::TextureFinder {
  public:
    Objects() { ptx::set_texture_finder(this); }

    const ptx::TextureView* texture(std::uint64_t handle) const override {
        return view(textures, handle);
    }
    const ptx::TextureView* surface(std::uint64_t handle) const override {
        return view(surfaces, handle);
    }

    HandleTable<ViewObject> textures{0x7e47'0000'0000};
    HandleTable<ViewObject> surfaces{0x50ff'0000'0000};

  private:
    static const ptx::TextureView* view(const HandleTable<ViewObject>& table,
                                        std::uint64_t handle) {
        const auto object = table.find(handle);
        return object ? &object->view : nullptr;
    }
};

Objects& objects() {
    static auto* instance = new Objects;
    return *instance;
}

bool set_format(const cudaChannelFormatDesc& format, ptx::TextureView& view) {
    const std::size_t bytes = bytes_of_texel(format);
    if (bytes == 0)
        return false;
    view.channel_bytes = static_cast<std::uint8_t>(format.x / 8);
    view.channels = static_cast<std::uint8_t>(bytes / view.channel_bytes);
    view.kind = format.f == cudaChannelFormatKindFloat    ? ptx::ChannelKind::floating
                : format.f == cudaChannelFormatKindSigned ? ptx::ChannelKind::signed_integer
                                                          : ptx::ChannelKind::unsigned_integer;
    return true;
}

cudaError_t show_array(cudaArray_t handle, ptx::TextureView& view) {
    const Array* array = find_array(handle);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    set_format(array->format, view);
    view.address = array->block->begin;
    view.width = array->extent.width;
    view.height = array->rows();
    view.depth = array->slices();
    view.row_bytes = array->row_bytes();
    view.slice_bytes = array->slice_bytes();
    return cudaSuccess;
}

cudaError_t show_rows(const void* pointer, const cudaChannelFormatDesc& format, std::size_t width,
                      std::size_t height, std::size_t pitch, ptx::TextureView& view) {
    if (!pointer)
        return cudaErrorInvalidValue;
    if (!set_format(format, view))
        return cudaErrorInvalidChannelDescriptor;
    view.address = reinterpret_cast<std::uint64_t>(pointer);
    view.width = width;
    view.height = height;
    view.row_bytes = pitch;
    view.slice_bytes = pitch * height;
    return width == 0 || height == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t show(const cudaResourceDesc& resource, const char* call, ptx::TextureView& view) {
    switch (resource.resType) {
        case cudaResourceTypeArray:
            return show_array(resource.res.array.array, view);
        case cudaResourceTypeLinear: {
            const auto& linear = resource.res.linear;
            const std::size_t texel = bytes_of_texel(linear.desc);
            if (texel == 0)
                return cudaErrorInvalidChannelDescriptor;
            return show_rows(linear.devPtr, linear.desc, linear.sizeInBytes / texel, 1,
                             linear.sizeInBytes, view);
        }
        case cudaResourceTypePitch2D: {
            const auto& rows = resource.res.pitch2D;
            if (rows.width * bytes_of_texel(rows.desc) > rows.pitchInBytes)
                return cudaErrorInvalidValue;
            return show_rows(rows.devPtr, rows.desc, rows.width, rows.height, rows.pitchInBytes,
                             view);
        }
        case cudaResourceTypeMipmappedArray:
            break;
    }
    return not_supported(call, "mipmapped arrays");
}

ptx::AddressMode address_mode(cudaTextureAddressMode mode) {
    switch (mode) {
        case cudaAddressModeWrap:
            return ptx::AddressMode::wrap;
        case cudaAddressModeMirror:
            return ptx::AddressMode::mirror;
        case cudaAddressModeBorder:
            return ptx::AddressMode::border;
        default:
            return ptx::AddressMode::clamp;
    }
}

cudaError_t set_up(const cudaTextureDesc& settings, ptx::TextureView& view) {
    const bool floating = view.kind == ptx::ChannelKind::floating;
    for (std::size_t axis = 0; axis < view.address_modes.size(); ++axis)
        view.address_modes[axis] = address_mode(settings.addressMode[axis]);
    for (std::size_t channel = 0; channel < view.border.size(); ++channel)
        view.border[channel] = settings.borderColor[channel];
    view.as_normalised_float = settings.readMode == cudaReadModeNormalizedFloat && !floating;
    view.linear_filter = settings.filterMode == cudaFilterModeLinear;
    view.normalised_coordinates = settings.normalizedCoords != 0;
    if (view.as_normalised_float && view.channel_bytes == 4)
        return cudaErrorInvalidNormSetting;
    if (view.linear_filter && !floating && !view.as_normalised_float)
        return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

cudaError_t destroy(HandleTable<ViewObject>& views, std::uint64_t handle) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (handle == 0)
        return cudaSuccess;
    if (!views.find(handle))
        return cudaErrorInvalidValue;
    call.card().scheduler.run_without_waiting();  // kernels that still use it
    views.remove(handle);
    return cudaSuccess;
}

}  // namespace

VIRTUAL_CALL(cudaError_t, cudaCreateTextureObject, cudaTextureObject_t* out,
             const cudaResourceDesc* resource, const cudaTextureDesc* settings,
             const cudaResourceViewDesc* other_view) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!out || !resource || !settings)
        return cudaErrorInvalidValue;
    if (other_view && other_view->format != cudaResViewFormatNone)
        return not_supported("cudaCreateTextureObject", "resource views");
    if (settings->sRGB)
        return not_supported("cudaCreateTextureObject", "sRGB textures");
    auto object = std::make_shared<ViewObject>();
    object->resource = *resource;
    object->settings = *settings;
    cudaError_t result = show(*resource, "cudaCreateTextureObject", object->view);
    if (result == cudaSuccess)
        result = set_up(*settings, object->view);
    if (result == cudaSuccess)
        *out = objects().textures.add(std::move(object), false);
    return result;
}

VIRTUAL_CALL(cudaError_t, cudaDestroyTextureObject, cudaTextureObject_t handle) {
    return destroy(objects().textures, handle);
}

VIRTUAL_CALL(cudaError_t, cudaGetTextureObjectResourceDesc, cudaResourceDesc* out,
             cudaTextureObject_t handle) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const auto object = objects().textures.find(handle);
    if (!out || !object)
        return cudaErrorInvalidValue;
    *out = object->resource;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaGetTextureObjectTextureDesc, cudaTextureDesc* out,
             cudaTextureObject_t handle) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const auto object = objects().textures.find(handle);
    if (!out || !object)
        return cudaErrorInvalidValue;
    *out = object->settings;
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaCreateSurfaceObject, cudaSurfaceObject_t* out,
             const cudaResourceDesc* resource) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!out || !resource || resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    const Array* array = find_array(resource->res.array.array);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    if ((array->flags & cudaArraySurfaceLoadStore) == 0)
        return cudaErrorInvalidValue;
    auto object = std::make_shared<ViewObject>();
    object->resource = *resource;
    const cudaError_t result = show(*resource, "cudaCreateSurfaceObject", object->view);
    if (result == cudaSuccess)
        *out = objects().surfaces.add(std::move(object), false);
    return result;
}

VIRTUAL_CALL(cudaError_t, cudaDestroySurfaceObject, cudaSurfaceObject_t handle) {
    return destroy(objects().surfaces, handle);
}

}  // namespace vram::virtual_gpu
