// Turns the body of a function into instructions that a warp can run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/ptx/module.h"
#include "grader/virtual_gpu/ptx/operations/operations.h"
#include "grader/virtual_gpu/ptx/token_reader.h"

namespace vram::virtual_gpu::ptx {

struct TexturePlan;

/// An operand as written.
struct ParsedOperand {
    enum class Form { register_, predicate, literal, vector, address, discarded, symbol, clock };

    Form form = Form::discarded;
    Type type = Type::none;  ///< of a register
    Operand slot = 0;        ///< of a register or predicate
    bool negated = false;    ///< !predicate
    Literal literal;
    std::string name;         ///< of a symbol, or of the base symbol of an address
    std::int64_t offset = 0;  ///< after the base of an address, or after a symbol
    bool has_base_register = false;
    std::vector<ParsedOperand> elements;
};

/// The words of an instruction between the dots.
class Mnemonic {
  public:
    explicit Mnemonic(std::string_view text);
    const std::string& base() const { return words_.front(); }
    bool has(std::string_view word) const;
    /// The n-th type named, from 0.
    Type type(std::size_t n = 0) const { return n < types_.size() ? types_[n] : Type::none; }
    const std::string& text() const { return text_; }
    const std::vector<std::string>& words() const { return words_; }
    Rounding rounding() const;

  private:
    std::string text_;
    std::vector<std::string> words_;
    std::vector<Type> types_;
};

class FunctionDecoder {
  public:
    FunctionDecoder(Module& module, Function& function);
    /// Throws SyntaxError with a message that names source line and instruction.
    void decode();

  private:
    /// Names that a `{` opens and a `}` closes.
    struct Scope {
        struct Register {
            Type type = Type::none;
            std::optional<Operand> slot;  ///< given at the first use
        };
        struct Range {
            std::string prefix;
            std::uint64_t count;
            Type type;
        };
        std::unordered_map<std::string, Register> registers;
        std::vector<Range> ranges;
        std::unordered_map<std::string, LocalBytes> frame_bytes;  ///< .param and .local
        std::unordered_map<std::string, std::uint32_t> shared;
        std::unordered_map<std::string, Parameter> kernel_parameters;
    };

    // decoder.cpp: statements, names and operands.
    void decode_statement(int depth);
    void decode_block(int depth);
    void declare_parameters();
    void declare_registers();
    void declare_variable(std::string_view space);
    void note_location(std::string_view directive);
    void decode_label();
    void decode_instruction();
    void resolve_labels();
    void finish_unused_results();

    Scope::Register* find_register(const std::string& name);
    Operand slot_of(Scope::Register& reg);
    Operand new_slot(std::size_t width);
    std::uint32_t reserve_frame_bytes(std::uint64_t bytes, std::uint32_t alignment);
    /// The innermost meaning of a name in one of the maps of a scope; nullptr without one.
    template <class T>
    const T* find_in_scopes(std::unordered_map<std::string, T> Scope::*map,
                            const std::string& name) const {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            const auto found = ((*scope).*map).find(name);
            if (found != ((*scope).*map).end()) {
                return &found->second;
            }
        }
        return nullptr;
    }

    ParsedOperand parse_operand();
    ParsedOperand parse_named_operand();
    ParsedOperand parse_address();
    std::optional<ParsedOperand> special_register(const std::string& name);
    Operand special_slot(SpecialRegister which, std::uint32_t width);

    Operand constant(std::uint64_t bits, std::size_t width);
    Operand literal_as(const Literal& literal, Type type);
    /// The value of a source operand as a value of `type`.
    Operand value(const ParsedOperand& operand, Type type);
    /// The value of a symbol, `width` bytes wide.
    Operand symbol_value(const std::string& name, std::int64_t offset, std::size_t width);
    Operand destination(const ParsedOperand& operand, Type type);
    void comma() { reader_.expect(","); }
    void set_predicate_source(Instruction& instruction, const ParsedOperand& operand);

    void emit(const Instruction& instruction);
    void emit(Instruction& instruction, Operation operation);
    void wrap_rounding(Instruction& instruction, Rounding rounding, bool flush);
    [[noreturn]] void unsupported(const std::string& why = {});

    // decode_control.cpp
    bool decode_control(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_branch(Instruction& instruction);
    void decode_branch_table(Instruction& instruction);
    void decode_barrier(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_call(Instruction& instruction);
    LocalBytes call_area(const std::string& name);

    // decode_memory.cpp
    bool decode_memory(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_load(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_store(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_atomic(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_async_copy(const Mnemonic& mnemonic, Instruction& instruction);
    /// Sets base, offset and slot; returns the suffix of the operation's name for its place.
    std::string place(const ParsedOperand& address, const Mnemonic& mnemonic,
                      Instruction& instruction, std::size_t bytes);
    void skip_cache_operands();

    // decode_mbarrier.cpp
    bool decode_memory_barrier(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_arrival_of_copies(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_bulk_copy(const Mnemonic& mnemonic, Instruction& instruction);
    void place_barrier(const Mnemonic& mnemonic, Instruction& instruction);

    // decode_texture.cpp
    bool decode_texture(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_texture_fetch(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_surface(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_object_and_coordinates(const TexturePlan& plan, Instruction& instruction);

    // decode_warp.cpp
    bool decode_warp_wide(const Mnemonic& mnemonic, Instruction& instruction);

    // decode_arithmetic.cpp
    bool decode_move(const Mnemonic& mnemonic, Instruction& instruction);
    bool decode_arithmetic(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_mov(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_setp(const Mnemonic& mnemonic, Instruction& instruction, bool to_register);
    void decode_conversion(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_address_conversion(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_predicate_logic(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_packed_parts(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_carry(const Mnemonic& mnemonic, Instruction& instruction);
    void decode_plain(const Mnemonic& mnemonic, Instruction& instruction);

    Module& module_;
    Function& function_;
    TokenReader reader_;
    const OperationFamilies& families_;
    std::vector<Scope> scopes_;
    std::string current_text_;
    std::uint32_t location_ = 0;
    std::map<std::pair<int, int>, std::uint32_t> location_index_;
    std::map<std::string, std::int32_t> labels_;
    std::map<std::string, std::vector<std::string>> branch_targets_;
    struct LabelUse {
        std::size_t instruction;  ///< or table
        std::string label;
    };
    std::vector<LabelUse> branches_;
    std::vector<LabelUse> branch_tables_;
    std::map<std::pair<std::uint64_t, std::size_t>, Operand> constants_;
    std::map<std::pair<SpecialRegister, std::uint32_t>, Operand> special_slots_;
    std::unordered_map<Operand, int> mentions_;  ///< of register slots
    std::vector<std::size_t> atomics_;           ///< instructions whose result may be unused
    /// Where inlined code was inlined, by file, line and column.
    std::map<std::tuple<int, int, int>, std::tuple<int, int, int>> inlined_at_;
    int own_file_ = 0;
};

}  // namespace vram::virtual_gpu::ptx
