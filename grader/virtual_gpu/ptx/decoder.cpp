#include "grader/virtual_gpu/ptx/decoder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "grader/virtual_gpu/ptx/operations/rounding_scope.h"
#include "grader/virtual_gpu/ptx/parser.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::uint64_t most_frame_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t most_shared_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t most_register_bytes = std::uint64_t{64} << 20;
constexpr int most_nesting = 64;

const std::unordered_map<std::string, SpecialRegister>& special_registers() {
    using S = SpecialRegister;
    static const std::unordered_map<std::string, SpecialRegister> names = {
        {"%tid.x", S::tid_x},
        {"%tid.y", S::tid_y},
        {"%tid.z", S::tid_z},
        {"%ntid.x", S::ntid_x},
        {"%ntid.y", S::ntid_y},
        {"%ntid.z", S::ntid_z},
        {"%ctaid.x", S::ctaid_x},
        {"%ctaid.y", S::ctaid_y},
        {"%ctaid.z", S::ctaid_z},
        {"%nctaid.x", S::nctaid_x},
        {"%nctaid.y", S::nctaid_y},
        {"%nctaid.z", S::nctaid_z},
        {"%laneid", S::laneid},
        {"%warpid", S::warpid},
        {"%nwarpid", S::nwarpid},
        {"%lanemask_lt", S::lanemask_lt},
        {"%lanemask_le", S::lanemask_le},
        {"%lanemask_gt", S::lanemask_gt},
        {"%lanemask_ge", S::lanemask_ge},
        {"%lanemask_eq", S::lanemask_eq},
        {"%dynamic_smem_size", S::dynamic_smem_size},
        {"%total_smem_size", S::total_smem_size},
        {"%envreg1", S::envreg1},
        {"%envreg2", S::envreg2},
        {"%smid", S::zero},
        {"%gridid", S::zero},
        {"%nsmid", S::one},
        {"%reserved_smem_offset_begin", S::reserved_shared_begin},
        {"%reserved_smem_offset_0", S::reserved_shared_begin},
        {"%reserved_smem_offset_1", S::reserved_shared_begin},
        {"%reserved_smem_offset_end", S::reserved_shared_end},
        {"%reserved_smem_offset_cap", S::reserved_shared_end},
        // A launch without clusters has clusters of one block.
        {"%clusterid.x", S::ctaid_x},
        {"%clusterid.y", S::ctaid_y},
        {"%clusterid.z", S::ctaid_z},
        {"%nclusterid.x", S::nctaid_x},
        {"%nclusterid.y", S::nctaid_y},
        {"%nclusterid.z", S::nctaid_z},
        {"%cluster_ctaid.x", S::zero},
        {"%cluster_ctaid.y", S::zero},
        {"%cluster_ctaid.z", S::zero},
        {"%cluster_nctaid.x", S::one},
        {"%cluster_nctaid.y", S::one},
        {"%cluster_nctaid.z", S::one},
        {"%cluster_ctarank", S::zero},
        {"%cluster_nctarank", S::one},
    };
    return names;
}

bool is_clock(const std::string& name) {
    return name == "%clock" || name == "%clock_hi" || name == "%clock64" ||
           name == "%globaltimer" || name == "%globaltimer_lo" || name == "%globaltimer_hi";
}

}  // namespace

Mnemonic::Mnemonic(std::string_view text) : text_(text) {
    for (;;) {
        const std::size_t dot = text.find('.');
        words_.emplace_back(text.substr(0, dot));
        if (words_.size() > 1) {
            if (const Type type = type_named(words_.back()); type != Type::none) {
                types_.push_back(type);
            }
        }
        if (dot == std::string_view::npos) {
            return;
        }
        text.remove_prefix(dot + 1);
    }
}

bool Mnemonic::has(std::string_view word) const {
    return std::find(words_.begin() + 1, words_.end(), word) != words_.end();
}

Rounding Mnemonic::rounding() const {
    if (has("rz") || has("rzi")) {
        return Rounding::zero;
    }
    if (has("rm") || has("rmi")) {
        return Rounding::down;
    }
    if (has("rp") || has("rpi")) {
        return Rounding::up;
    }
    return has("rna") ? Rounding::nearest_away : Rounding::nearest;
}

