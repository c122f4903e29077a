// Stands in for the kernel interpreter in a build without it: every module says that it can't run.

#include "grader/virtual_gpu/ptx/kernel_execution.h"

namespace vram::virtual_gpu::ptx {

class Module {
  public:
    std::string why = "this build of the virtual GPU has no kernel interpreter";
    std::vector<Variable> variables;
};

class Kernel {
  public:
    KernelAttributes attributes;
};

std::shared_ptr<Module> load_module(const void*) {
    return std::make_shared<Module>();
}
std::shared_ptr<Module> load_module_from_text(std::string) {
    return std::make_shared<Module>();
}
const std::string& why_unusable(const Module& module) {
    return module.why;
}
int compute_capability(const Module&) {
    return 0;
}
std::vector<Variable>& variables(Module& module) {
    return module.variables;
}
void resolve_initial_values(Module&) {}
const Kernel* find_kernel(const Module&, const std::string&) {
    return nullptr;
}
const KernelAttributes& attributes(const Kernel& kernel) {
    return kernel.attributes;
}
std::vector<std::byte> pack_arguments(const Kernel&, void* const*) {
    return {};
}
LaunchOutcome execute(const Kernel&, const LaunchShape&, const std::vector<std::byte>&,
                      const BlockFinder&, const ExecutionOptions&) {
    return {};
}
void set_device_heap(DeviceHeap*) {}
Counters& Counters::operator+=(const Counters&) {
    return *this;
}

}  // namespace vram::virtual_gpu::ptx
