// What texture fetches and surface accesses give, bit for bit.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "grader/tests/conformance/probe.h"
#include "grader/tests/conformance/textures.h"

namespace vram::conformance {
namespace {

using Positions = std::vector<float4>;

float4 at(float x, float y = 0, float z = 0, float w = 0) {
    return make_float4(x, y, z, w);
}

enum class Print { floats, integers };

/// Launches `kernel` for the positions and notes the first `channels` values of each.
void tell(Facts& fact, const std::string& name, unsigned long long object, Fetch fetch,
          const Positions& positions, int channels = 1, Print print = Print::floats) {
    float4* in = nullptr;
    uint4* out = nullptr;
    const std::size_t count = positions.size();
    cudaMalloc(reinterpret_cast<void**>(&in), count * sizeof(float4));
    cudaMalloc(reinterpret_cast<void**>(&out), count * sizeof(uint4));
    cudaMemcpy(in, positions.data(), count * sizeof(float4), cudaMemcpyHostToDevice);
    void* arguments[] = {&object, &in, &out};
    const bool four = channels > 1;
    cudaError_t error = cudaLaunchKernel(kernel_of(fetch, four ? 4 : 1), dim3(1),
                                         dim3(static_cast<unsigned>(count)), arguments, 0, nullptr);
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    std::vector<uint4> values(count);
    cudaMemcpy(values.data(), out, count * sizeof(uint4), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaGetLastError();
    if (error != cudaSuccess) {
        fact(name, error);
        return;
    }
    std::string text;
    for (const uint4& value : values) {
        std::uint32_t bits[4];
        std::memcpy(bits, &value, sizeof bits);
        for (int channel = 0; channel < channels; ++channel) {
            char one[32];
            float number = 0;
            std::memcpy(&number, &bits[channel], sizeof number);
            if (print == Print::floats) {
                std::snprintf(one, sizeof one, "%.9g", number);
            } else {
                std::snprintf(one, sizeof one, "%d", static_cast<int>(bits[channel]));
            }
            text += (channel > 0 ? "/" : text.empty() ? "" : " ") + std::string(one);
        }
    }
    fact(name, text);
}

// ---- objects ------------------------------------------------------------------------------------

struct Look {
    cudaTextureAddressMode mode = cudaAddressModeClamp;
    cudaTextureFilterMode filter = cudaFilterModePoint;
    bool normalised_coordinates = false;
    cudaTextureReadMode read = cudaReadModeElementType;
};

std::string name_of(const Look& look) {
    static const char* const modes[] = {"wrap", "clamp", "mirror", "border"};
    return std::string(look.filter == cudaFilterModePoint ? "nearest, " : "linear, ") +
           modes[look.mode] + (look.normalised_coordinates ? ", normalised" : "");
}

cudaTextureDesc description_of(const Look& look) {
    cudaTextureDesc description{};
    for (auto& mode : description.addressMode) {
        mode = look.mode;
    }
    description.filterMode = look.filter;
    description.readMode = look.read;
    description.normalizedCoords = look.normalised_coordinates ? 1 : 0;
    const float border[4] = {-1, -2, -3, -4};
    std::memcpy(description.borderColor, border, sizeof border);
    return description;
}

/// A texture object, or 0 after a fact that says why there is none.
class Texture {
  public:
    Texture(Facts& fact, const std::string& name, const cudaResourceDesc& resource,
            const Look& look) {
        const cudaTextureDesc description = description_of(look);
        const cudaError_t error =
            cudaCreateTextureObject(&object_, &resource, &description, nullptr);
        if (error != cudaSuccess) {
            object_ = 0;
            fact(name + ", cudaCreateTextureObject", error);
            cudaGetLastError();
        }
    }
    ~Texture() {
        if (object_ != 0) {
            cudaDestroyTextureObject(object_);
        }
    }
    Texture(const Texture&) = delete;
    cudaTextureObject_t get() const { return object_; }

  private:
    cudaTextureObject_t object_ = 0;
};

/// An array of any shape with texels copied into it.
class Array {
  public:
    template <typename Texel>
    Array(cudaChannelFormatDesc channels, cudaExtent extent, const std::vector<Texel>& texels,
          unsigned flags = 0) {
        cudaMalloc3DArray(&array_, &channels, extent, flags);
        cudaMemcpy3DParms copy{};
        copy.srcPtr =
            make_cudaPitchedPtr(const_cast<Texel*>(texels.data()), extent.width * sizeof(Texel),
                                extent.width, extent.height > 0 ? extent.height : 1);
        copy.dstArray = array_;
        copy.extent = make_cudaExtent(extent.width, extent.height > 0 ? extent.height : 1,
                                      extent.depth > 0 ? extent.depth : 1);
        copy.kind = cudaMemcpyHostToDevice;
        cudaMemcpy3D(&copy);
    }
    ~Array() { cudaFreeArray(array_); }
    Array(const Array&) = delete;

    cudaResourceDesc resource() const {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array_;
        return resource;
    }

  private:
    cudaArray_t array_ = nullptr;
};

cudaChannelFormatDesc floats(int channels = 1) {
    const int wide = channels > 1 ? 32 : 0;
    return cudaCreateChannelDesc(32, wide, channels > 2 ? 32 : 0, channels > 3 ? 32 : 0,
                                 cudaChannelFormatKindFloat);
}

/// 256 from texel to texel of a row, so that a weight of 1/256 is seen as 1; 4096 from row to row,
/// 65536 from slice to slice.
std::vector<float> ramp(int width, int height = 1, int depth = 1) {
    std::vector<float> texels;
    for (int z = 0; z < depth; ++z) {
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                texels.push_back(static_cast<float>(256 * x + 4096 * y + 65536 * z));
            }
        }
    }
    return texels;
}

/// Numbers without a pattern, multiples of 256.
std::vector<float> noise(int count) {
    std::vector<float> texels;
    std::uint32_t state = 12345;
    for (int i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        texels.push_back(static_cast<float>((state >> 20) * 256));
    }
    return texels;
}

const std::vector<Look>& looks() {
    static const std::vector<Look> all = [] {
        std::vector<Look> made;
        for (const bool normalised : {false, true}) {
            for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
                for (const auto mode : {cudaAddressModeWrap, cudaAddressModeClamp,
                                        cudaAddressModeMirror, cudaAddressModeBorder}) {
                    made.push_back({mode, filter, normalised, cudaReadModeElementType});
                }
            }
        }
        return made;
    }();
    return all;
}