FunctionDecoder::FunctionDecoder(Module& module, Function& function)
    : module_(module),
      function_(function),
      reader_(module.tokens, function.body_begin, function.body_end),
      families_(operation_families()) {}

void FunctionDecoder::decode() {
    function_.locations.push_back({});
    // Operations may read operands that an instruction does not have; they must be there.
    new_slot(8);
    scopes_.emplace_back();
    declare_parameters();
    while (!reader_.at_end()) {
        decode_statement(0);
    }
    Instruction last;
    last.kind = Kind::return_;
    last.location = location_;
    function_.code.push_back(last);
    resolve_labels();
    finish_unused_results();
    function_.register_bytes = (function_.register_bytes + 63) & ~63u;
    function_.local_bytes = (function_.local_bytes + 15) & ~15u;
}

void FunctionDecoder::declare_parameters() {
    if (function_.is_kernel) {
        for (const Parameter& parameter : function_.parameters) {
            scopes_.front().kernel_parameters[parameter.name] = parameter;
        }
        return;
    }
    for (auto* list : {&function_.parameters, &function_.results}) {
        for (Parameter& parameter : *list) {
            parameter.offset = reserve_frame_bytes(parameter.bytes, parameter.alignment);
            scopes_.front().frame_bytes[parameter.name] = {parameter.offset, parameter.bytes};
        }
    }
}

std::uint32_t FunctionDecoder::reserve_frame_bytes(std::uint64_t bytes, std::uint32_t alignment) {
    const std::uint32_t step = std::max(alignment, 1u);
    const std::uint64_t offset = (function_.local_bytes + std::uint64_t{step} - 1) / step * step;
    if (offset + bytes > most_frame_bytes) {
        reader_.fail("too much local memory");
    }
    function_.local_bytes = static_cast<std::uint32_t>(offset + bytes);
    return static_cast<std::uint32_t>(offset);
}

void FunctionDecoder::decode_block(int depth) {
    if (depth > most_nesting) {
        reader_.fail("blocks are nested too deeply");
    }
    scopes_.emplace_back();
    while (!reader_.accept("}")) {
        decode_statement(depth + 1);
    }
    scopes_.pop_back();
}

void FunctionDecoder::decode_statement(int depth) {
    const std::string_view word = reader_.peek();
    if (reader_.accept("{")) {
        decode_block(depth);
    } else if (reader_.accept(";")) {
    } else if (word.substr(0, 4) == ".loc" && (word.size() == 4 || word[4] != 'a')) {
        note_location(reader_.take());
    } else if (word == ".reg") {
        reader_.take();
        declare_registers();
    } else if (word == ".local" || word == ".shared" || word == ".param") {
        reader_.take();
        declare_variable(word);
    } else if (word == ".pragma") {
        reader_.skip_statement();
    } else if (reader_.peek(1) == ":") {
        decode_label();
    } else if (word.empty()) {
        reader_.fail("the function ends too early");
    } else {
        decode_instruction();
    }
}

void FunctionDecoder::declare_registers() {
    Type type = Type::none;
    std::string words;
    while (!reader_.peek().empty() && reader_.peek().front() == '.') {
        words += " " + std::string(reader_.peek());
        type = type_named(reader_.take());
    }
    if (type == Type::none) {
        reader_.fail("the virtual GPU has no registers of type" +
                     (words.empty() ? " none" : words));
    }
    do {
        const std::string name(reader_.take());
        if (reader_.accept("<")) {
            const std::uint64_t count = reader_.take_size(1u << 24);
            reader_.expect(">");
            scopes_.back().ranges.push_back({name, count, type});
        } else {
            scopes_.back().registers[name].type = type;
        }
    } while (reader_.accept(","));
    reader_.expect(";");
}

