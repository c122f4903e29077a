// The name by which the author of a device function knows it.
#pragma once

#include <string>
#include <string_view>

namespace vram::virtual_gpu::ptx {

/// Demangled, without return type and parameters: "scale" for scale(float*, int). Template arguments
/// that are long, as those of libraries are, become "<...>".
std::string function_name(const std::string& mangled);

/// The same for a name that is demangled already.
std::string short_function_name(std::string_view demangled);

}  // namespace vram::virtual_gpu::ptx
