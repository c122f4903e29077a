// What the readers of PTX throw; it never leaves load_module.
#pragma once

#include <stdexcept>
#include <string>

namespace vram::virtual_gpu::ptx {

/// The text is not PTX as this reader knows it, or uses what is missing here.
class SyntaxError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace vram::virtual_gpu::ptx
