#include "grader/virtual_gpu/ptx/texture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "grader/virtual_gpu/ptx/fault.h"
#include "grader/virtual_gpu/ptx/half_format.h"
#include "grader/virtual_gpu/ptx/kernel_report.h"
#include "grader/virtual_gpu/ptx/memory_port.h"
#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

namespace {

using Geometry = TexturePlan::Geometry;
using Bits = std::array<std::uint32_t, 4>;
using Colour = std::array<float, 4>;

const TextureFinder* texture_finder = nullptr;

std::uint32_t bits_of(float value) {
    return __builtin_bit_cast(std::uint32_t, value);
}

[[noreturn]] void fail(const Warp& warp, int lane, const std::string& what) {
    throw Fault{KernelError::launch_failure,
                kernel_report(warp, lane, ReportKind::kernel_out_of_bounds, what)};
}

// ---- texels -------------------------------------------------------------------------------------

std::uint32_t channel_bits(const TextureView& view, const std::byte* texel, int channel) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, texel + channel * view.channel_bytes, view.channel_bytes);
    if (view.kind == ChannelKind::signed_integer && view.channel_bytes < 4) {
        const int unused = 32 - 8 * view.channel_bytes;
        bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << unused) >> unused);
    }
    return bits;
}

float channel_value(const TextureView& view, std::uint32_t bits) {
    if (view.kind == ChannelKind::floating) {
        return view.channel_bytes == 2 ? Half::decode(static_cast<std::uint16_t>(bits))
                                       : __builtin_bit_cast(float, bits);
    }
    const float greatest = view.channel_bytes == 1 ? 255.0f : 65535.0f;
    if (view.kind == ChannelKind::unsigned_integer) {
        return static_cast<float>(bits) / greatest;
    }
    const float signed_greatest = view.channel_bytes == 1 ? 127.0f : 32767.0f;
    return std::max(-1.0f, static_cast<float>(static_cast<std::int32_t>(bits)) / signed_greatest);
}

bool reads_floats(const TextureView& view) {
    return view.kind == ChannelKind::floating || view.as_normalised_float;
}

/// The texels of a warp's lanes at integer positions.
class TexelReader {
  public:
    TexelReader(Warp& warp, const Instruction& instruction) : warp_(warp), fetch_(instruction) {
        // Texture units have counters of their own: no request to global memory is counted.
        fetch_.space = Space::constant;
    }

    struct Place {
        const TextureView* view = nullptr;  ///< nullptr: nothing is read, the border colour counts
        std::uint64_t address = 0;
    };
    std::array<Place, lanes_per_warp> places;

    /// Fills `texels` for all lanes whose place is known. All have texels of the same size or not.
    void read(std::byte (*texels)[16]) {
        const std::uint32_t all = warp_.mask;
        std::uint32_t left = 0;
        for (int lane : ActiveLanes{all}) {
            left |= places[lane].view != nullptr ? 1u << lane : 0u;
        }
        while (left != 0) {
            const unsigned bytes = places[__builtin_ctz(left)].view->texel_bytes();
            std::uint64_t addresses[lanes_per_warp] = {};
            std::uint32_t same = 0;
            for (int lane : ActiveLanes{left}) {
                if (places[lane].view->texel_bytes() == bytes) {
                    same |= 1u << lane;
                    addresses[lane] = places[lane].address;
                }
            }
            std::byte* host[lanes_per_warp];
            warp_.mask = same;
            warp_.memory->lanes(warp_, fetch_, addresses, bytes, Access::read, host);
            for (int lane : ActiveLanes{same}) {
                std::memcpy(texels[lane], host[lane], bytes);
            }
            left &= ~same;
        }
        warp_.mask = all;
    }

  private:
    Warp& warp_;
    Instruction fetch_;
};

// ---- positions ----------------------------------------------------------------------------------

/// Position in texels along one axis; false for the border.
bool settle(std::int64_t& position, std::uint64_t size, AddressMode mode) {
    const auto count = static_cast<std::int64_t>(size);
    if (position >= 0 && position < count) {
        return true;
    }
    switch (mode) {
        case AddressMode::wrap:
            position = ((position % count) + count) % count;
            return true;
        case AddressMode::mirror: {
            const std::int64_t twice = ((position % (2 * count)) + 2 * count) % (2 * count);
            position = twice < count ? twice : 2 * count - 1 - twice;
            return true;
        }
        case AddressMode::clamp:
            position = std::clamp<std::int64_t>(position, 0, count - 1);
            return true;
        case AddressMode::border:
            break;
    }
    return false;
}

/// Where one lane reads: per axis the lower texel, and how much the next one weighs.
struct Sample {
    const TextureView* view = nullptr;
    std::int64_t base[3] = {0, 0, 0};
    float weight[3] = {0, 0, 0};
    int axes = 1;
    std::uint64_t layer = 0;
    std::array<AddressMode, 3> modes{};
};

