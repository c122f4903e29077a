#include "grader/virtual_gpu/ptx/module.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "grader/virtual_gpu/ptx/decoder.h"
#include "grader/virtual_gpu/ptx/fat_binary.h"
#include "grader/virtual_gpu/ptx/function_name.h"
#include "grader/virtual_gpu/ptx/parser.h"
#include "grader/virtual_gpu/ptx/warp.h"

namespace vram::virtual_gpu::ptx {

namespace {

/// Local memory where the depth of calls is not known.
constexpr std::uint32_t recursive_stack_bytes = 32 * 1024;
constexpr int most_registers = 255;

/// What a kernel and all that it may call need.
class CallGraph {
  public:
    explicit CallGraph(const Module& module) : module_(module) {}

    struct Needs {
        std::uint32_t stack_bytes = 0;
        bool unbounded = false;
        bool order_sensitive = false;
        std::string why_not_runnable;
    };

    Needs of(const Function& function) {
        Needs needs;
        visit(function, 0, needs);
        needs.stack_bytes += needs.unbounded ? recursive_stack_bytes : 0;
        return needs;
    }

  private:
    void visit(const Function& function, std::uint32_t above, Needs& needs) {
        const std::uint32_t depth = above + function.local_bytes;
        needs.stack_bytes = std::max(needs.stack_bytes, depth);
        needs.order_sensitive = needs.order_sensitive || function.order_sensitive;
        if (needs.why_not_runnable.empty()) {
            needs.why_not_runnable = function.why_not_runnable;
        }
        if (active_.count(&function) != 0) {
            needs.unbounded = true;
            return;
        }
        // A function that was reached from as deep before has nothing new to say.
        const auto known = deepest_.find(&function);
        if (known != deepest_.end() && known->second >= depth) {
            return;
        }
        deepest_[&function] = depth;
        active_.insert(&function);
        for (const CallSite& site : function.calls) {
            if (site.callee >= 0) {
                visit(*module_.functions[site.callee], depth, needs);
            } else {
                needs.unbounded = true;
            }
        }
        active_.erase(&function);
    }

