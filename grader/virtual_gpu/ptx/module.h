// A module as read from PTX: its variables and functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/ptx/instruction.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"
#include "grader/virtual_gpu/ptx/lexer.h"

namespace vram::virtual_gpu::ptx {

/// Addresses that never belong to an allocation. A generic pointer in one of these windows means
/// shared, local or parameter memory, or a function.
constexpr std::uint64_t shared_window = 0x0000'1000'0000'0000;
constexpr std::uint64_t local_window = 0x0000'1100'0000'0000;
constexpr std::uint64_t function_window = 0x0000'1200'0000'0000;
constexpr std::uint64_t parameter_window = 0x0000'1300'0000'0000;
constexpr std::uint64_t grid_window = 0x0000'1400'0000'0000;
constexpr std::uint64_t window_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t function_stride = 16;

/// A parameter or result of a function, and where its bytes are.
struct Parameter {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t alignment = 1;
};

/// Bytes in the local memory of a lane, relative to its frame.
struct LocalBytes {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

struct CallSite {
    std::int32_t callee = -1;  ///< index into Module::functions, or -1 for an indirect call
    Operand address = 0;       ///< of an indirect call
    std::vector<LocalBytes> arguments;
    std::vector<LocalBytes> results;
};

struct SourceLocation {
    std::int32_t file = 0;  ///< index into Module::files
    std::int32_t line = 0;  ///< 0: unknown
};

enum class SpecialRegister : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    lanemask_lt,
    lanemask_le,
    lanemask_gt,
    lanemask_ge,
    lanemask_eq,
    dynamic_smem_size,
    total_smem_size,
    envreg1,
    envreg2,
    dynamic_shared_base,    ///< where dynamic shared memory begins
    reserved_shared_begin,  ///< of the bytes that cooperative groups use
    reserved_shared_end,
    zero,
    one,
};

/// A register slot that holds a special register.
struct SpecialSlot {
    SpecialRegister which;
    Operand slot;
    std::uint32_t width = 4;  ///< bytes
};

/// A constant whose value is an address known only when the module is linked.
struct Relocation {
    std::uint32_t constant = 0;  ///< byte offset into Function::constants
    std::uint32_t width = 0;
    std::uint32_t variable = 0;  ///< index into Module::variables
    std::int64_t addend = 0;
};

struct Function {
    std::string name;
    std::uint32_t index = 0;
    bool is_kernel = false;
    bool defined = false;
    std::vector<Parameter> parameters;
    std::vector<Parameter> results;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t max_threads = 0;  ///< from .maxntid or .reqntid; 0 without
    std::size_t body_begin = 0;     ///< tokens
    std::size_t body_end = 0;

    // What the decoder makes of the body.
    std::vector<Instruction> code;
    std::vector<std::byte> constants;
    std::vector<CallSite> calls;
    std::vector<std::vector<std::int32_t>> tables;
    std::vector<SpecialSlot> special_slots;
    std::vector<SourceLocation> locations;
    std::vector<Relocation> relocations;
    std::uint32_t register_bytes = 0;
    std::uint32_t register_words = 0;
    std::uint32_t predicate_count = 0;
    std::uint32_t local_bytes = 0;
    std::uint32_t shared_bytes = 0;
    /// Uses something whose outcome depends on the order of blocks.
    bool order_sensitive = false;
    std::string why_not_runnable;
};

class Kernel {
  public:
    const Module* module = nullptr;
    const Function* function = nullptr;
    KernelAttributes attributes;
    std::string mangled_name;
    std::uint32_t stack_bytes = 0;  ///< local memory of one lane, callees included
    bool order_sensitive = false;   ///< callees included
};

struct SharedVariable {
    std::uint32_t offset = 0;
    bool dynamic = false;
};

/// An address that an initial value refers to.
struct InitialReference {
    std::uint32_t variable = 0;
    std::uint32_t offset = 0;
    std::string symbol;
};

class Module {
  public:
    std::string text;
    std::vector<Token> tokens;
    std::string why_unusable;
    int compute_capability = 0;

    std::vector<Variable> variables;
    std::unordered_map<std::string, std::uint32_t> variable_index;
    std::vector<InitialReference> initial_references;

    std::vector<std::unique_ptr<Function>> functions;
    std::unordered_map<std::string, std::uint32_t> function_index;
    std::map<std::string, std::unique_ptr<Kernel>> kernels;

    std::unordered_map<std::string, SharedVariable> shared_variables;
    std::uint32_t shared_bytes = 0;  ///< of all static shared variables
    std::uint32_t dynamic_alignment = 16;
    std::uint32_t memory_slots = 0;
    bool uses_reserved_shared = false;  ///< the part that belongs to cooperative groups
    std::vector<std::string> files;

    /// Fills in the addresses of variables; harmless to repeat.
    void link();

  private:
    std::once_flag linked_;
};

}  // namespace vram::virtual_gpu::ptx
