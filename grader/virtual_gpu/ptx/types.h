// Types and state spaces of PTX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vram::virtual_gpu::ptx {

enum class Type : std::uint8_t {
    none,
    b8,
    u8,
    s8,
    b16,
    u16,
    s16,
    f16,
    bf16,
    b32,
    u32,
    s32,
    f32,
    f16x2,
    bf16x2,
    u16x2,
    s16x2,
    e4m3x2,
    e5m2x2,
    tf32,
    b64,
    u64,
    s64,
    f64,
    predicate,
};

/// Bytes of one value; 0 for `none` and `predicate`.
std::size_t size_of(Type type);
bool is_signed_integer(Type type);
/// f16, bf16, f32, f64; not the packed pairs, nor tf32.
bool is_float(Type type);
/// f16x2 and bf16x2.
bool is_packed_pair(Type type);
/// The type that an instruction suffix or a declaration names, with or without its leading dot.
Type type_named(std::string_view name);

enum class Space : std::uint8_t { generic, global, shared, local, constant, parameter };

/// Bytes that a register of this type takes for each lane. Eight-bit registers take two.
inline std::size_t register_width(Type type) {
    return size_of(type) < 2 ? 2 : size_of(type);
}

}  // namespace vram::virtual_gpu::ptx
