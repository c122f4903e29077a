#include "grader/virtual_gpu/ptx/operations/rare_integer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "grader/virtual_gpu/ptx/operations/active_lanes.h"
#include "grader/virtual_gpu/ptx/operations/comparison.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

namespace {

using U32 = std::uint32_t;
using S32 = std::int32_t;

constexpr U32 all_ones = 0xffffffffu;

/// d = f(a, b, c), all 32 bits wide.
template <U32 (*f)(U32 a, U32 b, U32 c)>
void words(Warp& warp, const Instruction& instruction) {
    U32* d = warp.destination<U32>(instruction.d);
    const U32* a = warp.source<U32>(instruction.a);
    const U32* b = warp.source<U32>(instruction.b);
    const U32* c = warp.source<U32>(instruction.c);
    for (int lane : ActiveLanes{warp.mask}) {
        d[lane] = f(a[lane], b[lane], c[lane]);
    }
}

// ---- bits ---------------------------------------------------------------------------------------

/// The position of the n-th one of `mask`, counted from `base` upwards or downwards.
U32 find_nth_set(U32 mask, U32 base, U32 offset) {
    const S32 n = static_cast<S32>(offset);
    if (n == std::numeric_limits<S32>::min()) {
        return 0;  // as the hardware does, since its magnitude is no number of 32 bits
    }
    if (n == 0) {
        return base < 32 && ((mask >> base) & 1u) != 0 ? base : all_ones;
    }
    std::int64_t left = n > 0 ? n : -std::int64_t{n};
    for (std::int64_t position = base; position >= 0 && position<32; position += n> 0 ? 1 : -1) {
        if (((mask >> position) & 1u) != 0 && --left == 0) {
            return static_cast<U32>(position);
        }
    }
    return all_ones;
}

/// The lowest `width` bits of `a`; a width from 32 on keeps all of them, or is taken modulo 32.
template <bool with_sign, bool clamp>
U32 extend(U32 a, U32 width, U32) {
    if (clamp && width >= 32) {
        return a;
    }
    width &= 31;
    if (width == 0) {
        return 0;
    }
    const U32 above = all_ones << width;
    const bool negative = with_sign && ((a >> (width - 1)) & 1u) != 0;
    return negative ? a | above : a & ~above;
}

/// `width` ones from bit `position` on.
template <bool clamp>
U32 make_mask(U32 position, U32 width, U32) {
    if (clamp && position >= 32) {
        return 0;
    }
    const bool reaches_the_end = clamp && width >= 32;
    position &= 31;
    width &= 31;
    const U32 from = all_ones << position;
    if (reaches_the_end || position + width >= 32) {
        return from;
    }
    return from & ~(all_ones << (position + width));
}

enum class Choice { forwards, backwards, replicate_byte, edge_left, edge_right, replicate_half };

/// The byte of {b, a} that the mode of prmt puts at `position`.
U32 chosen_byte(Choice choice, U32 select, U32 position) {
    switch (choice) {
        case Choice::forwards:
            return (select + position) & 7;
        case Choice::backwards:
            return (select - position) & 7;
        case Choice::replicate_byte:
            return select;
        case Choice::edge_left:
            return std::max(select, position);
        case Choice::edge_right:
            return std::min(select, position);
        case Choice::replicate_half:
            return (select & 1) * 2 + (position & 1);
    }
    return 0;
}

template <Choice choice>
U32 permute(U32 a, U32 b, U32 c) {
    const std::uint64_t bytes = (std::uint64_t{b} << 32) | a;
    U32 result = 0;
    for (U32 position = 0; position < 4; ++position) {
        const U32 byte = chosen_byte(choice, c & 3, position);
        result |= static_cast<U32>((bytes >> (8 * byte)) & 0xff) << (8 * position);
    }
    return result;
}

// ---- products of 24 bits, saturation ------------------------------------------------------------

std::int64_t product24_signed(U32 a, U32 b) {
    return std::int64_t{static_cast<S32>(a << 8) >> 8} * (static_cast<S32>(b << 8) >> 8);
}
std::uint64_t product24_unsigned(U32 a, U32 b) {
    return std::uint64_t{a & 0xffffff} * (b & 0xffffff);
}
U32 saturated(std::int64_t value) {
    return static_cast<U32>(static_cast<S32>(std::clamp<std::int64_t>(
        value, std::numeric_limits<S32>::min(), std::numeric_limits<S32>::max())));
}
/// Bits 16 to 47 of the product.
U32 multiply24_high_signed(U32 a, U32 b, U32) {
    return static_cast<U32>(product24_signed(a, b) >> 16);
}
U32 multiply24_high_unsigned(U32 a, U32 b, U32) {
    return static_cast<U32>(product24_unsigned(a, b) >> 16);
}
U32 multiply24_add_high_signed(U32 a, U32 b, U32 c) {
    return multiply24_high_signed(a, b, 0) + c;
}
U32 multiply24_add_high_unsigned(U32 a, U32 b, U32 c) {
    return multiply24_high_unsigned(a, b, 0) + c;
}
U32 multiply24_add_high_saturated(U32 a, U32 b, U32 c) {
    return saturated((product24_signed(a, b) >> 16) + static_cast<S32>(c));
}
U32 multiply_add_high_saturated(U32 a, U32 b, U32 c) {
    const std::int64_t product = std::int64_t{static_cast<S32>(a)} * static_cast<S32>(b);
    return saturated((product >> 32) + static_cast<S32>(c));
}

// ---- pairs of 16 bits, and results that are not negative ----------------------------------------

template <S32 (*f)(S32 a, S32 b), bool with_sign>
U32 pairs(U32 a, U32 b, U32) {
    U32 result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        const auto x = static_cast<std::uint16_t>(a >> shift);
        const auto y = static_cast<std::uint16_t>(b >> shift);
        const S32 value =
            with_sign ? f(static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)) : f(x, y);
        result |= static_cast<U32>(static_cast<std::uint16_t>(value)) << shift;
    }
    return result;
}

