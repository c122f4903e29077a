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
using Colour = std::array<double, 4>;  ///< of products that a double holds exactly

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
    const bool is_signed = view.kind == ChannelKind::signed_integer;
    switch (view.channel_bytes) {
        case 1: {
            const auto bits = std::to_integer<std::uint8_t>(texel[channel]);
            return is_signed ? static_cast<std::uint32_t>(static_cast<std::int8_t>(bits)) : bits;
        }
        case 2: {
            std::uint16_t bits = 0;
            std::memcpy(&bits, texel + channel * 2, sizeof bits);
            return is_signed ? static_cast<std::uint32_t>(static_cast<std::int16_t>(bits)) : bits;
        }
        default: {
            std::uint32_t bits = 0;
            std::memcpy(&bits, texel + channel * 4, sizeof bits);
            return bits;
        }
    }
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

/// Channels that are filtered as whole numbers of 16 bits, not as floats.
float channel_to_filter(const TextureView& view, std::uint32_t bits) {
    switch (view.kind) {
        case ChannelKind::floating:
            return channel_value(view, bits);
        case ChannelKind::unsigned_integer:
            return static_cast<float>(bits) * (view.channel_bytes == 1 ? 257.0f : 1.0f);
        case ChannelKind::signed_integer:
            return static_cast<float>(static_cast<std::int32_t>(bits)) *
                   (view.channel_bytes == 1 ? 32767.0f / 127.0f : 1.0f);
    }
    return 0;
}

/// What 1.0 is among the numbers that are filtered.
float whole_to_filter(const TextureView& view) {
    return view.kind == ChannelKind::floating           ? 1.0f
           : view.kind == ChannelKind::unsigned_integer ? 65535.0f
                                                        : 32767.0f;
}

/// The result has no more bits than what was filtered.
float filtered_value(const TextureView& view, float sum) {
    if (view.kind == ChannelKind::floating) {
        return view.channel_bytes == 2 ? static_cast<float>(Half::decode(Half::encode(sum))) : sum;
    }
    return std::max(-1.0f, std::floor(sum + 0.5f) / whole_to_filter(view));
}

bool reads_floats(const TextureView& view) {
    return view.kind == ChannelKind::floating || view.as_normalised_float;
}

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

/// Where the lanes of a warp read: per axis the lower texel, and how much the next one weighs.
struct Samples {
    int axes = 1;
    bool filtered = false;  ///< otherwise the lower texel is all that counts
    std::array<AddressMode, 3> modes{};
    std::int32_t base[3][lanes_per_warp];
    float weight[3][lanes_per_warp];  ///< of 256
    std::uint64_t layer[lanes_per_warp];
};

/// Beyond this, positions are all the same to a texture, and floor_of would fail.
constexpr float farthest = 1e9f;

float floor_of(float value) {
    const auto truncated = static_cast<float>(static_cast<std::int32_t>(value));
    return truncated > value ? truncated - 1 : truncated;
}

/// No further away than `farthest`; not a number becomes 0.
float within_reach(float value) {
    const float lower = value < farthest ? value : farthest;
    const float bounded = lower > -farthest ? lower : -farthest;
    return value == value ? bounded : 0.0f;
}

/// The hardware keeps eight bits of the weight: 0 to 256.
float weight_of(float fraction) {
    return floor_of(fraction * 256.0f + 0.5f);
}

/// Lower texels and weights from positions in texels. Loops without branches, which compilers turn
/// into vector instructions.
void place_at(Samples& samples, int axis, float* positions) {
    if (samples.filtered) {
        for (int lane = 0; lane < lanes_per_warp; ++lane) {
            positions[lane] -= 0.5f;
            samples.weight[axis][lane] = weight_of(positions[lane] - floor_of(positions[lane]));
        }
    }
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        samples.base[axis][lane] = static_cast<std::int32_t>(floor_of(positions[lane]));
    }
}