/// In texels of a row of eight: centres, edges, quarters, far outside.
std::vector<float> places() {
    return {0.5f,  1.5f,    7.5f,    0,       1,      4,      8,      0.25f,
            0.75f, 3.125f,  6.9375f, 7.75f,   -0.5f,  -1,     -2.25f, 8.25f,
            9.5f,  12.125f, -7.75f,  17.375f, -20.5f, 0.001f, 7.999f};
}

float scaled(const Look& look, float texels, float size) {
    return look.normalised_coordinates ? texels / size : texels;
}

// ---- probes -------------------------------------------------------------------------------------

PROBE(textures_of_a_line) {
    const Array array(floats(), make_cudaExtent(8, 0, 0), ramp(8));
    for (const Look& look : looks()) {
        const Texture texture(fact, name_of(look), array.resource(), look);
        Positions positions;
        for (const float x : places()) {
            positions.push_back(at(scaled(look, x, 8)));
        }
        tell(fact, name_of(look), texture.get(), Fetch::line, positions);
    }
}

PROBE(textures_of_a_plane) {
    const Array array(floats(), make_cudaExtent(8, 4, 0), ramp(8, 4));
    const float rows[] = {0.5f, 1.25f, -0.75f, 3.875f, 2, 6.5f};
    for (const Look& look : looks()) {
        const Texture texture(fact, name_of(look), array.resource(), look);
        Positions positions;
        int row = 0;
        for (const float x : places()) {
            positions.push_back(at(scaled(look, x, 8), scaled(look, rows[row++ % 6], 4)));
        }
        tell(fact, name_of(look), texture.get(), Fetch::plane, positions);
    }
}

