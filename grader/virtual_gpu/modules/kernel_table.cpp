#include "grader/virtual_gpu/modules/kernel_table.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "grader/virtual_gpu/memory/initialisation.h"

namespace vram::virtual_gpu {
namespace {

struct Tables {
    std::vector<std::unique_ptr<ModuleEntry>> modules;
    std::vector<std::unique_ptr<KernelEntry>> kernels;
    std::unordered_map<const void*, KernelEntry*> by_symbol;  ///< host functions and handles
    std::unordered_map<const void*, VariableEntry> variables;
};

Tables& tables() {
    static Tables* instance = new Tables;
    return *instance;
}

void read_module(ModuleEntry& entry) {
    if (!entry.module)
        entry.module = ptx::load_module(entry.wrapper);
}

void report_unusable(const std::string& what, const std::string& first_line) {
    Report report;
    report.kind = ReportKind::kernel_not_supported;
    report.first_line = first_line;
    report.kernel = what;
    report.parties.push_back({observer().current_call(), what, 0, 0});
    observer().on_report(report);
}

Block* place_variable(Card& card, const ptx::Variable& variable) {
    const CallNumber call = observer().current_call();
    if (variable.managed)
        return card.host_memory.allocate(variable.bytes, MemoryKind::managed, cudaMemAttachGlobal,
                                         call);
    const MemoryKind kind = variable.constant ? MemoryKind::constant : MemoryKind::global;
    return card.memory().allocate(variable.bytes, kind, call);
}

/// Tells the host code where its managed variables lie.
void publish_managed(const ModuleEntry& module, const ptx::Variable& variable) {
    for (const auto& [host, registered] : tables().variables)
        if (registered.module == &module && registered.managed &&
            registered.name == variable.name) {
            void* pointer = reinterpret_cast<void*>(variable.address);
            std::memcpy(const_cast<void*>(host), &pointer, sizeof pointer);
        }
}

/// By the address of the shadow variable; host code names a managed variable by where it lies.
const VariableEntry* registered_variable(const void* symbol) {
    const auto shadow = tables().variables.find(symbol);
    if (shadow != tables().variables.end())
        return &shadow->second;
    for (const auto& [host, registered] : tables().variables)
        if (registered.managed && *static_cast<void* const*>(host) == symbol && symbol)
            return &registered;
    return nullptr;
}

}  // namespace

ModuleEntry* register_module(const void* wrapper) {
    auto& entry = *tables().modules.emplace_back(std::make_unique<ModuleEntry>());
    entry.wrapper = wrapper;
    return &entry;
}

bool is_module(const ModuleEntry* module) {
    return std::any_of(tables().modules.begin(), tables().modules.end(),
                       [&](const auto& known) { return known.get() == module; });
}

void unregister_module(ModuleEntry* module) {
    // Work of the module may still be pending while the program ends, so it stays readable; only
    // its names go.
    std::erase_if(tables().by_symbol,
                  [&](const auto& entry) { return entry.second->module == module; });
    std::erase_if(tables().variables,
                  [&](const auto& entry) { return entry.second.module == module; });
}

void register_kernel(ModuleEntry* module, const void* host_function, const char* name) {
    auto& entry = *tables().kernels.emplace_back(std::make_unique<KernelEntry>());
    entry.module = module;
    entry.name = name;
    tables().by_symbol[host_function] = &entry;
    tables().by_symbol[&entry] = &entry;
}

void register_variable(VariableEntry variable) {
    variable.module->has_managed |= variable.managed;
    tables().variables[variable.host] = variable;
}

KernelEntry* find_kernel_entry(const void* symbol_or_handle) {
    const auto found = tables().by_symbol.find(symbol_or_handle);
    return found == tables().by_symbol.end() ? nullptr : found->second;
}

cudaError_t instantiate(Card& card, ModuleEntry& entry) {
    read_module(entry);
    if (const std::string& why = ptx::why_unusable(*entry.module); !why.empty()) {
        report_unusable("the program's device code",
                        "the program's device code cannot run on the virtual GPU: " + why);
        return cudaErrorNoKernelImageForDevice;
    }
    if (entry.instantiated)
        return cudaSuccess;
    std::vector<ptx::Variable>& variables = ptx::variables(*entry.module);
    std::vector<Block*> blocks;
    for (ptx::Variable& variable : variables) {
        Block* block = variable.bytes ? place_variable(card, variable) : nullptr;
        if (variable.bytes && !block)
            return cudaErrorMemoryAllocation;
        blocks.push_back(block);
        variable.address = block ? block->begin : 0;
    }
    ptx::resolve_initial_values(*entry.module);
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (!blocks[i])
            continue;
        std::memcpy(blocks[i]->host(blocks[i]->begin), variables[i].initial.data(),
                    std::min(variables[i].bytes, variables[i].initial.size()));
        mark_initialised(*blocks[i], blocks[i]->begin, blocks[i]->end);
        if (variables[i].managed)
            publish_managed(entry, variables[i]);
    }
    entry.instantiated = true;
    return cudaSuccess;
}

cudaError_t prepare(Card& card, KernelEntry& entry) {
    if (const cudaError_t error = instantiate(card, *entry.module))
        return error;
    if (!entry.kernel)
        entry.kernel = ptx::find_kernel(*entry.module->module, entry.name);
    if (!entry.kernel) {
        report_unusable(
            "kernel " + entry.name,
            "kernel " + entry.name +
                " cannot run on the virtual GPU: the device code in use does not hold it");
        return cudaErrorInvalidDeviceFunction;
    }
    const ptx::KernelAttributes& attributes = ptx::attributes(*entry.kernel);
    if (attributes.why_not_runnable.empty())
        return cudaSuccess;
    report_unusable("kernel " + attributes.name, attributes.why_not_runnable);
    return cudaErrorNotSupported;
}

const ptx::Variable* find_variable(Card& card, const void* symbol, cudaError_t& error) {
    error = cudaErrorInvalidSymbol;
    const VariableEntry* found = registered_variable(symbol);
    if (!found)
        return nullptr;
    const VariableEntry& registered = *found;
    if (const cudaError_t failed = instantiate(card, *registered.module)) {
        error = failed;
        return nullptr;
    }
    for (const ptx::Variable& variable : ptx::variables(*registered.module->module))
        if (variable.name == registered.name) {
            error = cudaSuccess;
            return &variable;
        }
    return nullptr;
}

bool is_managed_variable(const void* address) {
    const VariableEntry* registered = registered_variable(address);
    return registered && registered->managed;
}

void forget_variables() {
    for (const auto& entry : tables().modules)
        entry->instantiated = false;
}

int module_compute_capability() {
    for (const auto& entry : tables().modules) {
        read_module(*entry);
        if (ptx::why_unusable(*entry->module).empty())
            return ptx::compute_capability(*entry->module);
    }
    return 0;
}

}  // namespace vram::virtual_gpu
