// Decoding of moves, comparisons, conversions and arithmetic.
#include <algorithm>

#include "grader/virtual_gpu/ptx/builtins.h"
#include "grader/virtual_gpu/ptx/decoder.h"
#include "grader/virtual_gpu/ptx/operations/any_conversion.h"

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

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
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
        const Type part_type = bytes == 4 ? Type::b32 : Type::b16;
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
    instruction.comparison = *comparison;
    instruction.combination = mnemonic.has("and")   ? Combination::and_
                              : mnemonic.has("or")  ? Combination::or_
                              : mnemonic.has("xor") ? Combination::xor_
                                                    : Combination::none;
    const ParsedOperand d = parse_operand();
    if (to_register) {
        instruction.d = destination(d, Type::b32);
        instruction.width = mnemonic.type() == Type::f32 ? 0 : 4;
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
    wrap_rounding(instruction, Rounding::nearest, mnemonic.has("ftz") && type == Type::f32);
    const Selection selection = {.name = to_register ? "set" : "setp",
                                 .type = to_register ? mnemonic.type() : type,
                                 .second = type,
                                 .comparison = *comparison};
    const bool half = type == Type::f16 || type == Type::bf16 || is_packed_pair(type);
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
        if (b.form != ParsedOperand::Form::predicate) {
            unsupported("an operand that should be a predicate");
        }
        instruction.b = b.slot;
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
    const bool to_integral =
        mnemonic.has("rni") || mnemonic.has("rzi") || mnemonic.has("rmi") || mnemonic.has("rpi");
    plan.integral = to_integral && is_float(to);
    instruction.rounding = mnemonic.rounding();
    instruction.saturate = mnemonic.has("sat");
    const ParsedOperand d = parse_operand();
    comma();
    const ParsedOperand a = parse_operand();
    if (is_packed_pair(to) && from == Type::f32) {
        comma();
        plan.to = to == Type::f16x2 ? Type::f16 : Type::bf16;
        instruction.d = destination(d, to);
        instruction.a = value(a, Type::f32);
        instruction.b = value(parse_operand(), Type::f32);
        instruction.immediate = plan.packed();
        emit(instruction, convert_pair);
        return;
    }
    if (size_of(to) == 0 || size_of(from) == 0 || is_packed_pair(to) || is_packed_pair(from) ||
        mnemonic.has("satfinite") || mnemonic.has("pack") || mnemonic.has("rs")) {
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
        !plan.integral && !plan.relu && (!rounds_to_integer || mnemonic.has("rzi"))) {
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
    const bool may_carry = is_one_of(base, {"add", "sub", "mad"}) && mnemonic.has("cc");
    if (may_carry || is_one_of(base, {"addc", "subc", "madc"})) {
        decode_carry(mnemonic, instruction);
    } else {
        decode_plain(mnemonic, instruction);
    }
    return true;
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
    // The high half of a signed product needs signed arithmetic, which no compiler asks for here.
    if (multiplies && mnemonic.has("hi") && is_signed_integer(type)) {
        unsupported();
    }
    emit(instruction, families_.integer({.name = "carry", .type = type}));
}

/// d = operation(a [, b [, c [, e]]]), all of one type but for shifts, positions and wide results.
void FunctionDecoder::decode_plain(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    const Type type = mnemonic.type();
    const bool half = type == Type::f16 || type == Type::bf16 || is_packed_pair(type);
    const bool wide = mnemonic.has("wide");
    std::string name = base;
    Type types[4] = {type, type, type, type};
    Type result = type;

    if (base == "testp") {
        name += "." + mnemonic.words().at(std::min<std::size_t>(1, mnemonic.words().size() - 1));
        result = Type::predicate;
    } else if (!is_float(type) && !is_packed_pair(type)) {
        for (const char* word : {"lo", "hi", "wide", "l", "r", "clamp", "wrap", "shiftamt"}) {
            if (mnemonic.has(word)) {
                name += std::string(".") + word;
            }
        }
        if (wide) {
            result = types[2] = twice(type);
        } else if (is_one_of(base, {"shl", "shr"})) {
            types[1] = Type::u32;
        } else if (base == "bfe") {
            types[1] = types[2] = Type::u32;
        } else if (base == "bfi") {
            types[2] = types[3] = Type::u32;
        } else if (is_one_of(base, {"popc", "clz", "bfind"})) {
            result = Type::u32;
        } else if (is_one_of(base, {"shf", "prmt", "lop3", "dp4a", "dp2a"})) {
            std::fill(std::begin(types), std::end(types), Type::b32);
            result = Type::b32;
        }
        if (mnemonic.has("sat")) {
            name += ".sat";
        }
    } else {
        if (base == "mad") {
            name = "fma";
        }
        if (mnemonic.has("NaN")) {
            name += ".NaN";
        }
        if (mnemonic.has("xorsign") || mnemonic.has("oob") || mnemonic.has("abs")) {
            unsupported();
        }
        if (half) {
            instruction.variant = mnemonic.has("sat") ? 1 : mnemonic.has("relu") ? 2 : 0;
        } else if (mnemonic.has("sat")) {
            name += ".sat";
        }
    }

    Selection selection = {.name = name, .type = type, .second = mnemonic.type(1)};
    Operation operation = nullptr;
    if (half) {
        operation = families_.half(selection);
    } else if (is_float(type)) {
        const bool flush = mnemonic.has("ftz") && type == Type::f32;
        selection.flush = flush;
        wrap_rounding(instruction, mnemonic.rounding(), flush);
        operation = families_.floating(selection);
    } else {
        operation = families_.integer(selection);
    }
    if (operation == nullptr) {
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
    if (reader_.peek() == "|") {
        unsupported();
    }
    Operand* const sources[4] = {&instruction.a, &instruction.b, &instruction.c, &instruction.e};
    std::size_t count = 0;
    while (reader_.accept(",")) {
        const ParsedOperand operand = parse_operand();
        if (count >= 4) {
            unsupported("too many operands");
        }
        if (base == "lop3" && count == 3) {
            if (operand.form != ParsedOperand::Form::literal) {
                unsupported("a table that is not a number");
            }
            instruction.immediate = static_cast<std::int64_t>(operand.literal.bits);
        } else if (base == "prmt" && mnemonic.words().size() > 2) {
            unsupported();
        } else {
            *sources[count] = value(operand, types[count]);
        }
        ++count;
    }
    if (count == 0) {
        unsupported("operands are missing");
    }

    emit(instruction, operation);
}

}  // namespace vram::virtual_gpu::ptx