PROBE(textures_of_odd_size) {
    const Array array(floats(), make_cudaExtent(5, 3, 0), noise(15));
    for (const Look& look : looks()) {
        const Texture texture(fact, name_of(look), array.resource(), look);
        Positions positions;
        for (int i = 0; i < 40; ++i) {
            const float x = -3.3f + 0.317f * static_cast<float>(i);
            const float y = 5.1f - 0.231f * static_cast<float>(i);
            positions.push_back(at(scaled(look, x, 5), scaled(look, y, 3)));
        }
        tell(fact, name_of(look), texture.get(), Fetch::plane, positions);
    }
}

PROBE(texture_weights) {
    const Array array(floats(), make_cudaExtent(8, 0, 0), ramp(8));
    for (const bool normalised : {false, true}) {
        const Look look = {cudaAddressModeClamp, cudaFilterModeLinear, normalised,
                           cudaReadModeElementType};
        const Texture texture(fact, name_of(look), array.resource(), look);
        Positions positions;
        for (int i = 0; i < 64; ++i) {
            positions.push_back(at(scaled(look, 2.5f + static_cast<float>(i) / 2048.0f * 5.0f, 8)));
        }
        tell(fact, "weights upwards, " + name_of(look), texture.get(), Fetch::line, positions);
        positions.clear();
        for (int i = 0; i < 64; ++i) {
            positions.push_back(at(scaled(look, 3.5f - static_cast<float>(i) / 1024.0f, 8)));
        }
        tell(fact, "weights downwards, " + name_of(look), texture.get(), Fetch::line, positions);
    }
}

PROBE(texture_weights_of_two_and_three_directions) {
    const Look look = {cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeElementType};
    Positions positions;
    for (int i = 0; i < 60; ++i) {
        const auto step = static_cast<float>(i);
        positions.push_back(at(0.5f + 0.0473f * step, 2.9f - 0.031f * step, 0.6f + 0.0171f * step));
    }
    const Array plane(floats(), make_cudaExtent(4, 4, 0), noise(16));
    const Texture of_plane(fact, "plane", plane.resource(), look);
    tell(fact, "plane of noise", of_plane.get(), Fetch::plane, positions);
    const Array volume(floats(), make_cudaExtent(4, 4, 4), noise(64));
    const Texture of_volume(fact, "volume", volume.resource(), look);
    tell(fact, "volume of noise", of_volume.get(), Fetch::volume, positions);
}

PROBE(textures_of_a_volume) {
    const Array array(floats(), make_cudaExtent(4, 4, 2), ramp(4, 4, 2));
    const float deep[] = {0.5f, 1.25f, 1.0f, -0.5f, 2.75f};
    for (const Look& look : looks()) {
        const Texture texture(fact, name_of(look), array.resource(), look);
        Positions positions;
        int number = 0;
        for (const float x : places()) {
            positions.push_back(at(scaled(look, x, 4), scaled(look, 4 - x, 4),
                                   scaled(look, deep[number++ % 5], 2)));
        }
        tell(fact, name_of(look), texture.get(), Fetch::volume, positions);
    }
}

PROBE(textures_of_layers) {
    const Array lines(floats(), make_cudaExtent(8, 0, 3), ramp(8, 1, 3), cudaArrayLayered);
    const Array planes(floats(), make_cudaExtent(8, 4, 3), ramp(8, 4, 3), cudaArrayLayered);
    const float layers[] = {0, 1, 2, 3, -1, 9};
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
        const Look look = {cudaAddressModeClamp, filter, false, cudaReadModeElementType};
        const Texture of_lines(fact, "lines", lines.resource(), look);
        const Texture of_planes(fact, "planes", planes.resource(), look);
        Positions on_lines, on_planes;
        for (const float layer : layers) {
            for (const float x : {0.5f, 3.125f, 9.0f}) {
                on_lines.push_back(at(x, layer));
                on_planes.push_back(at(x, 1.25f, layer));
            }
        }
        tell(fact, "lines, " + name_of(look), of_lines.get(), Fetch::line_of_layer, on_lines);
        tell(fact, "planes, " + name_of(look), of_planes.get(), Fetch::plane_of_layer, on_planes);
    }
}

