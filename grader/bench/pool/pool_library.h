// A pool that keeps the contract of lab 13, loaded from a shared library.
#pragma once

#include <memory>
#include <string>

#include "labs/13-pool/pool.h"

namespace vram::bench {

struct PoolFunctions {
    PoolStatus (*create)(const PoolConfig*, Pool**) = nullptr;
    PoolStatus (*allocate)(Pool*, std::size_t, void**) = nullptr;
    PoolStatus (*free)(Pool*, void*) = nullptr;
    PoolStatus (*stats)(Pool*, PoolStats*) = nullptr;
    PoolStatus (*destroy)(Pool*, PoolLeaks*) = nullptr;
};

/// The library stays loaded until the program ends. Throws std::runtime_error with the reason.
PoolFunctions load_pool(const std::string& library);

}  // namespace vram::bench