    const Module& module_;
    std::set<const Function*> active_;
    std::map<const Function*, std::uint32_t> deepest_;
};

void decode_function(Module& module, Function& function) {
    try {
        FunctionDecoder(module, function).decode();
    } catch (const SyntaxError& error) {
        function.why_not_runnable = error.what();
        function.code.clear();
        function.calls.clear();
    }
}

std::size_t constant_bytes(const Module& module) {
    std::size_t bytes = 0;
    for (const Variable& variable : module.variables) {
        bytes += variable.constant ? variable.bytes : 0;
    }
    return bytes;
}

std::unique_ptr<Kernel> make_kernel(const Module& module, const Function& function) {
    auto kernel = std::make_unique<Kernel>();
    kernel->module = &module;
    kernel->function = &function;
    kernel->mangled_name = function.name;
    const CallGraph::Needs needs = CallGraph(module).of(function);
    kernel->stack_bytes = needs.stack_bytes;
    kernel->order_sensitive = needs.order_sensitive;
    KernelAttributes& attributes = kernel->attributes;
    attributes.name = function_name(function.name);
    // PTX has as many registers as it likes; a compiler would reuse most of them.
    attributes.registers_per_thread =
        std::clamp(static_cast<int>(function.register_words / 2), 10, most_registers);
    attributes.static_shared_bytes = function.shared_bytes;
    attributes.local_bytes = function.local_bytes;
    attributes.constant_bytes = constant_bytes(module);
    attributes.parameter_bytes = function.parameter_bytes;
    if (function.max_threads != 0) {
        attributes.max_threads_per_block = static_cast<int>(function.max_threads);
    }
    if (!needs.why_not_runnable.empty()) {
        attributes.why_not_runnable =
            "kernel " + attributes.name + " cannot run here: " + needs.why_not_runnable;
    }
    return kernel;
}

/// Device functions first: shared variables that they declare are part of every kernel.
void decode_all(Module& module) {
    for (const auto& function : module.functions) {
        if (function->defined && !function->is_kernel) {
            function->shared_bytes = module.shared_bytes;
            decode_function(module, *function);
            module.shared_bytes = std::max(module.shared_bytes, function->shared_bytes);
        }
    }
    for (const auto& function : module.functions) {
        if (function->defined && function->is_kernel) {
            function->shared_bytes = module.shared_bytes;
            decode_function(module, *function);
        }
    }
    for (const auto& function : module.functions) {
        if (function->defined && function->is_kernel) {
            module.kernels[function->name] = make_kernel(module, *function);
        }
    }
}

void read_module(Module& module, std::string text) {
    module.text = std::move(text);
    try {
        module.tokens = tokenize(module.text);
        parse_module(module);
        decode_all(module);
    } catch (const SyntaxError& error) {
        module.why_unusable = std::string("the PTX cannot be read: ") + error.what();
        module.kernels.clear();
    }
}

std::uint64_t address_of_symbol(const Module& module, const std::string& symbol) {
    const auto variable = module.variable_index.find(symbol);
    if (variable != module.variable_index.end()) {
        return module.variables[variable->second].address;
    }
    const auto function = module.function_index.find(symbol);
    return function == module.function_index.end()
               ? 0
               : function_window + function_stride * function->second;
}

}  // namespace

void Module::link() {
    std::call_once(linked_, [this] {
        for (const auto& function : functions) {
            for (const Relocation& relocation : function->relocations) {
                const std::uint64_t address = variables[relocation.variable].address +
                                              static_cast<std::uint64_t>(relocation.addend);
                for (int lane = 0; lane < lanes_per_warp; ++lane) {
                    std::memcpy(
                        function->constants.data() + relocation.constant + lane * relocation.width,
                        &address, relocation.width);
                }
            }
        }
    });
}

std::shared_ptr<Module> load_module(const void* wrapper) {
    auto module = std::make_shared<Module>();
    PtxImage image = extract_ptx(wrapper);
    if (!image.why_missing.empty()) {
        module->why_unusable = image.why_missing;
        return module;
    }
    read_module(*module, std::move(image.text));
    if (image.compute_capability != 0) {
        module->compute_capability = image.compute_capability;
    }
    if (!module->why_unusable.empty()) {
        module->compute_capability = 0;
    }
    return module;
}

std::shared_ptr<Module> load_module_from_text(std::string ptx) {
    auto module = std::make_shared<Module>();
    read_module(*module, std::move(ptx));
    if (!module->why_unusable.empty()) {
        module->compute_capability = 0;
    }
    return module;
}

const std::string& why_unusable(const Module& module) {
    return module.why_unusable;
}

int compute_capability(const Module& module) {
    return module.compute_capability;
}

std::vector<Variable>& variables(Module& module) {
    return module.variables;
}

void resolve_initial_values(Module& module) {
    for (const InitialReference& reference : module.initial_references) {
        std::vector<std::byte>& initial = module.variables[reference.variable].initial;
        std::uint64_t addend = 0;
        std::memcpy(&addend, initial.data() + reference.offset, sizeof addend);
        const std::uint64_t address = address_of_symbol(module, reference.symbol) + addend;
        std::memcpy(initial.data() + reference.offset, &address, sizeof address);
    }
    module.initial_references.clear();
}

const Kernel* find_kernel(const Module& module, const std::string& mangled_name) {
    const auto found = module.kernels.find(mangled_name);
    return found == module.kernels.end() ? nullptr : found->second.get();
}

const KernelAttributes& attributes(const Kernel& kernel) {
    return kernel.attributes;
}

std::vector<std::byte> pack_arguments(const Kernel& kernel, void* const* arguments) {
    std::vector<std::byte> packed(kernel.function->parameter_bytes);
    std::size_t index = 0;
    for (const Parameter& parameter : kernel.function->parameters) {
        std::memcpy(packed.data() + parameter.offset, arguments[index++], parameter.bytes);
    }
    return packed;
}

}  // namespace vram::virtual_gpu::ptx
