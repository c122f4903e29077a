#include "grader/virtual_gpu/ptx/types.h"

#include <array>

namespace vram::virtual_gpu::ptx {

namespace {

struct Entry {
    std::string_view name;
    Type type;
    std::size_t bytes;
};

constexpr std::array<Entry, 24> entries = {{
    {"b8", Type::b8, 1},         {"u8", Type::u8, 1},         {"s8", Type::s8, 1},
    {"b16", Type::b16, 2},       {"u16", Type::u16, 2},       {"s16", Type::s16, 2},
    {"f16", Type::f16, 2},       {"bf16", Type::bf16, 2},     {"b32", Type::b32, 4},
    {"u32", Type::u32, 4},       {"s32", Type::s32, 4},       {"f32", Type::f32, 4},
    {"f16x2", Type::f16x2, 4},   {"bf16x2", Type::bf16x2, 4}, {"b64", Type::b64, 8},
    {"u64", Type::u64, 8},       {"s64", Type::s64, 8},       {"f64", Type::f64, 8},
    {"u16x2", Type::u16x2, 4},   {"s16x2", Type::s16x2, 4},   {"e4m3x2", Type::e4m3x2, 2},
    {"e5m2x2", Type::e5m2x2, 2}, {"tf32", Type::tf32, 4},     {"pred", Type::predicate, 0},
}};

}  // namespace

std::size_t size_of(Type type) {
    for (const Entry& entry : entries) {
        if (entry.type == type) {
            return entry.bytes;
        }
    }
    return 0;
}

bool is_signed_integer(Type type) {
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

bool is_float(Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

bool is_packed_pair(Type type) {
    return type == Type::f16x2 || type == Type::bf16x2;
}

Type type_named(std::string_view name) {
    if (!name.empty() && name.front() == '.') {
        name.remove_prefix(1);
    }
    for (const Entry& entry : entries) {
        if (entry.name == name) {
            return entry.type;
        }
    }
    return Type::none;
}

}  // namespace vram::virtual_gpu::ptx