void FunctionDecoder::declare_variable(std::string_view space) {
    const std::string kept(space);
    const Declaration declaration = read_declaration(reader_);
    reader_.expect(";");
    if (kept == ".shared") {
        const std::uint32_t step = declaration.alignment;
        const std::uint64_t offset =
            (function_.shared_bytes + std::uint64_t{step} - 1) / std::max(step, 1u) * step;
        if (offset + declaration.bytes > most_shared_bytes) {
            reader_.fail("too much shared memory");
        }
        scopes_.back().shared[declaration.name] = static_cast<std::uint32_t>(offset);
        function_.shared_bytes = static_cast<std::uint32_t>(offset + declaration.bytes);
        return;
    }
    const std::uint32_t offset = reserve_frame_bytes(declaration.bytes, declaration.alignment);
    scopes_.back().frame_bytes[declaration.name] = {offset,
                                                    static_cast<std::uint32_t>(declaration.bytes)};
}

void FunctionDecoder::note_location(std::string_view directive) {
    int file = 0, line = 0, column = 0, outer_file = 0, outer_line = 0, outer_column = 0;
    const std::string text(directive);
    if (std::sscanf(text.c_str(), ".loc %d %d %d", &file, &line, &column) < 2) {
        return;
    }
    if (own_file_ == 0) {
        own_file_ = file;
    }
    const std::size_t inlined = text.find("inlined_at");
    if (inlined != std::string::npos && std::sscanf(text.c_str() + inlined, "inlined_at %d %d %d",
                                                    &outer_file, &outer_line, &outer_column) == 3) {
        inlined_at_[{file, line, column}] = {outer_file, outer_line, outer_column};
        std::tuple<int, int, int> place = {file, line, column};
        // Code of a header that was inlined counts as the line that called it.
        for (int step = 0; std::get<0>(place) != own_file_ && step < 32; ++step) {
            const auto outer = inlined_at_.find(place);
            if (outer == inlined_at_.end()) {
                break;
            }
            place = outer->second;
        }
        std::tie(file, line, column) = place;
    }
    if (line == 0) {
        return;  // the compiler does not say; what came before is the better guess
    }
    const auto [entry, added] = location_index_.insert(
        {{file, line}, static_cast<std::uint32_t>(function_.locations.size())});
    if (added) {
        function_.locations.push_back({file, line});
    }
    location_ = entry->second;
}

void FunctionDecoder::decode_label() {
    const std::string name(reader_.take());
    reader_.expect(":");
    if (reader_.accept(".callprototype")) {
        reader_.skip_statement();
    } else if (reader_.accept(".branchtargets")) {
        std::vector<std::string>& targets = branch_targets_[name];
        do {
            targets.emplace_back(reader_.take());
        } while (reader_.accept(","));
        reader_.expect(";");
    } else {
        labels_[name] = static_cast<std::int32_t>(function_.code.size());
    }
}

void FunctionDecoder::resolve_labels() {
    const auto target_of = [this](const std::string& label) {
        const auto found = labels_.find(label);
        if (found == labels_.end()) {
            reader_.fail("no label " + label);
        }
        return found->second;
    };
    for (const LabelUse& use : branches_) {
        function_.code[use.instruction].target = target_of(use.label);
    }
    for (const LabelUse& use : branch_tables_) {
        const auto targets = branch_targets_.find(use.label);
        if (targets == branch_targets_.end()) {
            reader_.fail("no branch targets " + use.label);
        }
        std::vector<std::int32_t> table;
        for (const std::string& label : targets->second) {
            table.push_back(target_of(label));
        }
        function_.code[use.instruction].target = static_cast<std::int32_t>(function_.tables.size());
        function_.tables.push_back(std::move(table));
    }
}

void FunctionDecoder::finish_unused_results() {
    for (const std::size_t index : atomics_) {
        Instruction& instruction = function_.code[index];
        if (instruction.has_result && mentions_[instruction.d] <= 1) {
            instruction.has_result = false;
        }
        // Sums of integers, minima and the like come out the same in any order.
        const bool commutes = instruction.variant != 0;
        if (instruction.space != Space::shared && (instruction.has_result || !commutes)) {
            function_.order_sensitive = true;
        }
    }
}