void place_floats(Samples& samples, int axis, const TextureView& view, const float* coordinates,
                  std::uint64_t size) {
    float positions[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        positions[lane] = within_reach(coordinates[lane]);
    }
    if (view.normalised_coordinates) {
        if (samples.modes[axis] == AddressMode::wrap) {
            for (float& position : positions) {
                position -= floor_of(position);
            }
        }
        const auto texels = static_cast<float>(size);
        for (float& position : positions) {
            position = within_reach(position * texels);
        }
    }
    place_at(samples, axis, positions);
}

/// The face that a direction points to, and where on it, from 0 to 1.
struct PlaceOnCube {
    std::uint64_t face;
    float s;
    float t;
};

PlaceOnCube place_on_cube(float x, float y, float z) {
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    const auto on_face = [](std::uint64_t face, float s, float t, float major) {
        return PlaceOnCube{face, (s / major + 1) / 2, (t / major + 1) / 2};
    };
    // Of axes that are as long, the last one counts.
    if (az >= ax && az >= ay) {
        return z >= 0 ? on_face(4, x, -y, az) : on_face(5, -x, -y, az);
    }
    if (ay >= ax) {
        return y >= 0 ? on_face(2, x, z, ay) : on_face(3, x, -z, ay);
    }
    return x >= 0 ? on_face(0, -z, -y, ax) : on_face(1, z, -y, ax);
}

void place_on_cubes(Samples& samples, const TextureView& view, const float* x, const float* y,
                    const float* z) {
    float positions[2][lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        const PlaceOnCube place = place_on_cube(x[lane], y[lane], z[lane]);
        samples.layer[lane] = samples.layer[lane] * 6 + place.face;
        positions[0][lane] = within_reach(place.s * static_cast<float>(view.width));
        positions[1][lane] = within_reach(place.t * static_cast<float>(view.height));
    }
    place_at(samples, 0, positions[0]);
    place_at(samples, 1, positions[1]);
}

int axes_of(Geometry geometry) {
    return geometry == Geometry::line ? 1 : geometry == Geometry::volume ? 3 : 2;
}

AddressMode mode_of(const TexturePlan& plan, const TextureView& view, int axis) {
    if (plan.integer_coordinates) {
        return AddressMode::border;
    }
    if (plan.geometry == Geometry::cube) {
        return AddressMode::clamp;
    }
    // Repeating makes no sense for coordinates in texels.
    const AddressMode mode = view.address_modes[axis];
    const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
    return repeats && !view.normalised_coordinates ? AddressMode::clamp : mode;
}

void find_layers(Samples& samples, const TexturePlan& plan, const TextureView& view,
                 const std::uint32_t* numbers) {
    const std::uint64_t layers = plan.geometry == Geometry::cube ? view.depth / 6 : view.depth;
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        samples.layer[lane] = plan.layered ? std::min<std::uint64_t>(numbers[lane], layers - 1) : 0;
    }
}

/// For all lanes, active or not.
void place_samples(Samples& samples, const TexturePlan& plan, const TextureView& view,
                   const Warp& warp, const Instruction& instruction) {
    const Operand operands[4] = {instruction.a, instruction.b, instruction.c, instruction.e};
    const Operand* coordinates = operands + (plan.layered ? 1 : 0);
    samples.axes = axes_of(plan.geometry);
    samples.filtered = plan.gathered != 0 ||
                       (view.linear_filter && !plan.integer_coordinates && reads_floats(view));
    find_layers(samples, plan, view, warp.source<std::uint32_t>(operands[0]));
    for (int axis = 0; axis < samples.axes; ++axis) {
        samples.modes[axis] = mode_of(plan, view, axis);
    }
    if (plan.geometry == Geometry::cube) {
        place_on_cubes(samples, view, warp.source<float>(coordinates[0]),
                       warp.source<float>(coordinates[1]), warp.source<float>(coordinates[2]));
        return;
    }
    const std::uint64_t sizes[3] = {view.width, view.height, view.depth};
    if (plan.geometry == Geometry::line && samples.filtered &&
        view.address_modes[1] == AddressMode::border) {
        // A line is a plane of one row, read at its edge: half of it is border.
        float edge[lanes_per_warp] = {};
        samples.axes = 2;
        samples.modes[1] = AddressMode::border;
        place_at(samples, 1, edge);
        place_floats(samples, 0, view, warp.source<float>(coordinates[0]), sizes[0]);
        return;
    }
    for (int axis = 0; axis < samples.axes; ++axis) {
        if (plan.integer_coordinates) {
            const auto* whole = warp.source<std::int32_t>(coordinates[axis]);
            std::copy(whole, whole + lanes_per_warp, samples.base[axis]);
        } else {
            place_floats(samples, axis, view, warp.source<float>(coordinates[axis]), sizes[axis]);
        }
    }
}

