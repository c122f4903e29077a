// What texture and surface objects show, and how kernels reach them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vram::virtual_gpu::ptx {

enum class ChannelKind : std::uint8_t { signed_integer, unsigned_integer, floating };
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

/// Texels in device memory, and how they are read. A texture of fewer dimensions has extents of 1.
struct TextureView {
    std::uint64_t address = 0;      ///< of the first texel
    std::uint64_t width = 1;        ///< texels
    std::uint64_t height = 1;       ///< texels
    std::uint64_t depth = 1;        ///< texels, or layers, or faces of cubes
    std::uint64_t row_bytes = 0;    ///< from row to row
    std::uint64_t slice_bytes = 0;  ///< from slice, layer or face to the next
    std::uint8_t channels = 1;      ///< 1, 2 or 4
    std::uint8_t channel_bytes = 4;
    ChannelKind kind = ChannelKind::floating;
    std::array<AddressMode, 3> address_modes = {AddressMode::clamp, AddressMode::clamp,
                                                AddressMode::clamp};
    std::array<float, 4> border = {0, 0, 0, 0};
    bool linear_filter = false;
    bool normalised_coordinates = false;
    bool as_normalised_float = false;  ///< 8- and 16-bit integers become [0, 1] or [-1, 1]

    unsigned texel_bytes() const { return unsigned{channels} * channel_bytes; }
};

/// Looks objects up; installed once by the host side. Views must not change while a kernel runs.
class TextureFinder {
  public:
    virtual ~TextureFinder() = default;
    /// nullptr for a handle that is not alive.
    virtual const TextureView* texture(std::uint64_t handle) const = 0;
    virtual const TextureView* surface(std::uint64_t handle) const = 0;
};
void set_texture_finder(const TextureFinder* finder);

struct Warp;
struct Instruction;

/// What the operations below need to know; kept in Instruction::immediate.
struct TexturePlan {
    enum class Geometry : std::uint8_t { line, plane, volume, cube };
    enum class OutOfRange : std::uint8_t { trap, clamp, zero };

    Geometry geometry = Geometry::plane;
    bool layered = false;
    bool integer_coordinates = false;            ///< of a texture: texels, not positions
    OutOfRange out_of_range = OutOfRange::trap;  ///< of a surface
    std::uint8_t element_bytes = 4;              ///< of a surface
    std::uint8_t gathered = 0;  ///< 1 + the channel that is read of four texels; 0: a plain fetch

    std::int64_t packed() const;
    static TexturePlan unpacked(std::int64_t bits);
};

// The object's handle is operand d. Coordinates are a, b, c and e, after the layer if there is one;
// the values are `elements`.
void sample_texture(Warp& warp, const Instruction& instruction);
void load_surface(Warp& warp, const Instruction& instruction);
void store_surface(Warp& warp, const Instruction& instruction);

}  // namespace vram::virtual_gpu::ptx
