// Decoding of branches, calls and barriers.
#include "grader/virtual_gpu/ptx/builtins.h"
#include "grader/virtual_gpu/ptx/decoder.h"

namespace vram::virtual_gpu::ptx {

namespace {

bool has_no_effect_here(const std::string& base) {
    // Memory is sequentially consistent, and caches are not modelled.
    return base == "membar" || base == "fence" || base == "prefetch" || base == "prefetchu" ||
           base == "discard" || base == "applypriority" || base == "griddepcontrol" ||
           base == "pmevent";
}

}  // namespace

bool FunctionDecoder::decode_control(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    if (base == "ret" || base == "exit") {
        instruction.kind = base == "ret" ? Kind::return_ : Kind::exit;
        emit(instruction);
    } else if (base == "trap" || base == "brkpt") {
        instruction.kind = Kind::trap;
        emit(instruction);
    } else if (base == "bra") {
        decode_branch(instruction);
    } else if (base == "brx") {
        decode_branch_table(instruction);
    } else if (base == "call") {
        decode_call(instruction);
    } else if ((base == "bar" || base == "barrier") && !mnemonic.has("warp")) {
        decode_barrier(mnemonic, instruction);
    } else if (base == "nanosleep") {
        reader_.skip_statement();
        instruction.run = sleep_in_warp;
        function_.code.push_back(instruction);
    } else if (has_no_effect_here(base)) {
        reader_.skip_statement();
        instruction.run = families_.move({.name = "nop"});
        function_.code.push_back(instruction);
    } else {
        return false;
    }
    return true;
}

void FunctionDecoder::decode_branch(Instruction& instruction) {
    instruction.kind = Kind::branch;
    branches_.push_back({function_.code.size(), std::string(reader_.take())});
    emit(instruction);
}

void FunctionDecoder::decode_branch_table(Instruction& instruction) {
    instruction.kind = Kind::branch_table;
    instruction.a = value(parse_operand(), Type::u32);
    comma();
    branch_tables_.push_back({function_.code.size(), std::string(reader_.take())});
    emit(instruction);
}

void FunctionDecoder::decode_barrier(const Mnemonic& mnemonic, Instruction& instruction) {
    if (mnemonic.has("cluster")) {
        unsupported("clusters are not modelled");
    }
    instruction.kind = Kind::barrier;
    BarrierAction action = BarrierAction::wait;
    if (mnemonic.has("arrive")) {
        action = BarrierAction::arrive;
    } else if (mnemonic.has("red")) {
        action = mnemonic.has("popc")  ? BarrierAction::reduce_popc
                 : mnemonic.has("and") ? BarrierAction::reduce_and
                                       : BarrierAction::reduce_or;
    }
    instruction.variant = static_cast<std::uint8_t>(action);
    const bool reduces = mnemonic.has("red");
    if (reduces) {
        const ParsedOperand d = parse_operand();
        if (action == BarrierAction::reduce_popc) {
            instruction.d = destination(d, Type::u32);
        } else if (d.form == ParsedOperand::Form::predicate) {
            instruction.d = d.slot;
        } else {
            unsupported("a destination that should be a predicate");
        }
        comma();
    }
    instruction.a = value(parse_operand(), Type::u32);
    instruction.has_result = false;  // here: has a count of threads
    while (reader_.accept(",")) {
        const ParsedOperand operand = parse_operand();
        if (reduces && (operand.form == ParsedOperand::Form::predicate || reader_.peek() == ";")) {
            set_predicate_source(instruction, operand);
        } else {
            instruction.b = value(operand, Type::u32);
            instruction.has_result = true;
        }
    }
    emit(instruction);
}

LocalBytes FunctionDecoder::call_area(const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->frame_bytes.find(name);
        if (found != scope->frame_bytes.end()) {
            return found->second;
        }
    }
    unsupported("unknown parameter " + name);
}

void FunctionDecoder::decode_call(Instruction& instruction) {
    CallSite site;
    if (reader_.accept("(")) {
        while (!reader_.accept(")")) {
            site.results.push_back(call_area(std::string(reader_.take())));
            reader_.accept(",");
        }
        comma();
    }
    const ParsedOperand target = parse_operand();
    if (reader_.accept(",") && reader_.accept("(")) {
        while (!reader_.accept(")")) {
            site.arguments.push_back(call_area(std::string(reader_.take())));
            reader_.accept(",");
        }
    }
    if (reader_.accept(",")) {
        reader_.take();  // the prototype of an indirect call
    } else if (reader_.peek() != ";") {
        reader_.take();
    }
    instruction.target = static_cast<std::int32_t>(function_.calls.size());
    if (target.form == ParsedOperand::Form::register_) {
        instruction.kind = Kind::call;
        site.address = value(target, Type::u64);
        function_.order_sensitive = true;  // whatever it calls may be
        function_.calls.push_back(std::move(site));
        emit(instruction);
        return;
    }
    const auto callee = module_.function_index.find(target.name);
    if (callee == module_.function_index.end()) {
        unsupported("call of " + target.name);
    }
    if (module_.functions[callee->second]->defined) {
        instruction.kind = Kind::call;
        site.callee = static_cast<std::int32_t>(callee->second);
        function_.calls.push_back(std::move(site));
        emit(instruction);
        return;
    }
    function_.order_sensitive = true;
    const Builtin builtin = find_builtin(target.name);
    if (builtin.run == nullptr || site.arguments.size() != builtin.arguments ||
        site.results.size() != builtin.results) {
        unsupported("call of the external function " + target.name);
    }
    function_.calls.push_back(std::move(site));
    emit(instruction, builtin.run);
}

}  // namespace vram::virtual_gpu::ptx