/// One of the up to eight texels around a sample: bit `axis` of `corner` says which side. False for
/// the border.
bool find_texel(const Samples& samples, const TextureView& view, int lane, unsigned corner,
                std::uint64_t& address) {
    const std::uint64_t sizes[3] = {view.width, view.height, view.depth};
    std::int64_t at[3] = {0, 0, 0};
    for (int axis = 0; axis < samples.axes; ++axis) {
        at[axis] = std::int64_t{samples.base[axis][lane]} + ((corner >> axis) & 1u);
        if (!settle(at[axis], sizes[axis], samples.modes[axis])) {
            return false;
        }
    }
    const std::uint64_t slice = samples.layer[lane] + static_cast<std::uint64_t>(at[2]);
    address = view.address + slice * view.slice_bytes +
              static_cast<std::uint64_t>(at[1]) * view.row_bytes +
              static_cast<std::uint64_t>(at[0]) * view.texel_bytes();
    return true;
}

int share_of(int weight, int share) {
    return (weight * share + 128) >> 8;
}

/// Of the four corners of a plane whose upper sides weigh `a` and `b`; all weigh 256 together.
int weight_on_plane(int a, int b, bool upper_a, bool upper_b) {
    const int both = share_of(a, b);
    if (upper_a) {
        return upper_b ? both : a - both;
    }
    return upper_b ? b - both : 256 - a - b + both;
}

/// Of 256, with the rounding of the hardware, which filters a volume in x and z first.
int weight_of_corner(const Samples& samples, int lane, unsigned corner) {
    const auto upper = [&](int axis) { return ((corner >> axis) & 1u) != 0; };
    const auto weight = [&](int axis) { return static_cast<int>(samples.weight[axis][lane]); };
    if (samples.axes == 1) {
        return upper(0) ? weight(0) : 256 - weight(0);
    }
    if (samples.axes == 2) {
        return weight_on_plane(weight(0), weight(1), upper(0), upper(1));
    }
    const int together = weight_on_plane(weight(0), weight(2), upper(0), upper(2));
    const int above =
        upper(0) ? share_of(together, weight(1)) : together - share_of(together, 256 - weight(1));
    return upper(1) ? above : together - above;
}

const TextureView& view_of(const Warp& warp, int lane, std::uint64_t handle, bool surface) {
    const TextureView* view = texture_finder == nullptr ? nullptr
                              : surface                 ? texture_finder->surface(handle)
                                                        : texture_finder->texture(handle);
    if (view == nullptr) {
        fail(warp, lane,
             std::string("uses a ") + (surface ? "surface" : "texture") +
                 " object that was never made, or destroyed");
    }
    return *view;
}

/// Calls serve(view) for each object that the active lanes use, with its lanes alone active.
template <class Serve>
void for_each_object(Warp& warp, const Instruction& instruction, bool surface, Serve serve) {
    const auto* handles = warp.source<std::uint64_t>(instruction.d);
    const std::uint32_t all = warp.mask;
    for (std::uint32_t left = all; left != 0; left &= ~warp.mask) {
        const int first = __builtin_ctz(left);
        std::uint32_t same = 0;
        for (int lane : ActiveLanes{left}) {
            same |= handles[lane] == handles[first] ? 1u << lane : 0u;
        }
        warp.mask = same;
        serve(view_of(warp, first, handles[first], surface));
    }
    warp.mask = all;
}

