// Decoding of exchanges and votes between the lanes of a warp.
#include "grader/virtual_gpu/ptx/decoder.h"

namespace vram::virtual_gpu::ptx {

bool FunctionDecoder::decode_warp_wide(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    const bool synchronous = mnemonic.has("sync");
    if (synchronous) {
        instruction.kind = Kind::warp_synchronous;
    }
    if ((base == "bar" || base == "barrier") && mnemonic.has("warp")) {
        instruction.kind = Kind::warp_synchronous;
        instruction.variant = 1;  // orders memory within the warp
        instruction.e = value(parse_operand(), Type::b32);
        emit(instruction, families_.move({.name = "nop"}));
        return true;
    }
    const auto second_destination = [&] {
        if (reader_.accept("|")) {
            const ParsedOperand p = parse_operand();
            if (p.form == ParsedOperand::Form::predicate) {
                instruction.d_second = p.slot;
            }
        }
        comma();
    };
    const auto members = [&] {
        if (synchronous) {
            comma();
            instruction.e = value(parse_operand(), Type::b32);
        }
    };
    std::string name = base;
    if (base == "shfl") {
        instruction.d = destination(parse_operand(), Type::b32);
        second_destination();
        instruction.a = value(parse_operand(), Type::b32);
        comma();
        instruction.b = value(parse_operand(), Type::b32);
        comma();
        instruction.c = value(parse_operand(), Type::b32);
        members();
        name += mnemonic.has("up")     ? ".up"
                : mnemonic.has("down") ? ".down"
                : mnemonic.has("bfly") ? ".bfly"
                                       : ".idx";
    } else if (base == "vote") {
        const ParsedOperand d = parse_operand();
        if (mnemonic.has("ballot")) {
            instruction.d = destination(d, Type::b32);
        } else if (d.form == ParsedOperand::Form::predicate) {
            instruction.d = d.slot;
        } else {
            unsupported("a destination that should be a predicate");
        }
        comma();
        set_predicate_source(instruction, parse_operand());
        members();
        name += mnemonic.has("ballot") ? ".ballot"
                : mnemonic.has("any")  ? ".any"
                : mnemonic.has("all")  ? ".all"
                                       : ".uni";
    } else if (base == "match") {
        instruction.d = destination(parse_operand(), Type::b32);
        second_destination();
        instruction.a = value(parse_operand(), mnemonic.type());
        members();
        name += mnemonic.has("all") ? ".all" : ".any";
    } else if (base == "redux") {
        instruction.d = destination(parse_operand(), mnemonic.type());
        comma();
        instruction.a = value(parse_operand(), mnemonic.type());
        members();
        const std::vector<std::string>& words = mnemonic.words();
        const std::size_t operation = words.size() > 1 && words[1] == "sync" ? 2 : 1;
        name += "." + (operation < words.size() ? words[operation] : std::string());
        instruction.variant = static_cast<std::uint8_t>((mnemonic.has("abs") ? 1 : 0) |
                                                        (mnemonic.has("NaN") ? 2 : 0));
    } else if (base == "activemask") {
        instruction.d = destination(parse_operand(), Type::b32);
    } else if (base == "elect") {
        const ParsedOperand d = parse_operand();
        instruction.has_result = d.form == ParsedOperand::Form::register_;
        instruction.d = d.slot;
        second_destination();
        instruction.e = value(parse_operand(), Type::b32);
    } else {
        return false;
    }
    emit(instruction, families_.warp_wide({.name = name, .type = mnemonic.type()}));
    return true;
}

}  // namespace vram::virtual_gpu::ptx
