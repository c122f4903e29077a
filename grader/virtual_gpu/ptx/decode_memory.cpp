// Decoding of loads, stores, atomics and copies.
#include <algorithm>

#include "grader/virtual_gpu/ptx/builtins.h"
#include "grader/virtual_gpu/ptx/decoder.h"

namespace vram::virtual_gpu::ptx {

namespace {

Space space_of(const Mnemonic& mnemonic) {
    for (const std::string& word : mnemonic.words()) {
        if (word == "global") {
            return Space::global;
        }
        if (word == "shared" || word == "shared::cta") {
            return Space::shared;
        }
        if (word == "local") {
            return Space::local;
        }
        if (word == "const") {
            return Space::constant;
        }
        if (word == "param" || word == "param::entry" || word == "param::func") {
            return Space::parameter;
        }
    }
    return Space::generic;
}

bool may_change_meanwhile(const Mnemonic& mnemonic) {
    return mnemonic.has("volatile") || mnemonic.has("acquire") || mnemonic.has("relaxed") ||
           mnemonic.has("mmio");
}

bool is_strong(const Mnemonic& mnemonic) {
    return may_change_meanwhile(mnemonic) || mnemonic.has("release");
}

std::vector<ParsedOperand> elements_of(const ParsedOperand& operand) {
    return operand.form == ParsedOperand::Form::vector ? operand.elements
                                                       : std::vector<ParsedOperand>{operand};
}

}  // namespace

bool FunctionDecoder::decode_memory(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    instruction.space = space_of(mnemonic);
    if (mnemonic.has("shared::cluster")) {
        if (base == "ld" || base == "st" || base == "atom" || base == "red") {
            unsupported("clusters are not modelled");
        }
    }
    if (base == "ld" || base == "ldu") {
        decode_load(mnemonic, instruction);
    } else if (base == "st") {
        decode_store(mnemonic, instruction);
    } else if ((base == "atom" || base == "red") && !mnemonic.has("async")) {
        decode_atomic(mnemonic, instruction);
    } else if (base == "createpolicy") {
        // Advice for caches, which are not modelled.
        instruction.d = destination(parse_operand(), Type::b64);
        skip_cache_operands();
        instruction.a = constant(0, 8);
        emit(instruction, families_.move({.name = "mov", .type = Type::b64}));
    } else if (decode_memory_barrier(mnemonic, instruction)) {
        return true;
    } else if (base == "cp" && mnemonic.has("async")) {
        decode_async_copy(mnemonic, instruction);
    } else {
        return false;
    }
    return true;
}

/// Operands after the value that only advise the caches.
void FunctionDecoder::skip_cache_operands() {
    while (reader_.accept(",")) {
        parse_operand();
    }
}

std::string FunctionDecoder::place(const ParsedOperand& address, const Mnemonic& mnemonic,
                                   Instruction& instruction, std::size_t bytes) {
    if (address.form != ParsedOperand::Form::address) {
        unsupported("an address is missing");
    }
    instruction.immediate = address.offset;
    instruction.volatile_ = is_strong(mnemonic);
    if (address.has_base_register) {
        instruction.a = address.slot;
        instruction.address_width = static_cast<std::uint8_t>(register_width(address.type));
        if (instruction.address_width != 8 &&
            (instruction.address_width != 4 || instruction.space != Space::shared)) {
            unsupported("an address of this width");
        }
    } else if (address.name.empty()) {
        instruction.a = constant(0, 8);
    } else if (const LocalBytes* frame = find_in_scopes(&Scope::frame_bytes, address.name)) {
        if (address.offset < 0 || static_cast<std::uint64_t>(address.offset) > frame->bytes ||
            frame->bytes - static_cast<std::uint64_t>(address.offset) < bytes) {
            unsupported("it goes beyond " + address.name);
        }
        instruction.immediate = frame->offset + address.offset;
        instruction.space = Space::local;
        return ".frame";
    } else if (const Parameter* parameter =
                   find_in_scopes(&Scope::kernel_parameters, address.name)) {
        if (address.offset < 0 || static_cast<std::uint64_t>(address.offset) > parameter->bytes ||
            parameter->bytes - static_cast<std::uint64_t>(address.offset) < bytes) {
            unsupported("it goes beyond " + address.name);
        }
        instruction.immediate = parameter->offset + address.offset;
        return ".kernel_parameter";
    } else {
        instruction.a = symbol_value(address.name, 0, 8);
    }
    instruction.memory_slot = module_.memory_slots++;
    if (instruction.space == Space::shared) {
        return may_change_meanwhile(mnemonic) ? ".shared.volatile" : ".shared";
    }
    return may_change_meanwhile(mnemonic) ? ".volatile" : "";
}

void FunctionDecoder::decode_load(const Mnemonic& mnemonic, Instruction& instruction) {
    const Type type = mnemonic.type();
    const ParsedOperand d = parse_operand();
    comma();
    const ParsedOperand address = parse_operand();
    const std::vector<ParsedOperand> parts = elements_of(d);
    if (parts.empty() || parts.size() > 4) {
        unsupported("a vector of this length");
    }
    instruction.element_count = static_cast<std::uint8_t>(parts.size());
    std::size_t width = register_width(type);
    for (const ParsedOperand& part : parts) {
        if (part.form == ParsedOperand::Form::register_) {
            width = register_width(part.type);
        }
    }
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (parts[index].form == ParsedOperand::Form::discarded) {
            instruction.elements[index] = new_slot(width);
        } else if (parts[index].form == ParsedOperand::Form::register_ &&
                   register_width(parts[index].type) == width) {
            instruction.elements[index] = parts[index].slot;
        } else {
            unsupported("a destination of this form");
        }
    }
    instruction.d = instruction.elements[0];
    const std::string where = place(address, mnemonic, instruction, size_of(type) * parts.size());
    if (where == ".volatile" && instruction.space != Space::local) {
        function_.order_sensitive = true;
    }
    skip_cache_operands();
    emit(instruction, families_.memory({.name = "ld" + where, .type = type, .width = width}));
}