/// The bytes at the addresses of the lanes in `lanes`. Texture units have counters of their own: no
/// request to global memory is counted.
void resolve_uncounted(Warp& warp, const Instruction& instruction, std::uint32_t lanes,
                       const std::uint64_t* addresses, unsigned bytes, Access access,
                       std::byte** host) {
    if (lanes == 0) {
        return;
    }
    Instruction uncounted = instruction;
    uncounted.space = Space::constant;
    const std::uint32_t all = warp.mask;
    warp.mask = lanes;
    warp.memory->lanes(warp, uncounted, addresses, bytes, access, host);
    warp.mask = all;
}

/// Reads one texture for the active lanes.
class TextureFetch {
  public:
    TextureFetch(Warp& warp, const Instruction& instruction, const TextureView& view)
        : warp_(warp),
          instruction_(instruction),
          view_(view),
          plan_(TexturePlan::unpacked(instruction.immediate)) {
        place_samples(samples_, plan_, view, warp, instruction);
    }

    void run() {
        if (plan_.gathered != 0) {
            gather(plan_.gathered - 1);
            return;
        }
        if (!samples_.filtered) {
            find_texels(0, warp_.mask);
            for (int element = 0; element < instruction_.element_count; ++element) {
                take_nearest(element);
            }
            return;
        }
        std::array<Colour, lanes_per_warp> colours{};
        for (unsigned corner = 0; corner < 1u << samples_.axes; ++corner) {
            add_corner(corner, colours);
        }
        for (int element = 0; element < instruction_.element_count; ++element) {
            auto* d = warp_.destination<float>(instruction_.elements[element]);
            for (int lane : ActiveLanes{warp_.mask}) {
                d[lane] = filtered_value(view_, static_cast<float>(colours[lane][element]));
            }
        }
    }

  private:
    /// Fills `texels_` for the wanted lanes that do not read the border, and `inside_`.
    void find_texels(unsigned corner, std::uint32_t wanted) {
        std::uint64_t addresses[lanes_per_warp];
        inside_ = 0;
        for (int lane : ActiveLanes{wanted}) {
            inside_ |= find_texel(samples_, view_, lane, corner, addresses[lane]) ? 1u << lane : 0u;
        }
        resolve_uncounted(warp_, instruction_, inside_, addresses, view_.texel_bytes(),
                          Access::read, texels_);
    }

    bool is_inside(int lane) const { return ((inside_ >> lane) & 1u) != 0; }
    float border(int channel) const {
        return plan_.integer_coordinates ? 0 : view_.border[channel];
    }

    /// One channel of the four texels that filtering would mix.
    void gather(int channel) {
        constexpr unsigned corners[4] = {2, 3, 1, 0};
        for (int element = 0; element < instruction_.element_count; ++element) {
            find_texels(corners[element], warp_.mask);
            take_channel(element, channel);
        }
    }

    void take_nearest(int element) { take_channel(element, element); }

    /// Channels beyond those of the texture are 0.
    void take_channel(int to_element, int element) {
        auto* d = warp_.destination<std::uint32_t>(instruction_.elements[to_element]);
        const bool floats = reads_floats(view_);
        const bool exists = element < view_.channels;
        const std::uint32_t outside = exists && floats ? bits_of(border(element)) : 0;
        for (int lane : ActiveLanes{warp_.mask}) {
            d[lane] = outside;
            if (exists && is_inside(lane)) {
                const std::uint32_t bits = channel_bits(view_, texels_[lane], element);
                d[lane] = floats ? bits_of(channel_value(view_, bits)) : bits;
            }
        }
    }