void FunctionDecoder::decode_instruction() {
    Instruction instruction;
    instruction.location = location_;
    std::string guard;
    if (reader_.accept("@")) {
        instruction.guard_negated = reader_.accept("!");
        guard = "@" + std::string(instruction.guard_negated ? "!" : "") +
                std::string(reader_.peek()) + " ";
        Scope::Register* reg = find_register(std::string(reader_.take()));
        if (reg == nullptr || reg->type != Type::predicate) {
            reader_.fail("the guard is not a predicate");
        }
        instruction.guard = slot_of(*reg);
    }
    const Mnemonic mnemonic(reader_.take());
    current_text_ = guard + mnemonic.text();
    const bool decoded =
        decode_control(mnemonic, instruction) || decode_memory(mnemonic, instruction) ||
        decode_texture(mnemonic, instruction) || decode_warp_wide(mnemonic, instruction) ||
        decode_move(mnemonic, instruction) || decode_arithmetic(mnemonic, instruction);
    if (!decoded) {
        unsupported();
    }
}

void FunctionDecoder::unsupported(const std::string& why) {
    const SourceLocation& location = function_.locations[location_];
    std::string message;
    if (location.line > 0) {
        const std::string file = static_cast<std::size_t>(location.file) < module_.files.size()
                                     ? module_.files[location.file]
                                     : std::string();
        message = file.substr(file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1) +
                  ":" + std::to_string(location.line) + ": ";
    }
    message += "the virtual GPU has no instruction " + current_text_;
    if (!why.empty()) {
        message += " (" + why + ")";
    }
    message += ", PTX line " + std::to_string(reader_.line());
    throw SyntaxError(message);
}

FunctionDecoder::Scope::Register* FunctionDecoder::find_register(const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto known = scope->registers.find(name);
        if (known != scope->registers.end()) {
            return &known->second;
        }
        for (const Scope::Range& range : scope->ranges) {
            if (name.size() <= range.prefix.size() || name.size() > range.prefix.size() + 9 ||
                name.compare(0, range.prefix.size(), range.prefix) != 0) {
                continue;
            }
            const std::string digits = name.substr(range.prefix.size());
            if (digits.find_first_not_of("0123456789") == std::string::npos &&
                std::strtoull(digits.c_str(), nullptr, 10) < range.count) {
                Scope::Register& reg = scope->registers[name];
                reg.type = range.type;
                return &reg;
            }
        }
    }
    return nullptr;
}

Operand FunctionDecoder::slot_of(Scope::Register& reg) {
    if (!reg.slot) {
        reg.slot = reg.type == Type::predicate ? static_cast<Operand>(function_.predicate_count++)
                                               : new_slot(register_width(reg.type));
    }
    return *reg.slot;
}

Operand FunctionDecoder::new_slot(std::size_t width) {
    const std::uint64_t offset =
        (std::uint64_t{function_.register_bytes} + 63) & ~std::uint64_t{63};
    if (offset + width * lanes_per_warp > most_register_bytes) {
        reader_.fail("too many registers");
    }
    function_.register_bytes = static_cast<std::uint32_t>(offset + width * lanes_per_warp);
    function_.register_words += static_cast<std::uint32_t>((width + 3) / 4);
    return static_cast<Operand>(offset);
}

ParsedOperand FunctionDecoder::parse_operand() {
    ParsedOperand operand;
    if (reader_.accept("!")) {
        operand = parse_operand();
        operand.negated = !operand.negated;
        return operand;
    }
    if (reader_.accept("{")) {
        operand.form = ParsedOperand::Form::vector;
        while (!reader_.accept("}")) {
            if (operand.elements.size() >= 8 || reader_.peek() == "{") {
                reader_.fail("a vector operand is too long");
            }
            operand.elements.push_back(parse_operand());
            if (!reader_.accept(",") && reader_.peek() != "}") {
                reader_.fail("expected ',' or '}'");
            }
        }
        return operand;
    }
    if (reader_.accept("[")) {
        return parse_address();
    }
    if (reader_.peek_is_number()) {
        operand.form = ParsedOperand::Form::literal;
        operand.literal = reader_.take_literal();
        return operand;
    }
    return parse_named_operand();
}