void FunctionDecoder::decode_store(const Mnemonic& mnemonic, Instruction& instruction) {
    const Type type = mnemonic.type();
    const ParsedOperand address = parse_operand();
    comma();
    const std::vector<ParsedOperand> parts = elements_of(parse_operand());
    if (parts.empty() || parts.size() > 4) {
        unsupported("a vector of this length");
    }
    instruction.element_count = static_cast<std::uint8_t>(parts.size());
    std::size_t width = register_width(type);
    for (const ParsedOperand& part : parts) {
        if (part.form == ParsedOperand::Form::register_) {
            width = register_width(part.type);
        }
    }
    const Type wide = width == 8 ? Type::b64 : width == 4 ? Type::b32 : Type::b16;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        const ParsedOperand& part = parts[index];
        instruction.elements[index] = part.form == ParsedOperand::Form::literal
                                          ? value(part, size_of(type) == width ? type : wide)
                                          : value(part, wide);
    }
    std::string where = place(address, mnemonic, instruction, size_of(type) * parts.size());
    if (where == ".kernel_parameter") {
        unsupported("a store to the parameters of a kernel");
    }
    if (where == ".shared.volatile") {
        where = ".shared";
    } else if (instruction.volatile_ && where.empty()) {
        where = ".volatile";
    }
    skip_cache_operands();
    emit(instruction, families_.memory({.name = "st" + where, .type = type, .width = width}));
}