    void add_corner(unsigned corner, std::array<Colour, lanes_per_warp>& colours) {
        float weights[lanes_per_warp];
        std::uint32_t counting = 0;
        for (int lane : ActiveLanes{warp_.mask}) {
            weights[lane] = static_cast<float>(weight_of_corner(samples_, lane, corner)) / 256.0f;
            counting |= weights[lane] != 0 ? 1u << lane : 0u;
        }
        find_texels(corner, counting);
        for (int lane : ActiveLanes{counting}) {
            for (int channel = 0; channel < view_.channels; ++channel) {
                const float value =
                    is_inside(lane)
                        ? channel_to_filter(view_, channel_bits(view_, texels_[lane], channel))
                        : border(channel) * whole_to_filter(view_);
                colours[lane][channel] += weights[lane] * double{value};
            }
        }
    }

    Warp& warp_;
    const Instruction& instruction_;
    const TextureView& view_;
    const TexturePlan plan_;
    Samples samples_;
    std::uint32_t inside_ = 0;
    std::byte* texels_[lanes_per_warp];
};

}  // namespace

void set_texture_finder(const TextureFinder* finder) {
    texture_finder = finder;
}

std::int64_t TexturePlan::packed() const {
    return static_cast<std::int64_t>(geometry) | std::int64_t{layered} << 8 |
           std::int64_t{integer_coordinates} << 16 | static_cast<std::int64_t>(out_of_range) << 24 |
           std::int64_t{element_bytes} << 32 | std::int64_t{gathered} << 40;
}

TexturePlan TexturePlan::unpacked(std::int64_t bits) {
    TexturePlan plan;
    plan.geometry = static_cast<Geometry>(bits & 0xff);
    plan.layered = ((bits >> 8) & 1) != 0;
    plan.integer_coordinates = ((bits >> 16) & 1) != 0;
    plan.out_of_range = static_cast<OutOfRange>((bits >> 24) & 0xff);
    plan.element_bytes = static_cast<std::uint8_t>(bits >> 32);
    plan.gathered = static_cast<std::uint8_t>(bits >> 40);
    return plan;
}

void sample_texture(Warp& warp, const Instruction& instruction) {
    for_each_object(warp, instruction, false,
                    [&](const TextureView& view) { TextureFetch(warp, instruction, view).run(); });
}

// ---- surfaces -----------------------------------------------------------------------------------

namespace {

void gather_coordinates(const Warp& warp, const Instruction& instruction, int lane,
                        std::uint32_t* coordinates) {
    const Operand operands[4] = {instruction.a, instruction.b, instruction.c, instruction.e};
    for (int index = 0; index < 4; ++index) {
        coordinates[index] = warp.source<std::uint32_t>(operands[index])[lane];
    }
}

/// Addresses of the active lanes' elements, and the lanes that have one.
std::uint32_t surface_addresses(const Warp& warp, const Instruction& instruction,
                                const TextureView& view, unsigned bytes, std::uint64_t* addresses) {
    const TexturePlan plan = TexturePlan::unpacked(instruction.immediate);
    std::uint32_t inside = 0;
    for (int lane : ActiveLanes{warp.mask}) {
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

/// Calls visit(lane, bytes of the surface or nullptr) for the active lanes.
template <class Visit>
void visit_surface(Warp& warp, const Instruction& instruction, Access access, Visit visit) {
    const unsigned bytes = unsigned{TexturePlan::unpacked(instruction.immediate).element_bytes} *
                           instruction.element_count;
    for_each_object(warp, instruction, true, [&](const TextureView& view) {
        std::uint64_t addresses[lanes_per_warp];
        std::byte* host[lanes_per_warp] = {};
        const std::uint32_t inside = surface_addresses(warp, instruction, view, bytes, addresses);
        resolve_uncounted(warp, instruction, inside, addresses, bytes, access, host);
        for (int lane : ActiveLanes{warp.mask}) {
            visit(lane, host[lane]);
        }
    });
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
