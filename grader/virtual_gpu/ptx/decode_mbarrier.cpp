// Decoding of mbarrier, and of the copies that arrive at one.
#include "grader/virtual_gpu/ptx/decoder.h"
#include "grader/virtual_gpu/ptx/mbarrier.h"

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::size_t barrier_bytes = 8;

}  // namespace

void FunctionDecoder::place_barrier(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string where = place(parse_operand(), mnemonic, instruction, barrier_bytes);
    if (where == ".frame" || where == ".kernel_parameter") {
        unsupported("an mbarrier that is not in shared memory");
    }
}

bool FunctionDecoder::decode_memory_barrier(const Mnemonic& mnemonic, Instruction& instruction) {
    using Action = MemoryBarrierAction;
    if (mnemonic.base() != "mbarrier") {
        return false;
    }
    if (mnemonic.has("pending_count")) {
        instruction.d = destination(parse_operand(), Type::b32);
        comma();
        instruction.a = value(parse_operand(), Type::b64);
        emit(instruction, count_pending);
        return true;
    }
    if (mnemonic.has("shared::cluster")) {
        unsupported("clusters are not modelled");
    }
    const bool waits = mnemonic.has("test_wait") || mnemonic.has("try_wait");
    const bool arrives = mnemonic.has("arrive") || mnemonic.has("arrive_drop");
    const bool expects = mnemonic.has("expect_tx");
    Action action = Action::initialise;
    if (waits) {
        action = mnemonic.has("parity") ? Action::wait_for_parity : Action::wait_for_state;
    } else if (arrives) {
        if (expects && mnemonic.has("arrive_drop")) {
            unsupported();
        }
        action = expects                       ? Action::arrive_expecting
                 : mnemonic.has("arrive_drop") ? Action::arrive_drop
                                               : Action::arrive;
    } else if (expects || mnemonic.has("complete_tx")) {
        action = expects ? Action::expect_bytes : Action::complete_bytes;
    } else if (mnemonic.has("inval")) {
        action = Action::invalidate;
    } else if (!mnemonic.has("init")) {
        unsupported();
    }
    instruction.variant = static_cast<std::uint8_t>(action);
    instruction.has_result = false;
    if (waits) {
        const ParsedOperand d = parse_operand();
        if (d.form != ParsedOperand::Form::predicate) {
            unsupported("a destination that should be a predicate");
        }
        instruction.d = d.slot;
        comma();
    } else if (arrives) {
        instruction.has_result = true;
        instruction.d = destination(parse_operand(), Type::b64);
        comma();
    }
    place_barrier(mnemonic, instruction);
    instruction.b = constant(1, 4);
    if (reader_.accept(",")) {
        const ParsedOperand operand = parse_operand();
        (action == Action::wait_for_state ? instruction.c : instruction.b) =
            value(operand, action == Action::wait_for_state ? Type::b64 : Type::b32);
    } else if (!arrives && action != Action::invalidate) {
        unsupported("an operand is missing");
    }
    skip_cache_operands();  // how long a try may take
    if (instruction.space != Space::shared) {
        function_.order_sensitive = true;
    }
    emit(instruction, use_memory_barrier);
    return true;
}

/// Copies are done at once: to arrive when they are done is to arrive now.
void FunctionDecoder::decode_arrival_of_copies(const Mnemonic& mnemonic, Instruction& instruction) {
    instruction.space =
        mnemonic.has("shared") || mnemonic.has("shared::cta") ? Space::shared : Space::generic;
    place_barrier(mnemonic, instruction);
    if (!mnemonic.has("noinc")) {
        // One more arrival is expected for the one that comes: nothing changes.
        emit(instruction, families_.move({.name = "nop"}));
        return;
    }
    instruction.has_result = false;
    instruction.b = constant(1, 4);
    instruction.variant = static_cast<std::uint8_t>(MemoryBarrierAction::arrive);
    emit(instruction, use_memory_barrier);
}

void FunctionDecoder::decode_bulk_copy(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::vector<std::string>& words = mnemonic.words();
    if (mnemonic.has("prefetch") && !mnemonic.has("tensor")) {
        reader_.skip_statement();  // caches are not modelled
        instruction.run = families_.move({.name = "nop"});
        function_.code.push_back(instruction);
        return;
    }
    // Without clusters, the shared memory of the cluster is that of the block.
    const bool to_global = words.size() > 3 && words[3] == "global";
    const bool signals = mnemonic.has("mbarrier::complete_tx::bytes");
    if (mnemonic.has("tensor") || mnemonic.has("prefetch") || mnemonic.has("reduce") ||
        mnemonic.has("multicast::cluster") || mnemonic.has("cp_mask") || to_global == signals) {
        unsupported();
    }
    const ParsedOperand first = parse_operand();
    comma();
    const ParsedOperand second = parse_operand();
    comma();
    constexpr std::size_t at_least = 16;
    instruction.space = Space::shared;
    place(to_global ? second : first, mnemonic, instruction, at_least);
    instruction.width = instruction.address_width;
    instruction.e = instruction.a;
    instruction.target = static_cast<std::int32_t>(instruction.immediate);
    instruction.space = Space::global;
    place(to_global ? first : second, mnemonic, instruction, at_least);
    instruction.b = value(parse_operand(), Type::b32);
    instruction.variant = to_global ? 1 : 0;
    if (!signals) {
        skip_cache_operands();
        emit(instruction, copy_bulk);
        return;
    }
    Instruction arrival = instruction;
    instruction.run = copy_bulk;
    function_.code.push_back(instruction);
    comma();
    arrival.space = Space::shared;
    place_barrier(mnemonic, arrival);
    skip_cache_operands();
    arrival.has_result = false;
    arrival.variant = static_cast<std::uint8_t>(MemoryBarrierAction::complete_bytes);
    emit(arrival, use_memory_barrier);
}

}  // namespace vram::virtual_gpu::ptx