void FunctionDecoder::decode_atomic(const Mnemonic& mnemonic, Instruction& instruction) {
    static const char* const operations[] = {"add", "min", "max", "inc",  "dec",
                                             "and", "or",  "xor", "exch", "cas"};
    const auto operation = std::find_if(std::begin(operations), std::end(operations),
                                        [&](const char* name) { return mnemonic.has(name); });
    if (operation == std::end(operations)) {
        unsupported();
    }
    const std::string name = *operation;
    const Type type = mnemonic.type();
    instruction.has_result = mnemonic.base() == "atom";
    std::vector<ParsedOperand> results;
    if (instruction.has_result) {
        results = elements_of(parse_operand());
        comma();
    }
    const ParsedOperand address = parse_operand();
    comma();
    const std::vector<ParsedOperand> operands = elements_of(parse_operand());
    if (operands.empty() || operands.size() > 8 ||
        (instruction.has_result && results.size() != operands.size())) {
        unsupported("a vector of this length");
    }
    if (name == "cas") {
        comma();
        instruction.c = value(parse_operand(), type);
    }
    const std::size_t bytes = size_of(type);
    const std::string where = place(address, mnemonic, instruction, bytes * operands.size());
    if (where == ".frame" || where == ".kernel_parameter") {
        unsupported("an atomic on parameters");
    }
    skip_cache_operands();
    const bool commutes = !is_float(type) && !is_packed_pair(type) && name != "exch" &&
                          name != "cas" && name != "inc" && name != "dec";
    instruction.variant = commutes ? 1 : 0;
    instruction.run = families_.atomic({.name = name, .type = type});
    if (instruction.run == nullptr) {
        unsupported();
    }
    // Only each element of a vector is atomic.
    const std::int64_t first = instruction.immediate;
    for (std::size_t index = 0; index < operands.size(); ++index) {
        if (instruction.has_result) {
            instruction.d = destination(results[index], type);
        }
        instruction.b = value(operands[index], type);
        instruction.immediate = first + static_cast<std::int64_t>(index * bytes);
        instruction.memory_slot = index == 0 ? instruction.memory_slot : module_.memory_slots++;
        atomics_.push_back(function_.code.size());
        function_.code.push_back(instruction);
    }
    reader_.expect(";");
}

/// The copy is done at once, so there is nothing to wait for.
void FunctionDecoder::decode_async_copy(const Mnemonic& mnemonic, Instruction& instruction) {
    if (mnemonic.has("commit_group") || mnemonic.has("wait_group") || mnemonic.has("wait_all")) {
        reader_.skip_statement();
        instruction.run = families_.move({.name = "nop"});
        function_.code.push_back(instruction);
        return;
    }
    if (mnemonic.has("mbarrier")) {
        decode_arrival_of_copies(mnemonic, instruction);
        return;
    }
    if (mnemonic.has("bulk")) {
        decode_bulk_copy(mnemonic, instruction);
        return;
    }
    if (!mnemonic.has("ca") && !mnemonic.has("cg")) {
        unsupported();
    }
    const ParsedOperand to = parse_operand();
    comma();
    const ParsedOperand from = parse_operand();
    comma();
    const std::int64_t bytes = reader_.take_integer();
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        unsupported("a copy of this size");
    }
    instruction.space = Space::shared;
    place(to, mnemonic, instruction, static_cast<std::size_t>(bytes));
    instruction.width = instruction.address_width;
    instruction.e = instruction.a;
    instruction.target = static_cast<std::int32_t>(instruction.immediate);
    instruction.space = Space::global;
    place(from, mnemonic, instruction, static_cast<std::size_t>(bytes));
    instruction.element_count = static_cast<std::uint8_t>(bytes);
    instruction.b = constant(static_cast<std::uint64_t>(bytes), 4);
    while (reader_.accept(",")) {
        const ParsedOperand operand = parse_operand();
        if (operand.form == ParsedOperand::Form::register_ && size_of(operand.type) == 4) {
            instruction.b = operand.slot;
        } else if (operand.form == ParsedOperand::Form::literal) {
            instruction.b = constant(operand.literal.bits, 4);
        }
    }
    emit(instruction, copy_to_shared);
}

}  // namespace vram::virtual_gpu::ptx
