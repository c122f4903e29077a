// What is in an object file that was made from a learner's source.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vram::proctor {

struct Symbol {
    std::string name;  ///< as in the file, mangled
    bool defined = false;
    bool local = false;
    bool weak = false;
    bool function = false;
};

struct ObjectFile {
    std::vector<Symbol> symbols;
    std::vector<std::string> sections;
};

class BadObject : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads a relocatable 64-bit ELF file. Throws BadObject.
ObjectFile parse_object(std::string_view bytes);

/// "release(FrameStore*)" for a C++ symbol, else the name itself.
std::string demangled(const std::string& name);

/// The reason to refuse the object before it is linked; empty if there is none.
///
/// Refused is what would take the grader's place: definitions of the CUDA runtime's functions, of the
/// C and C++ libraries' functions and of main, use or definition of the checks' names, and code that
/// runs before the grader does. Instances of inline functions and templates and the stubs that nvcc
/// writes are ordinary.
std::string refusal(const ObjectFile& object);

}  // namespace vram::proctor