/// The hardware keeps eight bits of the weight.
float weight_of(float fraction) {
    return std::floor(fraction * 256.0f + 0.5f) / 256.0f;
}

void place_float(Sample& sample, int axis, float coordinate, std::uint64_t size) {
    const TextureView& view = *sample.view;
    float position = coordinate;
    if (view.normalised_coordinates) {
        if (sample.modes[axis] == AddressMode::wrap) {
            position -= std::floor(position);
        }
        position *= static_cast<float>(size);
    }
    if (!(std::fabs(position) < 1e9f)) {
        position = position > 0 ? 1e9f : position < 0 ? -1e9f : 0.0f;
    }
    if (view.linear_filter && reads_floats(view)) {
        position -= 0.5f;
        sample.weight[axis] = weight_of(position - std::floor(position));
    }
    sample.base[axis] = static_cast<std::int64_t>(std::floor(position));
}

/// The face that a direction points to, and where on it, from 0 to 1.
void place_on_cube(Sample& sample, const float* direction) {
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    float major = 0, s = 0, t = 0;
    int face = 0;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1;
        major = ax;
        s = x >= 0 ? -z : z;
        t = -y;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3;
        major = ay;
        s = x;
        t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        major = az;
        s = z >= 0 ? x : -x;
        t = -y;
    }
    sample.layer = sample.layer * 6 + static_cast<std::uint64_t>(face);
    const float on_face[2] = {(s / major + 1) / 2, (t / major + 1) / 2};
    const std::uint64_t sizes[2] = {sample.view->width, sample.view->height};
    for (int axis = 0; axis < 2; ++axis) {
        sample.modes[axis] = AddressMode::clamp;
        float position = on_face[axis] * static_cast<float>(sizes[axis]);
        if (sample.view->linear_filter && reads_floats(*sample.view)) {
            position -= 0.5f;
            sample.weight[axis] = weight_of(position - std::floor(position));
        }
        sample.base[axis] = static_cast<std::int64_t>(std::floor(position));
    }
}

int axes_of(Geometry geometry) {
    return geometry == Geometry::line ? 1 : geometry == Geometry::volume ? 3 : 2;
}

Sample sample_of(const TexturePlan& plan, const TextureView& view,
                 const std::uint32_t* coordinates) {
    Sample sample;
    sample.view = &view;
    sample.axes = axes_of(plan.geometry);
    for (int axis = 0; axis < 3; ++axis) {
        // Repeating makes no sense for coordinates in texels.
        const AddressMode mode = view.address_modes[axis];
        const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
        sample.modes[axis] = repeats && !view.normalised_coordinates ? AddressMode::clamp : mode;
    }
    if (plan.layered) {
        const std::uint64_t layers = plan.geometry == Geometry::cube ? view.depth / 6 : view.depth;
        sample.layer = std::min<std::uint64_t>(coordinates[0], layers - 1);
        ++coordinates;
    }
    if (plan.geometry == Geometry::cube) {
        float direction[3];
        std::memcpy(direction, coordinates, sizeof direction);
        place_on_cube(sample, direction);
        return sample;
    }
    const std::uint64_t sizes[3] = {view.width, view.height, view.depth};
    for (int axis = 0; axis < sample.axes; ++axis) {
        if (plan.integer_coordinates) {
            sample.base[axis] = static_cast<std::int32_t>(coordinates[axis]);
            sample.modes[axis] = AddressMode::border;
        } else {
            place_float(sample, axis, __builtin_bit_cast(float, coordinates[axis]), sizes[axis]);
        }
    }
    return sample;
}

/// One of the up to eight texels around a sample: bit `axis` of `corner` says which side.
TexelReader::Place place_of(const Sample& sample, unsigned corner) {
    const TextureView& view = *sample.view;
    const std::uint64_t sizes[3] = {view.width, view.height, view.depth};
    std::int64_t at[3] = {0, 0, 0};
    for (int axis = 0; axis < sample.axes; ++axis) {
        at[axis] = sample.base[axis] + ((corner >> axis) & 1u);
        if (!settle(at[axis], sizes[axis], sample.modes[axis])) {
            return {};
        }
    }
    const std::uint64_t slice = sample.layer + static_cast<std::uint64_t>(at[2]);
    return {&view, view.address + slice * view.slice_bytes +
                       static_cast<std::uint64_t>(at[1]) * view.row_bytes +
                       static_cast<std::uint64_t>(at[0]) * view.texel_bytes()};
}