PROBE(textures_of_cubes) {
    const Array cube(floats(), make_cudaExtent(4, 4, 6), ramp(4, 4, 6), cudaArrayCubemap);
    const Array cubes(floats(), make_cudaExtent(4, 4, 12), ramp(4, 4, 12),
                      cudaArrayCubemap | cudaArrayLayered);
    Positions positions;
    for (const float a : {0.1f, 0.6f, -0.3f}) {
        for (const float sign : {1.0f, -1.0f}) {
            positions.push_back(at(sign, a, 0.4f, 0));
            positions.push_back(at(a, sign, 0.4f, 1));
            positions.push_back(at(a, 0.4f, 2 * sign, 1));
        }
    }
    positions.push_back(at(1, 1, 1, 0));
    positions.push_back(at(-1, 1, -1, 1));
    positions.push_back(at(0.5f, -0.5f, 0.25f, 0));
    const Look look = {cudaAddressModeClamp, cudaFilterModePoint, true, cudaReadModeElementType};
    const Texture of_cube(fact, "cube", cube.resource(), look);
    tell(fact, "cube, nearest", of_cube.get(), Fetch::cube, positions);
    const Texture of_cubes(fact, "cubes", cubes.resource(), look);
    tell(fact, "layers of cubes, nearest", of_cubes.get(), Fetch::cube_of_layer, positions);
    const Look linear = {cudaAddressModeClamp, cudaFilterModeLinear, true, cudaReadModeElementType};
    const Texture smooth(fact, "smooth cube", cube.resource(), linear);
    const Positions inside = {at(1, 0.1f, 0.2f), at(0.1f, -1, 0.3f), at(0.25f, 0.2f, 1),
                              at(-1, 0.3f, -0.4f)};
    tell(fact, "cube, linear, inside of faces", smooth.get(), Fetch::cube, inside);
}

PROBE(textures_with_a_level) {
    const Array plane(floats(), make_cudaExtent(8, 4, 0), ramp(8, 4));
    const Array volume(floats(), make_cudaExtent(4, 4, 2), ramp(4, 4, 2));
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
        const Look look = {cudaAddressModeClamp, filter, true, cudaReadModeElementType};
        const Texture of_plane(fact, "plane", plane.resource(), look);
        const Texture of_volume(fact, "volume", volume.resource(), look);
        Positions positions, in_volume;
        for (const float level : {0.0f, 0.5f, 1.0f, 7.0f, -2.0f}) {
            positions.push_back(at(0.3125f, 0.4375f, level));
            in_volume.push_back(at(0.375f, 0.625f, 0.25f, level));
        }
        tell(fact, "plane at a level, " + name_of(look), of_plane.get(), Fetch::plane_at_level,
             positions);
        tell(fact, "plane with gradients, " + name_of(look), of_plane.get(),
             Fetch::plane_with_gradients, positions);
        tell(fact, "volume at a level, " + name_of(look), of_volume.get(), Fetch::volume_at_level,
             in_volume);
    }
}

PROBE(textures_gathered) {
    const Array array(floats(), make_cudaExtent(4, 4, 0), ramp(4, 4), cudaArrayTextureGather);
    std::vector<float> four;
    for (int i = 0; i < 64; ++i) {
        four.push_back(static_cast<float>(i));
    }
    struct Four {
        float values[4];
    };
    std::vector<Four> texels(16);
    std::memcpy(texels.data(), four.data(), 64 * sizeof(float));
    const Array wide(floats(4), make_cudaExtent(4, 4, 0), texels, cudaArrayTextureGather);
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder}) {
        const Look look = {mode, cudaFilterModePoint, false, cudaReadModeElementType};
        const Positions positions = {at(1, 1),       at(1.5f, 1.5f), at(1.4f, 2.6f),
                                     at(0.2f, 0.3f), at(3.9f, 3.8f), at(-2, 6)};
        const Texture texture(fact, "red, " + name_of(look), array.resource(), look);
        tell(fact, "red, " + name_of(look), texture.get(), Fetch::gather_red, positions, 4);
        const Texture of_four(fact, "alpha, " + name_of(look), wide.resource(), look);
        tell(fact, "alpha, " + name_of(look), of_four.get(), Fetch::gather_alpha, positions, 4);
    }
}