S32 sum(S32 a, S32 b) {
    return a + b;
}
S32 least(S32 a, S32 b) {
    return std::min(a, b);
}
S32 greatest(S32 a, S32 b) {
    return std::max(a, b);
}
template <S32 (*f)(S32 a, S32 b)>
S32 not_negative(S32 a, S32 b) {
    return std::max(f(a, b), 0);
}
template <S32 (*f)(S32 a, S32 b)>
U32 single(U32 a, U32 b, U32) {
    return static_cast<U32>(f(static_cast<S32>(a), static_cast<S32>(b)));
}

/// lop3.and and lop3.or: the table's result, and a predicate that says whether it is not zero.
template <bool conjunction>
void logic_with_predicate(Warp& warp, const Instruction& instruction) {
    U32* d = warp.destination<U32>(instruction.d);
    const U32* a = warp.source<U32>(instruction.a);
    const U32* b = warp.source<U32>(instruction.b);
    const U32* c = warp.source<U32>(instruction.c);
    U32 not_zero = 0;
    for (int lane : ActiveLanes{warp.mask}) {
        const U32 operands[3] = {a[lane], b[lane], c[lane]};
        U32 value = 0;
        for (int row = 0; row < 8; ++row) {
            if (((instruction.immediate >> row) & 1) != 0) {
                value |= ((row & 4) != 0 ? operands[0] : ~operands[0]) &
                         ((row & 2) != 0 ? operands[1] : ~operands[1]) &
                         ((row & 1) != 0 ? operands[2] : ~operands[2]);
            }
        }
        d[lane] = value;
        not_zero |= static_cast<U32>(value != 0) << lane;
    }
    if (instruction.d_second >= 0) {
        const U32 other = warp.predicate(instruction.p, instruction.p_negated);
        warp.set_predicate(instruction.d_second, conjunction ? not_zero & other : not_zero | other);
    }
}

Operation find_on_pairs(std::string_view name, bool with_sign) {
    if (name == "add")
        return words<pairs<sum, false>>;
    if (name == "min")
        return with_sign ? words<pairs<least, true>> : words<pairs<least, false>>;
    if (name == "max")
        return with_sign ? words<pairs<greatest, true>> : words<pairs<greatest, false>>;
    if (with_sign && name == "min.relu")
        return words<pairs<not_negative<least>, true>>;
    if (with_sign && name == "max.relu")
        return words<pairs<not_negative<greatest>, true>>;
    return nullptr;
}

Operation find_on_signed(std::string_view name) {
    if (name == "min.relu")
        return words<single<not_negative<least>>>;
    if (name == "max.relu")
        return words<single<not_negative<greatest>>>;
    if (name == "mul24.hi")
        return words<multiply24_high_signed>;
    if (name == "mad24.hi")
        return words<multiply24_add_high_signed>;
    if (name == "mad24.hi.sat")
        return words<multiply24_add_high_saturated>;
    if (name == "mad.hi.sat")
        return words<multiply_add_high_saturated>;
    if (name == "szext.wrap")
        return words<extend<true, false>>;
    if (name == "szext.clamp")
        return words<extend<true, true>>;
    return nullptr;
}