float weight_of_corner(const Sample& sample, unsigned corner) {
    float weight = 1;
    for (int axis = 0; axis < sample.axes; ++axis) {
        const float upper = sample.weight[axis];
        weight *= ((corner >> axis) & 1u) != 0 ? upper : 1 - upper;
    }
    return weight;
}

/// Finds the views of a warp's lanes, which mostly use the same object.
class ViewLookup {
  public:
    ViewLookup(const Warp& warp, bool surface) : warp_(warp), surface_(surface) {}

    const TextureView& find(int lane, std::uint64_t handle) {
        if (view_ == nullptr || handle != handle_) {
            handle_ = handle;
            view_ = look_up(handle);
        }
        if (view_ == nullptr) {
            fail(warp_, lane,
                 std::string("uses a ") + (surface_ ? "surface" : "texture") +
                     " object that was never made, or destroyed");
        }
        return *view_;
    }

  private:
    const TextureView* look_up(std::uint64_t handle) const {
        if (texture_finder == nullptr) {
            return nullptr;
        }
        return surface_ ? texture_finder->surface(handle) : texture_finder->texture(handle);
    }

    const Warp& warp_;
    bool surface_;
    std::uint64_t handle_ = 0;
    const TextureView* view_ = nullptr;
};

void gather_coordinates(const Warp& warp, const Instruction& instruction, int lane,
                        std::uint32_t* coordinates) {
    const Operand operands[4] = {instruction.a, instruction.b, instruction.c, instruction.e};
    for (int index = 0; index < 4; ++index) {
        coordinates[index] = warp.source<std::uint32_t>(operands[index])[lane];
    }
}

}  // namespace

void set_texture_finder(const TextureFinder* finder) {
    texture_finder = finder;
}

std::int64_t TexturePlan::packed() const {
    return static_cast<std::int64_t>(geometry) | std::int64_t{layered} << 8 |
           std::int64_t{integer_coordinates} << 16 | static_cast<std::int64_t>(out_of_range) << 24 |
           std::int64_t{element_bytes} << 32;
}

TexturePlan TexturePlan::unpacked(std::int64_t bits) {
    TexturePlan plan;
    plan.geometry = static_cast<Geometry>(bits & 0xff);
    plan.layered = ((bits >> 8) & 1) != 0;
    plan.integer_coordinates = ((bits >> 16) & 1) != 0;
    plan.out_of_range = static_cast<OutOfRange>((bits >> 24) & 0xff);
    plan.element_bytes = static_cast<std::uint8_t>(bits >> 32);
    return plan;
}

void sample_texture(Warp& warp, const Instruction& instruction) {
    const TexturePlan plan = TexturePlan::unpacked(instruction.immediate);
    const auto* handles = warp.source<std::uint64_t>(instruction.d);
    std::array<Sample, lanes_per_warp> samples;
    unsigned corners = 1;
    ViewLookup views(warp, false);
    for (int lane : ActiveLanes{warp.mask}) {
        std::uint32_t coordinates[4];
        gather_coordinates(warp, instruction, lane, coordinates);
        samples[lane] = sample_of(plan, views.find(lane, handles[lane]), coordinates);
        if (samples[lane].view->linear_filter && !plan.integer_coordinates) {
            corners = std::max(corners, 1u << samples[lane].axes);
        }
    }
    std::array<Colour, lanes_per_warp> colours{};
    std::array<Bits, lanes_per_warp> raw{};
    TexelReader reader(warp, instruction);
    std::byte texels[lanes_per_warp][16];
    for (unsigned corner = 0; corner < corners; ++corner) {
        for (int lane : ActiveLanes{warp.mask}) {
            const bool counts = weight_of_corner(samples[lane], corner) != 0;
            reader.places[lane] = counts ? place_of(samples[lane], corner) : TexelReader::Place{};
        }
        reader.read(texels);
        for (int lane : ActiveLanes{warp.mask}) {
            const TextureView& view = *samples[lane].view;
            const float weight = weight_of_corner(samples[lane], corner);
            if (weight == 0) {
                continue;
            }
            const bool inside = reader.places[lane].view != nullptr;
            for (int channel = 0; channel < view.channels; ++channel) {
                const std::uint32_t bits = inside ? channel_bits(view, texels[lane], channel) : 0;
                raw[lane][channel] = bits;
                if (reads_floats(view)) {
                    const float border = plan.integer_coordinates ? 0 : view.border[channel];
                    colours[lane][channel] +=
                        weight * (inside ? channel_value(view, bits) : border);
                }
            }
        }
    }
    for (int lane : ActiveLanes{warp.mask}) {
        for (int element = 0; element < instruction.element_count; ++element) {
            warp.destination<std::uint32_t>(instruction.elements[element])[lane] =
                reads_floats(*samples[lane].view) ? bits_of(colours[lane][element])
                                                  : raw[lane][element];
        }
    }
}