ParsedOperand FunctionDecoder::parse_named_operand() {
    ParsedOperand operand;
    const std::string name(reader_.take());
    if (name == "_") {
        return operand;
    }
    if (name == "WARP_SZ") {
        operand.form = ParsedOperand::Form::literal;
        operand.literal.bits = lanes_per_warp;
        return operand;
    }
    if (Scope::Register* reg = find_register(name)) {
        operand.form = reg->type == Type::predicate ? ParsedOperand::Form::predicate
                                                    : ParsedOperand::Form::register_;
        operand.type = reg->type;
        operand.slot = slot_of(*reg);
        if (reg->type != Type::predicate) {
            ++mentions_[operand.slot];
        }
        return operand;
    }
    if (name.front() == '%') {
        if (auto special = special_register(name)) {
            return *special;
        }
        unsupported("register " + name);
    }
    operand.form = ParsedOperand::Form::symbol;
    operand.name = name;
    if (reader_.accept("+")) {
        operand.offset = reader_.take_integer();
    }
    return operand;
}

ParsedOperand FunctionDecoder::parse_address() {
    ParsedOperand operand;
    operand.form = ParsedOperand::Form::address;
    if (reader_.peek_is_number()) {
        operand.has_base_register = false;
        operand.offset = reader_.take_integer();
    } else {
        const ParsedOperand base = parse_named_operand();
        if (base.form == ParsedOperand::Form::register_) {
            operand.has_base_register = true;
            operand.type = base.type;
            operand.slot = base.slot;
        } else if (base.form == ParsedOperand::Form::symbol) {
            operand.name = base.name;
            operand.offset = base.offset;
        } else {
            reader_.fail("an address needs a register or a name");
        }
    }
    if (reader_.accept("+")) {
        operand.offset += reader_.take_integer();
    } else if (reader_.peek() == "-") {
        operand.offset += reader_.take_integer();
    }
    reader_.expect("]");
    return operand;
}

std::optional<ParsedOperand> FunctionDecoder::special_register(const std::string& name) {
    ParsedOperand operand;
    if (is_clock(name)) {
        operand.form = ParsedOperand::Form::clock;
        operand.name = name;
        return operand;
    }
    const auto known = special_registers().find(name);
    if (known == special_registers().end()) {
        return std::nullopt;
    }
    operand.form = ParsedOperand::Form::register_;
    module_.uses_reserved_shared =
        module_.uses_reserved_shared || known->second == SpecialRegister::reserved_shared_begin;
    const bool wide = name == "%gridid";
    operand.type = wide ? Type::b64 : Type::b32;
    operand.slot = special_slot(known->second, wide ? 8 : 4);
    return operand;
}

Operand FunctionDecoder::special_slot(SpecialRegister which, std::uint32_t width) {
    const auto [entry, added] = special_slots_.insert({{which, width}, 0});
    if (added) {
        entry->second = new_slot(width);
        function_.special_slots.push_back({which, entry->second, width});
    }
    return entry->second;
}

Operand FunctionDecoder::constant(std::uint64_t bits, std::size_t width) {
    if (width < 8) {
        bits &= (std::uint64_t{1} << (8 * width)) - 1;
    }
    const auto [entry, added] = constants_.insert({{bits, width}, 0});
    if (added) {
        const std::size_t offset = (function_.constants.size() + 63) & ~std::size_t{63};
        function_.constants.resize(offset + width * lanes_per_warp);
        for (int lane = 0; lane < lanes_per_warp; ++lane) {
            std::memcpy(function_.constants.data() + offset + lane * width, &bits, width);
        }
        entry->second = ~static_cast<Operand>(offset);
    }
    return entry->second;
}

Operand FunctionDecoder::literal_as(const Literal& literal, Type type) {
    std::uint64_t bits = literal.bits;
    if (literal.float_bytes == 8 && type == Type::f32) {
        double wide;
        std::memcpy(&wide, &bits, sizeof wide);
        const float narrow = static_cast<float>(wide);
        std::uint32_t narrow_bits;
        std::memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        bits = narrow_bits;
    } else if (literal.float_bytes == 4 && type == Type::f64) {
        float narrow;
        std::memcpy(&narrow, &bits, sizeof narrow);
        const double wide = narrow;
        std::memcpy(&bits, &wide, sizeof bits);
    }
    return constant(bits, register_width(type));
}

