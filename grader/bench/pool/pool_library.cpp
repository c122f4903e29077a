#include "grader/bench/pool/pool_library.h"

#include <dlfcn.h>

#include <stdexcept>

namespace vram::bench {

PoolFunctions load_pool(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
        throw std::runtime_error(dlerror());
    }
    const auto find = [&](auto& function, const char* mangled, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, mangled));
        if (function == nullptr) {
            throw std::runtime_error(library + " does not define " + name);
        }
    };
    PoolFunctions functions;
    find(functions.create, "_Z11pool_createPK10PoolConfigPP4Pool", "pool_create");
    find(functions.allocate, "_Z13pool_allocateP4PoolmPPv", "pool_allocate");
    find(functions.free, "_Z9pool_freeP4PoolPv", "pool_free");
    find(functions.stats, "_Z10pool_statsP4PoolP9PoolStats", "pool_stats");
    find(functions.destroy, "_Z12pool_destroyP4PoolP9PoolLeaks", "pool_destroy");
    return functions;
}

}  // namespace vram::bench