// ---- surfaces -----------------------------------------------------------------------------------

namespace {

/// Addresses of the lanes' elements, and the lanes that have one.
std::uint32_t surface_addresses(Warp& warp, const Instruction& instruction, unsigned bytes,
                                std::uint64_t* addresses) {
    const TexturePlan plan = TexturePlan::unpacked(instruction.immediate);
    const auto* handles = warp.source<std::uint64_t>(instruction.d);
    std::uint32_t inside = 0;
    ViewLookup views(warp, true);
    for (int lane : ActiveLanes{warp.mask}) {
        const TextureView& view = views.find(lane, handles[lane]);
        std::uint32_t coordinates[4];
        gather_coordinates(warp, instruction, lane, coordinates);
        const std::uint32_t* position = coordinates + (plan.layered ? 1 : 0);
        // Positions along a row are in bytes.
        const std::int64_t most[3] = {
            static_cast<std::int64_t>(view.width * view.texel_bytes()) - bytes,
            static_cast<std::int64_t>(view.height) - 1, static_cast<std::int64_t>(view.depth) - 1};
        std::int64_t at[3] = {0, 0, 0};
        bool fits = true;
        for (int axis = 0; axis < axes_of(plan.geometry); ++axis) {
            at[axis] = static_cast<std::int32_t>(position[axis]);
            fits = fits && at[axis] >= 0 && at[axis] <= most[axis];
        }
        if (plan.layered) {
            at[2] = coordinates[0];
            fits = fits && at[2] <= most[2];
        }
        if (!fits && plan.out_of_range == TexturePlan::OutOfRange::trap) {
            fail(warp, lane,
                 "accesses a surface at (" + std::to_string(at[0]) + " bytes, " +
                     std::to_string(at[1]) + ", " + std::to_string(at[2]) + "), which has " +
                     std::to_string(view.width * view.texel_bytes()) + " bytes, " +
                     std::to_string(view.height) + " rows and " + std::to_string(view.depth) +
                     " slices");
        }
        if (!fits && plan.out_of_range == TexturePlan::OutOfRange::zero) {
            continue;
        }
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = std::clamp<std::int64_t>(at[axis], 0, std::max<std::int64_t>(most[axis], 0));
        }
        addresses[lane] = view.address + static_cast<std::uint64_t>(at[2]) * view.slice_bytes +
                          static_cast<std::uint64_t>(at[1]) * view.row_bytes +
                          static_cast<std::uint64_t>(at[0]);
        inside |= 1u << lane;
    }
    return inside;
}

std::byte* element_of(Warp& warp, const Instruction& instruction, int element, int lane) {
    return warp.destination<std::byte>(instruction.elements[element]) +
           static_cast<std::size_t>(lane) * instruction.width;
}

/// Calls visit(lane, bytes of the surface, whether there are any) for the active lanes.
template <class Visit>
void visit_surface(Warp& warp, const Instruction& instruction, Access access, Visit visit) {
    const unsigned bytes = unsigned{TexturePlan::unpacked(instruction.immediate).element_bytes} *
                           instruction.element_count;
    std::uint64_t addresses[lanes_per_warp] = {};
    const std::uint32_t all = warp.mask;
    const std::uint32_t inside = surface_addresses(warp, instruction, bytes, addresses);
    std::byte* host[lanes_per_warp] = {};
    Instruction uncounted = instruction;
    uncounted.space = Space::constant;
    warp.mask = inside;
    if (inside != 0) {
        warp.memory->lanes(warp, uncounted, addresses, bytes, access, host);
    }
    warp.mask = all;
    for (int lane : ActiveLanes{all}) {
        visit(lane, host[lane]);
    }
}

}  // namespace

void load_surface(Warp& warp, const Instruction& instruction) {
    const unsigned size = TexturePlan::unpacked(instruction.immediate).element_bytes;
    visit_surface(warp, instruction, Access::read, [&](int lane, const std::byte* from) {
        for (int element = 0; element < instruction.element_count; ++element) {
            std::byte* to = element_of(warp, instruction, element, lane);
            std::memset(to, 0, instruction.width);
            if (from != nullptr) {
                std::memcpy(to, from + element * size, size);
            }
        }
    });
}

void store_surface(Warp& warp, const Instruction& instruction) {
    const unsigned size = TexturePlan::unpacked(instruction.immediate).element_bytes;
    visit_surface(warp, instruction, Access::write, [&](int lane, std::byte* to) {
        for (int element = 0; to != nullptr && element < instruction.element_count; ++element) {
            const std::byte* values = warp.source<std::byte>(instruction.elements[element]);
            std::memcpy(to + element * size,
                        values + static_cast<std::size_t>(lane) * instruction.width, size);
        }
    });
}

}  // namespace vram::virtual_gpu::ptx
