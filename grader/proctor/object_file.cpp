#include "grader/proctor/object_file.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace vram::proctor {

namespace {

template <typename Record>
Record record_at(std::string_view bytes, std::size_t offset) {
    Record record;
    if (offset > bytes.size() || bytes.size() - offset < sizeof record) {
        throw BadObject("the object file is cut short");
    }
    std::memcpy(&record, bytes.data() + offset, sizeof record);
    return record;
}

std::string text_at(std::string_view bytes, std::size_t offset) {
    const std::size_t end = offset < bytes.size() ? bytes.find('\0', offset) : bytes.npos;
    if (end == bytes.npos) {
        throw BadObject("the object file has a name outside of its string table");
    }
    return std::string(bytes.substr(offset, end - offset));
}

std::vector<Elf64_Shdr> section_headers(std::string_view bytes, const Elf64_Ehdr& header) {
    std::vector<Elf64_Shdr> result;
    std::size_t count = header.e_shnum;
    if (count == 0 && header.e_shoff != 0) {
        // More sections than fit into the field: the first header holds the number.
        count = record_at<Elf64_Shdr>(bytes, header.e_shoff).sh_size;
    }
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(record_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    return result;
}

void read_symbols(std::string_view bytes, const std::vector<Elf64_Shdr>& sections,
                  const Elf64_Shdr& table, ObjectFile& object) {
    if (table.sh_link >= sections.size()) {
        throw BadObject("the object file's symbols have no names");
    }
    const std::size_t names = sections[table.sh_link].sh_offset;
    for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
        const auto entry = record_at<Elf64_Sym>(bytes, table.sh_offset + i * sizeof(Elf64_Sym));
        const unsigned type = ELF64_ST_TYPE(entry.st_info);
        if (type == STT_SECTION || type == STT_FILE || entry.st_name == 0) {
            continue;
        }
        Symbol symbol;
        symbol.name = text_at(bytes, names + entry.st_name);
        symbol.defined = entry.st_shndx != SHN_UNDEF;
        symbol.local = ELF64_ST_BIND(entry.st_info) == STB_LOCAL;
        symbol.weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
        symbol.function = type == STT_FUNC || type == STT_GNU_IFUNC;
        object.symbols.push_back(std::move(symbol));
    }
}

bool begins_runtime_name(std::string_view name) {
    while (name.starts_with('_')) {
        name.remove_prefix(1);
    }
    return name.starts_with("cuda") && name.size() > 4 &&
           std::isupper(static_cast<unsigned char>(name[4]));
}

/// Whether a mangled C++ name lies in the namespace whose mangled spelling ("4vram") is given. Only
/// the name itself counts, not its parameters.
bool lies_in(std::string_view name, std::string_view space) {
    if (!name.starts_with("_Z")) {
        return false;
    }
    name.remove_prefix(2);
    // Tables, type information and guards of a class or variable.
    for (const std::string_view prefix : {"TV", "TI", "TS", "TT", "GV", "Z"}) {
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
            break;
        }
    }
    if (!name.starts_with('N')) {
        return false;
    }
    name.remove_prefix(std::min(name.find_first_not_of("rVKRO", 1), name.size()));
    return name.starts_with(space);
}

bool belongs_to_the_checks(std::string_view name) {
    return name.starts_with("vram_") || lies_in(name, "4vram") || lies_in(name, "7testing");
}

/// Removes the prefix, if the text has it.
bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return true;
}

/// Whether the mangled name is an operator new or delete that a program may replace for all its parts;
/// one with parameters of its own ("_ZnwmR5Arena") is not.
bool allocates_for_everybody(std::string_view name) {
    if (take(name, "_ZdlPv") || take(name, "_ZdaPv")) {
        take(name, "m");
    } else if (!take(name, "_Znwm") && !take(name, "_Znam")) {
        return false;
    }
    take(name, "St11align_val_t");
    take(name, "RKSt9nothrow_t");
    return name.empty();
}

/// Whether a function of the C or C++ library has this name. Those of C++ are known by the shape of
/// their names: where this program is linked with a static C++ library, they cannot be looked up.
bool is_in_the_libraries(const std::string& name) {
    return dlsym(RTLD_DEFAULT, name.c_str()) != nullptr || allocates_for_everybody(name) ||
           name.starts_with("__cxa_") || name.starts_with("__gxx_") || name.starts_with("_ZSt") ||
           lies_in(name, "St");
}

/// Whether the definition would be taken instead of a library's by the checks and the runtime too.
/// Instances of the C++ library's templates are weak, and ordinary.
bool replaces_a_library_function(const Symbol& symbol) {
    if (!symbol.function) {
        return false;
    }
    const bool ordinary = symbol.weak && symbol.name.starts_with("_Z");
    return is_in_the_libraries(symbol.name) && (!ordinary || allocates_for_everybody(symbol.name));
}

}  // namespace

ObjectFile parse_object(std::string_view bytes) {
    const auto header = record_at<Elf64_Ehdr>(bytes, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL) {
        throw BadObject("this is no relocatable object file");
    }
    ObjectFile object;
    const auto sections = section_headers(bytes, header);
    std::size_t names = header.e_shstrndx;
    if (names == SHN_XINDEX && !sections.empty()) {
        names = sections.front().sh_link;
    }
    if (names >= sections.size()) {
        throw BadObject("the object file's sections have no names");
    }
    for (const Elf64_Shdr& section : sections) {
        object.sections.push_back(text_at(bytes, sections[names].sh_offset + section.sh_name));
        if (section.sh_type == SHT_SYMTAB) {
            read_symbols(bytes, sections, section, object);
        }
    }
    return object;
}

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 ? std::string(text.get()) : name;
}

std::string refusal(const ObjectFile& object) {
    for (const std::string& section : object.sections) {
        if (section.starts_with(".preinit_array") || section.starts_with(".rela.preinit_array")) {
            return "it asks to run code before the program's start (section .preinit_array)";
        }
    }
    for (const Symbol& symbol : object.symbols) {
        if (symbol.defined && !symbol.local && begins_runtime_name(symbol.name)) {
            return "it defines " + symbol.name + ", which belongs to the CUDA runtime";
        }
        if (symbol.defined && !symbol.local && symbol.name == "main") {
            return "it defines main, which belongs to the grader";
        }
        if (symbol.defined && !symbol.local && replaces_a_library_function(symbol)) {
            return "it defines " + demangled(symbol.name) +
                   ", which belongs to the C or C++ library";
        }
        if (!symbol.local && belongs_to_the_checks(symbol.name)) {
            return std::string("it ") + (symbol.defined ? "defines " : "uses ") +
                   demangled(symbol.name) + ", which belongs to the grader";
        }
    }
    return {};
}

}  // namespace vram::proctor