PROBE(texture_positions_that_are_no_numbers) {
    const Array array(floats(), make_cudaExtent(8, 0, 0), ramp(8));
    const float infinity = std::numeric_limits<float>::infinity();
    const Positions positions = {at(infinity), at(-infinity), at(std::nanf("")), at(1e30f),
                                 at(-1e30f),   at(1e9f),      at(-0.0f)};
    for (const Look& look : looks()) {
        const Texture texture(fact, name_of(look), array.resource(), look);
        tell(fact, name_of(look), texture.get(), Fetch::line, positions);
    }
}

// ---- formats ------------------------------------------------------------------------------------

template <typename Texel>
void tell_format(Facts& fact, const std::string& name, const cudaChannelFormatDesc& channels,
                 const std::vector<Texel>& texels, cudaTextureReadMode read, int count,
                 Print print) {
    const Array array(channels, make_cudaExtent(texels.size(), 0, 0), texels);
    Positions positions, between;
    for (std::size_t i = 0; i < texels.size(); ++i) {
        positions.push_back(at(static_cast<float>(i) + 0.5f, 0.5f));
        between.push_back(at(static_cast<float>(i) + 0.75f, 0.5f));
    }
    Look look;
    look.read = read;
    const Texture texture(fact, name, array.resource(), look);
    // A line is read as a plane of one row; the integers have no other form here.
    const bool whole = print == Print::integers;
    tell(fact, name, texture.get(), whole ? Fetch::integers_of_plane : Fetch::line, positions,
         count, print);
    if (whole) {
        return;
    }
    look.filter = cudaFilterModeLinear;
    const Texture smooth(fact, name + ", linear", array.resource(), look);
    tell(fact, name + ", linear", smooth.get(), Fetch::line, between, count, print);
}

PROBE(texture_formats) {
    using U8 = std::uint8_t;
    using U16 = std::uint16_t;
    constexpr auto fraction = cudaReadModeNormalizedFloat;
    constexpr auto element = cudaReadModeElementType;
    constexpr auto with_sign = cudaChannelFormatKindSigned;
    constexpr auto without = cudaChannelFormatKindUnsigned;
    const std::vector<U8> bytes = {0, 1, 51, 100, 127, 128, 129, 200, 254, 255};
    const std::vector<U16> words = {0, 1, 255, 4097, 32767, 32768, 32769, 50000, 65534, 65535};
    tell_format(fact, "unsigned bytes as fractions", cudaCreateChannelDesc(8, 0, 0, 0, without),
                bytes, fraction, 1, Print::floats);
    tell_format(fact, "signed bytes as fractions", cudaCreateChannelDesc(8, 0, 0, 0, with_sign),
                bytes, fraction, 1, Print::floats);
    tell_format(fact, "unsigned words as fractions", cudaCreateChannelDesc(16, 0, 0, 0, without),
                words, fraction, 1, Print::floats);
    tell_format(fact, "signed words as fractions", cudaCreateChannelDesc(16, 0, 0, 0, with_sign),
                words, fraction, 1, Print::floats);
    tell_format(fact, "halves", cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat),
                std::vector<U16>{0, 0x3c00, 0xbc00, 1, 0x83ff, 0x3555, 0x7bff, 0x4248}, element, 1,
                Print::floats);
    tell_format(fact, "four bytes as fractions", cudaCreateChannelDesc(8, 8, 8, 8, without),
                std::vector<std::uint32_t>{0x04030201, 0xfffefdfc, 0x80402010}, fraction, 4,
                Print::floats);
    tell_format(fact, "two floats", cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindFloat),
                std::vector<std::uint64_t>{0x40000000'3f800000, 0xc0000000'40400000}, element, 4,
                Print::floats);
    tell_format(fact, "one float read as four", floats(), std::vector<float>{1, 2}, element, 4,
                Print::floats);
    tell_format(fact, "signed bytes", cudaCreateChannelDesc(8, 0, 0, 0, with_sign), bytes, element,
                1, Print::integers);
    tell_format(fact, "unsigned words", cudaCreateChannelDesc(16, 0, 0, 0, without), words, element,
                1, Print::integers);
    tell_format(fact, "four signed bytes", cudaCreateChannelDesc(8, 8, 8, 8, with_sign),
                std::vector<std::uint32_t>{0x04030201, 0xfffefdfc}, element, 4, Print::integers);
    tell_format(fact, "one integer read as four", cudaCreateChannelDesc(32, 0, 0, 0, with_sign),
                std::vector<int>{7, -7}, element, 4, Print::integers);
}