Operand FunctionDecoder::value(const ParsedOperand& operand, Type type) {
    switch (operand.form) {
        case ParsedOperand::Form::register_:
            if (register_width(operand.type) != register_width(type)) {
                unsupported("an operand of another width");
            }
            return operand.slot;
        case ParsedOperand::Form::literal:
            return literal_as(operand.literal, type);
        case ParsedOperand::Form::symbol:
            return symbol_value(operand.name, operand.offset, register_width(type));
        default:
            unsupported("an operand of this form");
    }
}

Operand FunctionDecoder::symbol_value(const std::string& name, std::int64_t offset,
                                      std::size_t width) {
    if (const std::uint32_t* shared = find_in_scopes(&Scope::shared, name)) {
        return constant(*shared + static_cast<std::uint64_t>(offset), width);
    }
    const auto shared = module_.shared_variables.find(name);
    if (shared != module_.shared_variables.end()) {
        if (!shared->second.dynamic) {
            return constant(shared->second.offset + static_cast<std::uint64_t>(offset), width);
        }
        if (offset != 0) {
            unsupported("an offset into dynamic shared memory");
        }
        return special_slot(SpecialRegister::dynamic_shared_base,
                            static_cast<std::uint32_t>(width));
    }
    if (const Parameter* parameter = find_in_scopes(&Scope::kernel_parameters, name)) {
        return constant(parameter->offset + static_cast<std::uint64_t>(offset), width);
    }
    const auto variable = module_.variable_index.find(name);
    if (variable != module_.variable_index.end()) {
        if (width != 8) {
            unsupported("an address that is not 64 bits wide");
        }
        const std::size_t place = (function_.constants.size() + 63) & ~std::size_t{63};
        function_.constants.resize(place + width * lanes_per_warp);
        function_.relocations.push_back({static_cast<std::uint32_t>(place),
                                         static_cast<std::uint32_t>(width), variable->second,
                                         offset});
        return ~static_cast<Operand>(place);
    }
    const auto function = module_.function_index.find(name);
    if (function != module_.function_index.end()) {
        return constant(function_window + function_stride * function->second, width);
    }
    unsupported("unknown name " + name);
}

Operand FunctionDecoder::destination(const ParsedOperand& operand, Type type) {
    if (operand.form == ParsedOperand::Form::discarded) {
        return new_slot(register_width(type));
    }
    if (operand.form != ParsedOperand::Form::register_ ||
        register_width(operand.type) != register_width(type)) {
        unsupported("a destination of another width");
    }
    return operand.slot;
}

void FunctionDecoder::set_predicate_source(Instruction& instruction, const ParsedOperand& operand) {
    if (operand.form == ParsedOperand::Form::predicate) {
        instruction.p = operand.slot;
        instruction.p_negated = operand.negated;
    } else if (operand.form == ParsedOperand::Form::literal) {
        instruction.p = no_predicate;
        instruction.immediate = (operand.literal.bits != 0) != operand.negated;
    } else {
        unsupported("an operand that should be a predicate");
    }
}

void FunctionDecoder::emit(const Instruction& instruction) {
    reader_.expect(";");
    function_.code.push_back(instruction);
}

void FunctionDecoder::emit(Instruction& instruction, Operation operation) {
    if (operation == nullptr) {
        unsupported();
    }
    if (instruction.inner != nullptr || instruction.control_bits != 0) {
        instruction.inner = operation;
        instruction.run = run_in_rounding_scope;
    } else {
        instruction.run = operation;
    }
    emit(instruction);
}

void FunctionDecoder::wrap_rounding(Instruction& instruction, Rounding rounding, bool flush) {
    instruction.control_bits = control_bits(rounding, flush);
}

}  // namespace vram::virtual_gpu::ptx
