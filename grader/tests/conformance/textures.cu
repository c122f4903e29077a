#include "grader/tests/conformance/textures.h"

namespace vram::conformance {
namespace {

__device__ uint4 bits_of(float value) {
    return make_uint4(__float_as_uint(value), 0, 0, 0);
}
__device__ uint4 bits_of(float4 value) {
    return make_uint4(__float_as_uint(value.x), __float_as_uint(value.y), __float_as_uint(value.z),
                      __float_as_uint(value.w));
}
__device__ uint4 bits_of(int value) {
    return make_uint4(static_cast<unsigned>(value), 0, 0, 0);
}
__device__ uint4 bits_of(int4 value) {
    return make_uint4(static_cast<unsigned>(value.x), static_cast<unsigned>(value.y),
                      static_cast<unsigned>(value.z), static_cast<unsigned>(value.w));
}

template <Fetch form, typename Value, typename Whole>
__device__ uint4 fetch(cudaTextureObject_t object, float4 at) {
    if constexpr (form == Fetch::line_of_memory) {
        return bits_of(tex1Dfetch<Value>(object, static_cast<int>(at.x)));
    } else if constexpr (form == Fetch::line) {
        return bits_of(tex1D<Value>(object, at.x));
    } else if constexpr (form == Fetch::plane) {
        return bits_of(tex2D<Value>(object, at.x, at.y));
    } else if constexpr (form == Fetch::volume) {
        return bits_of(tex3D<Value>(object, at.x, at.y, at.z));
    } else if constexpr (form == Fetch::line_of_layer) {
        return bits_of(tex1DLayered<Value>(object, at.x, static_cast<int>(at.y)));
    } else if constexpr (form == Fetch::plane_of_layer) {
        return bits_of(tex2DLayered<Value>(object, at.x, at.y, static_cast<int>(at.z)));
    } else if constexpr (form == Fetch::cube) {
        return bits_of(texCubemap<Value>(object, at.x, at.y, at.z));
    } else if constexpr (form == Fetch::cube_of_layer) {
        return bits_of(texCubemapLayered<Value>(object, at.x, at.y, at.z, static_cast<int>(at.w)));
    } else if constexpr (form == Fetch::plane_at_level) {
        return bits_of(tex2DLod<Value>(object, at.x, at.y, at.z));
    } else if constexpr (form == Fetch::plane_with_gradients) {
        return bits_of(
            tex2DGrad<Value>(object, at.x, at.y, make_float2(at.z, 0.0f), make_float2(0.0f, at.z)));
    } else if constexpr (form == Fetch::volume_at_level) {
        return bits_of(tex3DLod<Value>(object, at.x, at.y, at.z, at.w));
    } else if constexpr (form == Fetch::gather_red) {
        return bits_of(tex2Dgather<float4>(object, at.x, at.y, 0));
    } else if constexpr (form == Fetch::gather_alpha) {
        return bits_of(tex2Dgather<float4>(object, at.x, at.y, 3));
    } else if constexpr (form == Fetch::integers_of_plane) {
        return bits_of(tex2D<Whole>(object, at.x, at.y));
    } else if constexpr (form == Fetch::integers_of_memory) {
        return bits_of(tex1Dfetch<Whole>(object, static_cast<int>(at.x)));
    } else {
        const int x = static_cast<int>(at.x) * static_cast<int>(sizeof(Value));
        const int y = static_cast<int>(at.y);
        constexpr cudaSurfaceBoundaryMode mode =
            form == Fetch::surface_of_plane ? cudaBoundaryModeZero : cudaBoundaryModeClamp;
        return bits_of(surf2Dread<Value>(object, x, y, mode));
    }
}

template <Fetch form, typename Value, typename Whole>
__global__ void sample(cudaTextureObject_t object, const float4* positions, uint4* out) {
    out[threadIdx.x] = fetch<form, Value, Whole>(object, positions[threadIdx.x]);
}

__global__ void write_surface(cudaSurfaceObject_t surface) {
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    surf2Dwrite(static_cast<float>(x + 10 * y) + 0.5f, surface, x * 4, y);
}

template <Fetch form>
const void* kernel_of_form(int channels) {
    return channels == 1 ? reinterpret_cast<const void*>(sample<form, float, int>)
                         : reinterpret_cast<const void*>(sample<form, float4, int4>);
}

}  // namespace

const void* kernel_of(Fetch fetch, int channels) {
    switch (fetch) {
        case Fetch::line_of_memory:
            return kernel_of_form<Fetch::line_of_memory>(channels);
        case Fetch::line:
            return kernel_of_form<Fetch::line>(channels);
        case Fetch::plane:
            return kernel_of_form<Fetch::plane>(channels);
        case Fetch::volume:
            return kernel_of_form<Fetch::volume>(channels);
        case Fetch::line_of_layer:
            return kernel_of_form<Fetch::line_of_layer>(channels);
        case Fetch::plane_of_layer:
            return kernel_of_form<Fetch::plane_of_layer>(channels);
        case Fetch::cube:
            return kernel_of_form<Fetch::cube>(channels);
        case Fetch::cube_of_layer:
            return kernel_of_form<Fetch::cube_of_layer>(channels);
        case Fetch::plane_at_level:
            return kernel_of_form<Fetch::plane_at_level>(channels);
        case Fetch::plane_with_gradients:
            return kernel_of_form<Fetch::plane_with_gradients>(channels);
        case Fetch::volume_at_level:
            return kernel_of_form<Fetch::volume_at_level>(channels);
        case Fetch::gather_red:
            return kernel_of_form<Fetch::gather_red>(channels);
        case Fetch::gather_alpha:
            return kernel_of_form<Fetch::gather_alpha>(channels);
        case Fetch::integers_of_plane:
            return kernel_of_form<Fetch::integers_of_plane>(channels);
        case Fetch::integers_of_memory:
            return kernel_of_form<Fetch::integers_of_memory>(channels);
        case Fetch::surface_of_plane:
            return kernel_of_form<Fetch::surface_of_plane>(channels);
        case Fetch::surface_of_plane_clamped:
            return kernel_of_form<Fetch::surface_of_plane_clamped>(channels);
    }
    return nullptr;
}

const void* kernel_that_writes_a_surface() {
    return reinterpret_cast<const void*>(write_surface);
}

}  // namespace vram::conformance
