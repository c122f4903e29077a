// Decoding of moves, comparisons, conversions and arithmetic.
#include <algorithm>

#include "grader/virtual_gpu/ptx/builtins.h"
#include "grader/virtual_gpu/ptx/decoder.h"
#include "grader/virtual_gpu/ptx/operations/any_conversion.h"
#include "grader/virtual_gpu/ptx/operations/half_variant.h"
#include "grader/virtual_gpu/ptx/operations/rare_integer.h"

namespace vram::virtual_gpu::ptx {

namespace {

std::optional<Comparison> comparison_named(const std::string& name, bool is_unsigned) {
    static const std::pair<const char*, Comparison> names[] = {
        {"eq", Comparison::eq},   {"ne", Comparison::ne},   {"lt", Comparison::lt},
        {"le", Comparison::le},   {"gt", Comparison::gt},   {"ge", Comparison::ge},
        {"equ", Comparison::equ}, {"neu", Comparison::neu}, {"ltu", Comparison::ltu},
        {"leu", Comparison::leu}, {"gtu", Comparison::gtu}, {"geu", Comparison::geu},
        {"num", Comparison::num}, {"nan", Comparison::nan},
    };
    static const std::pair<const char*, Comparison> unsigned_names[] = {
        {"lo", Comparison::lt},
        {"ls", Comparison::le},
        {"hi", Comparison::gt},
        {"hs", Comparison::ge},
    };
    for (const auto& [text, comparison] : names) {
        if (name == text) {
            return comparison;
        }
    }
    for (const auto& [text, comparison] : unsigned_names) {
        if (is_unsigned && name == text) {
            return comparison;
        }
    }
    return std::nullopt;
}

Type twice(Type type) {
    switch (type) {
        case Type::u16:
            return Type::u32;
        case Type::s16:
            return Type::s32;
        case Type::u32:
            return Type::u64;
        case Type::s32:
            return Type::s64;
        default:
            return Type::none;
    }
}

/// What `set` writes where the comparison holds, twice for 16 bits; 0 for other types.
std::int32_t value_of_set(Type type) {
    switch (type) {
        case Type::u16:
        case Type::s16:
        case Type::u32:
        case Type::s32:
            return -1;
        case Type::f32:
            return 0x3f800000;
        case Type::f16:
        case Type::f16x2:
            return 0x3c003c00;
        case Type::bf16:
        case Type::bf16x2:
            return 0x3f803f80;
        default:
            return 0;
    }
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// How many sources an instruction of plain arithmetic has.
std::size_t operands_of(const std::string& base) {
    if (is_one_of(base, {"abs", "neg", "not", "cnot", "popc", "clz", "brev", "bfind", "rcp", "sqrt",
                         "rsqrt", "sin", "cos", "ex2", "lg2", "tanh", "testp"})) {
        return 1;
    }
    if (is_one_of(base,
                  {"fma", "mad", "mad24", "sad", "bfe", "shf", "prmt", "dp4a", "dp2a", "fns"})) {
        return 3;
    }
    return is_one_of(base, {"bfi", "lop3"}) ? 4 : 2;
}

/// For the others, a second type asks for something else, such as a sum of mixed precision.
bool takes_two_types(const std::string& base) {
    return base == "dp4a" || base == "dp2a";
}

}  // namespace

bool FunctionDecoder::decode_move(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    if (base == "mov") {
        decode_mov(mnemonic, instruction);
    } else if (base == "setp" || base == "set") {
        decode_setp(mnemonic, instruction, base == "set");
    } else if (base == "selp" || base == "slct") {
        const Type type = mnemonic.type();
        instruction.d = destination(parse_operand(), type);
        comma();
        instruction.a = value(parse_operand(), type);
        comma();
        instruction.b = value(parse_operand(), type);
        comma();
        if (base == "selp") {
            const ParsedOperand p = parse_operand();
            if (p.form != ParsedOperand::Form::predicate) {
                unsupported("an operand that should be a predicate");
            }
            set_predicate_source(instruction, p);
        } else {
            instruction.c = value(parse_operand(), mnemonic.type(1));
            wrap_rounding(instruction, Rounding::nearest, mnemonic.has("ftz"));
        }
        emit(instruction, families_.move({.name = base, .type = type, .second = mnemonic.type(1)}));
    } else if (base == "cvt") {
        decode_conversion(mnemonic, instruction);
    } else if (base == "cvta") {
        decode_address_conversion(mnemonic, instruction);
    } else if (base == "isspacep") {
        const ParsedOperand d = parse_operand();
        comma();
        if (d.form != ParsedOperand::Form::predicate) {
            unsupported("a destination that should be a predicate");
        }
        instruction.d = d.slot;
        instruction.a = value(parse_operand(), Type::u64);
        instruction.space = mnemonic.has("global")  ? Space::global
                            : mnemonic.has("local") ? Space::local
                            : mnemonic.has("const") ? Space::constant
                            : mnemonic.has("param") || mnemonic.has("param::entry")
                                ? Space::parameter
                                : Space::shared;
        emit(instruction, families_.move({.name = "isspacep"}));
    } else if (mnemonic.type() == Type::predicate) {
        decode_predicate_logic(mnemonic, instruction);
    } else {
        return false;
    }
    return true;
}

void FunctionDecoder::decode_mov(const Mnemonic& mnemonic, Instruction& instruction) {
    const Type type = mnemonic.type();
    const ParsedOperand d = parse_operand();
    comma();
    if (type == Type::predicate) {
        const ParsedOperand a = parse_operand();
        if (d.form != ParsedOperand::Form::predicate) {
            unsupported("a destination that should be a predicate");
        }
        instruction.d = d.slot;
        set_predicate_source(instruction, a);
        instruction.a = instruction.p;
        instruction.variant = 0;
        emit(instruction, families_.move({.name = "predicate"}));
        return;
    }
    const ParsedOperand a = parse_operand();
    const bool unpacks = d.form == ParsedOperand::Form::vector;
    if (unpacks || a.form == ParsedOperand::Form::vector) {
        const std::vector<ParsedOperand>& parts = unpacks ? d.elements : a.elements;
        if (parts.empty() || parts.size() > 4 || size_of(type) % parts.size() != 0) {
            unsupported("a vector of this length");
        }
        const std::size_t bytes = size_of(type) / parts.size();
        const Type part_type = bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : Type::b8;
        for (std::size_t index = 0; index < parts.size(); ++index) {
            instruction.elements[index] =
                unpacks ? destination(parts[index], part_type) : value(parts[index], part_type);
        }
        (unpacks ? instruction.a : instruction.d) = unpacks ? value(a, type) : destination(d, type);
        emit(instruction,
             families_.move({.name = unpacks ? "unpack" : "pack", .type = type, .width = bytes}));
        return;
    }
    instruction.d = destination(d, type);
    if (a.form == ParsedOperand::Form::clock) {
        instruction.width = static_cast<std::uint8_t>(register_width(type));
        instruction.variant = a.name.size() > 3 && a.name.substr(a.name.size() - 3) == "_hi";
        emit(instruction, read_clock);
        return;
    }
    if (a.form == ParsedOperand::Form::symbol) {
        if (const LocalBytes* frame = find_in_scopes(&Scope::frame_bytes, a.name)) {
            instruction.immediate = frame->offset + a.offset;
            emit(instruction, families_.move({.name = "address_of_local", .type = type}));
            return;
        }
    }
    instruction.a = value(a, type);
    emit(instruction, families_.move({.name = "mov", .type = type}));
}

void FunctionDecoder::decode_setp(const Mnemonic& mnemonic, Instruction& instruction,
                                  bool to_register) {
    const Type type = mnemonic.type(to_register ? 1 : 0);
    const bool is_unsigned = !is_signed_integer(type) && !is_float(type);
    std::optional<Comparison> comparison;
    for (std::size_t index = 1; index < mnemonic.words().size() && !comparison; ++index) {
        comparison = comparison_named(mnemonic.words()[index], is_unsigned);
    }
    if (!comparison) {
        unsupported();
    }
    const bool half = type == Type::f16 || type == Type::bf16 || is_packed_pair(type);
    const bool flush = mnemonic.has("ftz");
    instruction.variant = half && flush ? half_flush : 0;
    instruction.comparison = *comparison;
    instruction.combination = mnemonic.has("and")   ? Combination::and_
                              : mnemonic.has("or")  ? Combination::or_
                              : mnemonic.has("xor") ? Combination::xor_
                                                    : Combination::none;
    const ParsedOperand d = parse_operand();
    if (to_register) {
        instruction.d = destination(d, mnemonic.type());
        instruction.width = static_cast<std::uint8_t>(register_width(mnemonic.type()));
        instruction.target = value_of_set(mnemonic.type());
        if (instruction.target == 0) {
            unsupported();
        }
    } else {
        instruction.d = d.form == ParsedOperand::Form::predicate ? d.slot : no_predicate;
        if (reader_.accept("|")) {
            const ParsedOperand second = parse_operand();
            instruction.d_second =
                second.form == ParsedOperand::Form::predicate ? second.slot : no_predicate;
        }
    }
    comma();
    instruction.a = value(parse_operand(), type);
    comma();
    instruction.b = value(parse_operand(), type);
    if (reader_.accept(",")) {
        const ParsedOperand p = parse_operand();
        if (p.form != ParsedOperand::Form::predicate) {
            unsupported("an operand that should be a predicate");
        }
        set_predicate_source(instruction, p);
    } else {
        instruction.combination = Combination::none;
    }
    wrap_rounding(instruction, Rounding::nearest, flush && type == Type::f32);
    const Selection selection = {
        .name = to_register ? "set" : "setp", .type = type, .comparison = *comparison};
    emit(instruction, half ? families_.half(selection) : families_.move(selection));
}

void FunctionDecoder::decode_predicate_logic(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    if (!is_one_of(base, {"and", "or", "xor", "not"})) {
        unsupported();
    }
    const ParsedOperand d = parse_operand();
    comma();
    const ParsedOperand a = parse_operand();
    if (d.form != ParsedOperand::Form::predicate) {
        unsupported("a destination that should be a predicate");
    }
    instruction.d = d.slot;
    set_predicate_source(instruction, a);
    instruction.a = instruction.p;
    instruction.variant = base == "and" ? 1 : base == "or" ? 2 : base == "xor" ? 3 : 4;
    if (base != "not") {
        comma();
        const ParsedOperand b = parse_operand();
        if (b.form == ParsedOperand::Form::predicate) {
            instruction.b = b.slot;
            instruction.variant |= b.negated ? 8 : 0;
        } else if (b.form == ParsedOperand::Form::literal) {
            instruction.b = no_predicate;
            instruction.target = (b.literal.bits != 0) != b.negated;
        } else {
            unsupported("an operand that should be a predicate");
        }
    }
    emit(instruction, families_.move({.name = "predicate"}));
}

void FunctionDecoder::decode_address_conversion(const Mnemonic& mnemonic,
                                                Instruction& instruction) {
    std::uint64_t window = 0;
    if (mnemonic.has("shared") || mnemonic.has("shared::cta")) {
        window = shared_window;
    } else if (mnemonic.has("local")) {
        window = local_window;
    } else if (mnemonic.has("param") || mnemonic.has("param::entry")) {
        window = parameter_window;
    }
    instruction.d = destination(parse_operand(), Type::u64);
    comma();
    const ParsedOperand a = parse_operand();
    const bool narrow = a.form == ParsedOperand::Form::register_ && register_width(a.type) == 4;
    instruction.a = value(a, narrow ? Type::u32 : Type::u64);
    instruction.immediate = static_cast<std::int64_t>(mnemonic.has("to") ? 0 - window : window);
    emit(instruction,
         families_.move({.name = "cvta", .width = narrow ? std::size_t{4} : std::size_t{8}}));
}

void FunctionDecoder::decode_conversion(const Mnemonic& mnemonic, Instruction& instruction) {
    const Type to = mnemonic.type(0);
    const Type from = mnemonic.type(1);
    ConversionPlan plan;
    plan.to = to;
    plan.from = from;
    plan.flush = mnemonic.has("ftz");
    plan.relu = mnemonic.has("relu");
    plan.saturate_finite = mnemonic.has("satfinite");
    for (std::size_t index = 1; index < mnemonic.words().size(); ++index) {
        const std::string& word = mnemonic.words()[index];
        if (type_named(word) == Type::none &&
            !is_one_of(word, {"rn", "rna", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz",
                              "sat", "relu", "satfinite", "pack"})) {
            unsupported();
        }
    }
    const bool to_integral =
        mnemonic.has("rni") || mnemonic.has("rzi") || mnemonic.has("rmi") || mnemonic.has("rpi");
    plan.integral = to_integral && is_float(to);
    instruction.rounding = mnemonic.rounding();
    instruction.saturate = mnemonic.has("sat");
    const ParsedOperand d = parse_operand();
    comma();
    const ParsedOperand a = parse_operand();
    const bool eight_bits_to = to == Type::e4m3x2 || to == Type::e5m2x2;
    const bool eight_bits_from = from == Type::e4m3x2 || from == Type::e5m2x2;
    if (mnemonic.has("pack")) {
        instruction.d = destination(d, Type::b32);
        instruction.a = value(a, Type::s32);
        comma();
        instruction.b = value(parse_operand(), Type::s32);
        instruction.has_result = reader_.accept(",");  // here: has bits that are moved up
        instruction.c = instruction.has_result ? value(parse_operand(), Type::b32) : constant(0, 4);
        if (from != Type::s32 || size_of(to) == 0 || size_of(to) > 2 || is_float(to)) {
            unsupported();
        }
        instruction.immediate = plan.packed();
        emit(instruction, pack_saturated);
        return;
    }
    if ((is_packed_pair(to) || eight_bits_to) && from == Type::f32) {
        comma();
        instruction.d = destination(d, to);
        instruction.a = value(a, Type::f32);
        instruction.b = value(parse_operand(), Type::f32);
        instruction.immediate = plan.packed();
        emit(instruction, convert_pair);
        return;
    }
    if ((eight_bits_to && from == Type::f16x2) || (eight_bits_from && to == Type::f16x2)) {
        instruction.d = destination(d, to);
        instruction.a = value(a, from);
        instruction.immediate = plan.packed();
        emit(instruction, convert_packed);
        return;
    }
    if (size_of(to) == 0 || size_of(from) == 0 || is_packed_pair(to) || is_packed_pair(from) ||
        eight_bits_to || eight_bits_from || from == Type::tf32 ||
        (to == Type::tf32 && from != Type::f32)) {
        unsupported();
    }
    const auto width_of = [&](const ParsedOperand& operand, Type type) {
        return operand.form == ParsedOperand::Form::register_ ? register_width(operand.type)
                                                              : register_width(type);
    };
    plan.to_width = static_cast<std::uint8_t>(width_of(d, to));
    plan.from_width = static_cast<std::uint8_t>(width_of(a, from));
    if (plan.to_width < size_of(to) || plan.from_width < size_of(from)) {
        unsupported("a register that is too narrow");
    }
    instruction.d = d.form == ParsedOperand::Form::discarded ? new_slot(plan.to_width)
                    : d.form == ParsedOperand::Form::register_
                        ? d.slot
                        : (unsupported("a destination of this form"), 0);
    instruction.a = a.form == ParsedOperand::Form::register_ ? a.slot : value(a, from);
    instruction.immediate = plan.packed();
    const bool rounds_to_integer = is_float(from) && !is_float(to);
    Operation fast = nullptr;
    if (plan.to_width == register_width(to) && size_of(to) > 1 && !instruction.saturate &&
        !plan.integral && !plan.relu && !plan.saturate_finite && !(plan.flush && to == Type::f64) &&
        (!rounds_to_integer || mnemonic.has("rzi"))) {
        fast = families_.conversion({.name = rounds_to_integer ? "cvt.rzi" : "cvt",
                                     .type = to,
                                     .second = from,
                                     .width = plan.from_width});
    }
    if (!is_float(to) || plan.integral) {
        wrap_rounding(instruction, Rounding::nearest, plan.flush);
    } else {
        wrap_rounding(instruction, instruction.rounding, plan.flush);
    }
    emit(instruction, fast != nullptr ? fast : convert_any);
}

bool FunctionDecoder::decode_arithmetic(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    if (base.front() == 'v' && (base.back() == '2' || base.back() == '4')) {
        decode_packed_parts(mnemonic, instruction);
        return true;
    }
    const bool may_carry = is_one_of(base, {"add", "sub", "mad"}) && mnemonic.has("cc");
    if (may_carry || is_one_of(base, {"addc", "subc", "madc"})) {
        decode_carry(mnemonic, instruction);
    } else {
        decode_plain(mnemonic, instruction);
    }
    return true;
}

/// vadd4 and the like: four bytes or two halves of a word, each by itself.
void FunctionDecoder::decode_packed_parts(const Mnemonic& mnemonic, Instruction& instruction) {
    using Action = PackedPlan::Action;
    static const std::pair<const char*, Action> actions[] = {
        {"vadd", Action::add},
        {"vsub", Action::subtract},
        {"vabsdiff", Action::absolute_difference},
        {"vavrg", Action::average},
        {"vmin", Action::minimum},
        {"vmax", Action::maximum},
        {"vset", Action::compare},
    };
    const std::string base = mnemonic.base().substr(0, mnemonic.base().size() - 1);
    const auto action = std::find_if(std::begin(actions), std::end(actions),
                                     [&](const auto& entry) { return base == entry.first; });
    if (action == std::end(actions)) {
        unsupported();
    }
    PackedPlan plan;
    plan.action = action->second;
    plan.bits = mnemonic.base().back() == '4' ? 8 : 16;
    const bool compares = plan.action == Action::compare;
    // A comparison names no type of its result.
    const std::size_t first = compares ? 0 : 1;
    plan.d_signed = !compares && is_signed_integer(mnemonic.type(0));
    plan.a_signed = is_signed_integer(mnemonic.type(first));
    plan.b_signed = is_signed_integer(mnemonic.type(first + 1));
    plan.saturate = mnemonic.has("sat");
    plan.accumulate = mnemonic.has("add");
    for (std::size_t index = 1; index < mnemonic.words().size(); ++index) {
        const std::string& word = mnemonic.words()[index];
        const auto comparison = comparison_named(word, false);
        if (compares && comparison) {
            plan.comparison = *comparison;
        } else if (type_named(word) == Type::none && word != "sat" && word != "add") {
            unsupported();
        }
    }
    instruction.d = destination(parse_operand(), Type::b32);
    for (Operand* source : {&instruction.a, &instruction.b, &instruction.c}) {
        comma();
        *source = value(parse_operand(), Type::b32);
    }
    instruction.immediate = plan.packed();
    emit(instruction, use_packed_parts);
}

void FunctionDecoder::decode_carry(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    const Type type = mnemonic.type();
    instruction.writes_carry = mnemonic.has("cc");
    instruction.reads_carry = base.back() == 'c';
    const bool multiplies = base[0] == 'm';
    instruction.variant = multiplies ? (mnemonic.has("hi") ? 3 : 2) : base[0] == 's' ? 1 : 0;
    instruction.d = destination(parse_operand(), type);
    comma();
    instruction.a = value(parse_operand(), type);
    comma();
    instruction.b = value(parse_operand(), type);
    if (multiplies) {
        comma();
        instruction.c = value(parse_operand(), type);
    }
    if (multiplies && mnemonic.has("hi") && is_signed_integer(type)) {
        instruction.variant = 4;
    }
    emit(instruction, families_.integer({.name = "carry", .type = type}));
}

/// d = operation(a [, b [, c [, e]]]), all of one type but for shifts, positions and wide results.
void FunctionDecoder::decode_plain(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    const Type type = mnemonic.type();
    const bool half = type == Type::f16 || type == Type::bf16 || is_packed_pair(type);
    const bool floating = is_float(type) || is_packed_pair(type);
    // Every word that changes the result is part of the name, so that none is overlooked.
    std::string name = base;
    for (std::size_t index = 1; index < mnemonic.words().size(); ++index) {
        const std::string& word = mnemonic.words()[index];
        const bool has_its_place =
            type_named(word) != Type::none ||
            (floating && is_one_of(word, {"rn", "rz", "rm", "rp", "ftz", "approx", "full"})) ||
            (half && is_one_of(word, {"sat", "relu"}));
        name += has_its_place ? "" : "." + word;
    }
    Type types[4] = {type, type, type, type};
    Type result = type;

    if (base == "testp") {
        result = Type::predicate;
    } else if (!floating) {
        if (mnemonic.has("wide")) {
            result = types[2] = twice(type);
        } else if (is_one_of(base, {"shl", "shr"})) {
            types[1] = Type::u32;
        } else if (base == "bfe") {
            types[1] = types[2] = Type::u32;
        } else if (base == "bfi") {
            types[2] = types[3] = Type::u32;
        } else if (is_one_of(base, {"popc", "clz", "bfind"})) {
            result = Type::u32;
        } else if (base == "szext") {
            types[1] = Type::u32;
        } else if (is_one_of(base, {"shf", "prmt", "lop3", "dp4a", "dp2a"})) {
            std::fill(std::begin(types), std::end(types), Type::b32);
            result = Type::b32;
        }
    } else {
        if (base == "mad") {
            name.replace(0, base.size(), "fma");
        }
        if (half) {
            instruction.variant = static_cast<std::uint8_t>(
                (mnemonic.has("sat") ? half_saturate : 0) | (mnemonic.has("relu") ? half_relu : 0) |
                (mnemonic.has("ftz") ? half_flush : 0));
        }
    }

    Selection selection = {.name = name, .type = type, .second = mnemonic.type(1)};
    Operation operation = nullptr;
    if (half) {
        operation = families_.half(selection);
    } else if (is_float(type)) {
        const bool flush = mnemonic.has("ftz");
        selection.flush = flush;
        wrap_rounding(instruction, mnemonic.rounding(), flush && type == Type::f32);
        operation = families_.floating(selection);
    } else {
        operation = families_.integer(selection);
        operation = operation != nullptr ? operation : find_rare_integer(selection);
    }
    if (operation == nullptr || (mnemonic.type(1) != Type::none && !takes_two_types(base))) {
        unsupported();
    }

    const ParsedOperand d = parse_operand();
    if (result == Type::predicate) {
        if (d.form != ParsedOperand::Form::predicate) {
            unsupported("a destination that should be a predicate");
        }
        instruction.d = d.slot;
    } else {
        instruction.d = destination(d, result);
    }
    const bool with_predicate = base == "lop3" && mnemonic.words().size() > 2;
    if (with_predicate) {
        reader_.expect("|");
        const ParsedOperand second = parse_operand();
        instruction.d_second =
            second.form == ParsedOperand::Form::predicate ? second.slot : no_predicate;
    }
    Operand* const sources[4] = {&instruction.a, &instruction.b, &instruction.c, &instruction.e};
    std::size_t count = 0;
    while (reader_.accept(",")) {
        const ParsedOperand operand = parse_operand();
        if (with_predicate && count == 4) {
            if (operand.form != ParsedOperand::Form::predicate) {
                unsupported("an operand that should be a predicate");
            }
            set_predicate_source(instruction, operand);
        } else if (count >= 4) {
            unsupported("too many operands");
        } else if (base == "lop3" && count == 3) {
            if (operand.form != ParsedOperand::Form::literal) {
                unsupported("a table that is not a number");
            }
            instruction.immediate = static_cast<std::int64_t>(operand.literal.bits);
        } else {
            *sources[count] = value(operand, types[count]);
        }
        ++count;
    }
    if (count != operands_of(base) + (with_predicate ? 1 : 0)) {
        unsupported("another number of operands");
    }

    emit(instruction, operation);
}

}  // namespace vram::virtual_gpu::ptx