Operation find_on_unsigned(std::string_view name) {
    if (name == "mul24.hi")
        return words<multiply24_high_unsigned>;
    if (name == "mad24.hi")
        return words<multiply24_add_high_unsigned>;
    if (name == "szext.wrap")
        return words<extend<false, false>>;
    if (name == "szext.clamp")
        return words<extend<false, true>>;
    return nullptr;
}

Operation find_on_bits(std::string_view name) {
    if (name == "fns")
        return words<find_nth_set>;
    if (name == "bmsk.wrap")
        return words<make_mask<false>>;
    if (name == "bmsk.clamp")
        return words<make_mask<true>>;
    if (name == "prmt.f4e")
        return words<permute<Choice::forwards>>;
    if (name == "prmt.b4e")
        return words<permute<Choice::backwards>>;
    if (name == "prmt.rc8")
        return words<permute<Choice::replicate_byte>>;
    if (name == "prmt.ecl")
        return words<permute<Choice::edge_left>>;
    if (name == "prmt.ecr")
        return words<permute<Choice::edge_right>>;
    if (name == "prmt.rc16")
        return words<permute<Choice::replicate_half>>;
    if (name == "lop3.and")
        return logic_with_predicate<true>;
    if (name == "lop3.or")
        return logic_with_predicate<false>;
    return nullptr;
}

// ---- four bytes or two halves of a word ---------------------------------------------------------

S32 part_of(U32 word, int number, int bits, bool with_sign) {
    const U32 at_top = word << (32 - bits * (number + 1));
    return with_sign ? static_cast<S32>(at_top) >> (32 - bits)
                     : static_cast<S32>(at_top >> (32 - bits));
}

S32 result_of_part(const PackedPlan& plan, S32 a, S32 b) {
    using Action = PackedPlan::Action;
    switch (plan.action) {
        case Action::add:
            return a + b;
        case Action::subtract:
            return a - b;
        case Action::absolute_difference:
            return a < b ? b - a : a - b;
        case Action::average:
            return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
        case Action::minimum:
            return std::min(a, b);
        case Action::maximum:
            return std::max(a, b);
        case Action::compare:
            return compare_by(plan.comparison, a, b) ? 1 : 0;
    }
    return 0;
}

S32 saturated_part(const PackedPlan& plan, S32 value) {
    const S32 most = (1 << (plan.d_signed ? plan.bits - 1 : plan.bits)) - 1;
    const S32 least_value = plan.d_signed ? -most - 1 : 0;
    return std::clamp(value, least_value, most);
}

}  // namespace

Operation find_rare_integer(const Selection& selection) {
    switch (selection.type) {
        case Type::u16x2:
            return find_on_pairs(selection.name, false);
        case Type::s16x2:
            return find_on_pairs(selection.name, true);
        case Type::s32:
            return find_on_signed(selection.name);
        case Type::u32:
            return find_on_unsigned(selection.name);
        case Type::b32:
            return find_on_bits(selection.name);
        default:
            return nullptr;
    }
}

static_assert(sizeof(PackedPlan) <= sizeof(std::int64_t));

std::int64_t PackedPlan::packed() const {
    std::int64_t bits_of_plan = 0;
    std::memcpy(&bits_of_plan, this, sizeof *this);
    return bits_of_plan;
}

PackedPlan PackedPlan::unpacked(std::int64_t packed) {
    PackedPlan plan;
    std::memcpy(static_cast<void*>(&plan), &packed, sizeof plan);
    return plan;
}

void use_packed_parts(Warp& warp, const Instruction& instruction) {
    const PackedPlan plan = PackedPlan::unpacked(instruction.immediate);
    U32* d = warp.destination<U32>(instruction.d);
    const U32* a = warp.source<U32>(instruction.a);
    const U32* b = warp.source<U32>(instruction.b);
    const U32* c = warp.source<U32>(instruction.c);
    const U32 part_mask = (1u << plan.bits) - 1;
    for (int lane : ActiveLanes{warp.mask}) {
        U32 joined = 0;
        U32 total = c[lane];
        for (int number = 0; number < 32 / plan.bits; ++number) {
            S32 value = result_of_part(plan, part_of(a[lane], number, plan.bits, plan.a_signed),
                                       part_of(b[lane], number, plan.bits, plan.b_signed));
            if (plan.saturate) {
                value = saturated_part(plan, value);
            }
            total += static_cast<U32>(value);
            joined |= (static_cast<U32>(value) & part_mask) << (number * plan.bits);
        }
        d[lane] = plan.accumulate ? total : joined;
    }
}

}  // namespace vram::virtual_gpu::ptx
