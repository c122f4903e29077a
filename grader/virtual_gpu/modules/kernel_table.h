// What the host code of a program registered: modules, their kernels and variables.
//
// Modules stay for the life of the process; what lies on the card is made when it is first needed,
// and again after a reset. All functions expect the lock of the card to be held.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/virtual_gpu/card.h"
#include "grader/virtual_gpu/modules/statistics.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"

namespace vram::virtual_gpu {

struct ModuleEntry;

/// One __global__ function. Its address is the handle that programs hold.
struct KernelEntry {
    ModuleEntry* module = nullptr;
    std::string name;  ///< mangled
    const ptx::Kernel* kernel = nullptr;
    std::optional<std::size_t> dynamic_shared_limit;  ///< as set by cudaFuncSetAttribute
    int carveout = -1;
};

/// One variable as the host code knows it.
struct VariableEntry {
    ModuleEntry* module = nullptr;
    std::string name;
    const void* host = nullptr;  ///< the shadow variable; for managed ones the pointer to set
    std::size_t bytes = 0;
    bool managed = false;
};

struct ModuleEntry {
    const void* wrapper = nullptr;
    std::shared_ptr<ptx::Module> module;  ///< read at first need
    bool instantiated = false;            ///< its variables lie on the card
    bool has_managed = false;
};

ModuleEntry* register_module(const void* wrapper);
void unregister_module(ModuleEntry* module);
bool is_module(const ModuleEntry* module);
void register_kernel(ModuleEntry* module, const void* host_function, const char* name);
void register_variable(VariableEntry variable);

/// By the address of the host function, or by a handle of the kernel; nullptr when unknown.
KernelEntry* find_kernel_entry(const void* symbol_or_handle);
/// Reads the module and finds the kernel in it. Success, or the error of the launch, reported.
cudaError_t prepare(Card& card, KernelEntry& entry);

/// Reads the module, and puts its variables on the card. Success, or the error of the call.
cudaError_t instantiate(Card& card, ModuleEntry& module);
/// The address of a variable, or nullptr when it is none: then `error` says why.
const ptx::Variable* find_variable(Card& card, const void* symbol, cudaError_t& error);

/// True for the address at which a __managed__ variable lies.
bool is_managed_variable(const void* address);

/// After a reset: variables get new addresses and their first values at the next need.
void forget_variables();
/// Of the first usable module, times ten; 0 when no module is usable.
int module_compute_capability();

}  // namespace vram::virtual_gpu