// ---- linear memory ------------------------------------------------------------------------------

PROBE(textures_of_linear_memory) {
    const std::vector<float> texels = ramp(16);
    float* memory = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&memory), 64);
    cudaMemcpy(memory, texels.data(), 64, cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = floats();
    resource.res.linear.sizeInBytes = 64;
    const Positions positions = {at(0), at(5), at(15), at(16), at(100), at(-1), at(-100)};
    const Texture texture(fact, "floats", resource, {});
    tell(fact, "floats", texture.get(), Fetch::line_of_memory, positions);
    resource.res.linear.desc = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    const Texture bytes(fact, "bytes", resource, {});
    const Positions of_bytes = {at(6), at(7), at(63), at(64), at(-1)};
    tell(fact, "bytes", bytes.get(), Fetch::integers_of_memory, of_bytes, 1, Print::integers);
    Look fraction;
    fraction.read = cudaReadModeNormalizedFloat;
    const Texture fractions(fact, "bytes as fractions", resource, fraction);
    tell(fact, "bytes as fractions", fractions.get(), Fetch::line_of_memory, of_bytes);
    cudaFree(memory);
}

PROBE(textures_of_pitched_memory) {
    const std::vector<float> texels = noise(21);
    float* memory = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(reinterpret_cast<void**>(&memory), &pitch, 28, 3);
    cudaMemcpy2D(memory, pitch, texels.data(), 28, 28, 3, cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = floats();
    resource.res.pitch2D.width = 7;
    resource.res.pitch2D.height = 3;
    resource.res.pitch2D.pitchInBytes = pitch;
    for (const Look& look : looks()) {
        const Texture texture(fact, name_of(look), resource, look);
        if (texture.get() == 0) {
            continue;
        }
        Positions positions;
        for (int i = 0; i < 24; ++i) {
            const float x = -2.3f + 0.617f * static_cast<float>(i);
            const float y = 4.1f - 0.331f * static_cast<float>(i);
            positions.push_back(at(scaled(look, x, 7), scaled(look, y, 3)));
        }
        tell(fact, name_of(look), texture.get(), Fetch::plane, positions);
    }
    cudaFree(memory);
}

// ---- surfaces -----------------------------------------------------------------------------------

PROBE(surfaces) {
    const Array array(floats(), make_cudaExtent(4, 3, 0), ramp(4, 3), cudaArraySurfaceLoadStore);
    const cudaResourceDesc resource = array.resource();
    cudaSurfaceObject_t surface = 0;
    fact("cudaCreateSurfaceObject", cudaCreateSurfaceObject(&surface, &resource));
    const Positions positions = {at(0, 0),  at(3, 2), at(1, 1),  at(4, 0),
                                 at(-1, 0), at(2, 3), at(2, -1), at(9, 9)};
    tell(fact, "zero outside", surface, Fetch::surface_of_plane, positions);
    tell(fact, "clamped outside", surface, Fetch::surface_of_plane_clamped, positions);
    void* arguments[] = {&surface};
    fact("a kernel that writes", {cudaLaunchKernel(kernel_that_writes_a_surface(), dim3(1),
                                                   dim3(4, 3), arguments, 0, nullptr),
                                  cudaDeviceSynchronize()});
    tell(fact, "after the kernel", surface, Fetch::surface_of_plane, positions);
    fact("cudaDestroySurfaceObject", cudaDestroySurfaceObject(surface));
}

}  // namespace
}  // namespace vram::conformance
