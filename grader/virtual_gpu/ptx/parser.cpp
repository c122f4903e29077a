#include "grader/virtual_gpu/ptx/parser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::uint64_t most_variable_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t most_alignment = 4096;

std::uint32_t aligned(std::uint32_t offset, std::uint32_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

/// The initial value after `=`.
class InitialValueReader {
  public:
    InitialValueReader(TokenReader& reader, Declaration& declaration)
        : reader_(reader), declaration_(declaration), element_(size_of(declaration.type)) {}

    void read(int depth = 0) {
        if (!reader_.accept("{")) {
            read_one();
            return;
        }
        if (depth > 8) {
            reader_.fail("an initial value is nested too deeply");
        }
        while (!reader_.accept("}")) {
            read(depth + 1);
            if (!reader_.accept(",") && reader_.peek() != "}") {
                reader_.fail("expected ',' in an initial value");
            }
        }
    }

  private:
    void read_one() {
        std::uint64_t bits = 0;
        if (reader_.peek_is_number()) {
            bits = reader_.take_literal().bits;
        } else {
            bits = read_reference();
        }
        const std::size_t offset = declaration_.initial.size();
        declaration_.initial.resize(offset + element_);
        std::memcpy(declaration_.initial.data() + offset, &bits, element_);
    }

    std::uint64_t read_reference() {
        const bool generic = reader_.accept("generic");
        if (generic) {
            reader_.expect("(");
        }
        std::string symbol(reader_.take());
        if (generic) {
            reader_.expect(")");
        }
        if (element_ != 8) {
            reader_.fail("an initial value refers to an address, but is not 64 bits wide");
        }
        declaration_.references.push_back(
            {static_cast<std::uint32_t>(declaration_.initial.size()), std::move(symbol)});
        return reader_.accept("+") ? static_cast<std::uint64_t>(reader_.take_integer()) : 0;
    }

    TokenReader& reader_;
    Declaration& declaration_;
    std::size_t element_;
};

class ModuleParser {
  public:
    explicit ModuleParser(Module& module)
        : module_(module), reader_(module.tokens, 0, module.tokens.size()) {}

    void parse() {
        while (!reader_.at_end()) {
            parse_directive();
        }
    }

  private:
    void parse_directive() {
        bool external = false;
        std::string_view directive = reader_.take();
        while (directive == ".visible" || directive == ".weak" || directive == ".extern" ||
               directive == ".common") {
            external = external || directive == ".extern";
            directive = reader_.take();
        }
        if (directive == ".version" || directive == ".address_size") {
            reader_.take();
        } else if (directive == ".target") {
            parse_target();
        } else if (directive == ".entry") {
            parse_function(true);
        } else if (directive == ".func") {
            parse_function(false);
        } else if (directive == ".global" || directive == ".const") {
            parse_variable(directive == ".const");
        } else if (directive == ".shared") {
            parse_shared(external);
        } else if (directive.substr(0, 5) == ".file") {
            parse_file(directive);
        } else if (directive == ".section") {
            reader_.take();
            reader_.expect("{");
            reader_.skip_braces();
        } else if (directive == ".pragma" || directive == ".alias") {
            reader_.skip_statement();
        } else if (directive != ";" && directive.substr(0, 4) != ".loc") {
            reader_.fail("unknown directive " + std::string(directive));
        }
    }

    void parse_target() {
        do {
            const std::string target(reader_.take());
            if (target.rfind("sm_", 0) == 0 && module_.compute_capability == 0) {
                module_.compute_capability = std::atoi(target.c_str() + 3);
            }
        } while (reader_.accept(","));
    }

    void parse_variable(bool constant) {
        Declaration declaration = read_declaration(reader_);
        reader_.expect(";");
        if (module_.variable_index.count(declaration.name) != 0) {
            return;  // an external declaration of what is here already
        }
        const auto index = static_cast<std::uint32_t>(module_.variables.size());
        Variable variable;
        variable.name = declaration.name;
        variable.bytes = declaration.bytes;
        variable.alignment = declaration.alignment;
        variable.constant = constant;
        variable.managed = declaration.managed;
        variable.initial = std::move(declaration.initial);
        variable.initial.resize(variable.bytes);
        for (Declaration::Reference& reference : declaration.references) {
            module_.initial_references.push_back(
                {index, reference.offset, std::move(reference.symbol)});
        }
        module_.variable_index[variable.name] = index;
        module_.variables.push_back(std::move(variable));
    }

    void parse_shared(bool external) {
        const Declaration declaration = read_declaration(reader_);
        reader_.expect(";");
        SharedVariable variable;
        variable.dynamic = external || declaration.bytes == 0;
        if (variable.dynamic) {
            module_.dynamic_alignment = std::max(module_.dynamic_alignment, declaration.alignment);
        } else {
            variable.offset = aligned(module_.shared_bytes, declaration.alignment);
            module_.shared_bytes = variable.offset + static_cast<std::uint32_t>(declaration.bytes);
        }
        if (module_.shared_bytes > most_variable_bytes) {
            reader_.fail("too much shared memory");
        }
        module_.shared_variables[declaration.name] = variable;
    }

    /// `.file 1 "name"`, one token.
    void parse_file(std::string_view directive) {
        const std::string text(directive);
        const int number = std::atoi(text.c_str() + 5);
        const std::size_t open = text.find('"');
        const std::size_t close = open == std::string::npos ? open : text.find('"', open + 1);
        if (number < 0 || number > 100000 || close == std::string::npos) {
            return;
        }
        if (module_.files.size() <= static_cast<std::size_t>(number)) {
            module_.files.resize(number + 1);
        }
        module_.files[number] = text.substr(open + 1, close - open - 1);
    }

    std::vector<Parameter> parse_parameters(std::uint32_t& bytes) {
        std::vector<Parameter> parameters;
        reader_.expect("(");
        while (!reader_.accept(")")) {
            if (!reader_.accept(".param") && !reader_.accept(".reg")) {
                reader_.fail("expected a parameter");
            }
            const Declaration declaration = read_declaration(reader_);
            Parameter parameter;
            parameter.name = declaration.name;
            parameter.alignment = declaration.alignment;
            parameter.bytes = static_cast<std::uint32_t>(declaration.bytes);
            parameter.offset = aligned(bytes, declaration.alignment);
            bytes = parameter.offset + parameter.bytes;
            if (bytes > (1u << 20)) {
                reader_.fail("parameters are too large");
            }
            parameters.push_back(parameter);
            if (!reader_.accept(",") && reader_.peek() != ")") {
                reader_.fail("expected ',' or ')' after a parameter");
            }
        }
        return parameters;
    }

    void parse_function(bool is_kernel) {
        auto function = std::make_unique<Function>();
        function->is_kernel = is_kernel;
        while (reader_.accept(".noreturn")) {
        }
        if (reader_.accept(".attribute")) {
            reader_.expect("(");
            while (reader_.take() != ")") {
            }
        }
        std::uint32_t result_bytes = 0;
        if (!is_kernel && reader_.peek() == "(") {
            function->results = parse_parameters(result_bytes);
        }
        function->name = std::string(reader_.take());
        if (reader_.peek() == "(") {
            function->parameters = parse_parameters(function->parameter_bytes);
        }
        while (reader_.peek() != "{" && reader_.peek() != ";") {
            parse_function_attribute(*function);
        }
        if (reader_.accept("{")) {
            function->defined = true;
            function->body_begin = reader_.position();
            function->body_end = reader_.skip_braces();
        } else {
            reader_.expect(";");
        }
        add_function(std::move(function));
    }

    void parse_function_attribute(Function& function) {
        if (reader_.accept(".maxntid") || reader_.accept(".reqntid")) {
            std::uint64_t threads = 1;
            do {
                threads *= std::max<std::uint64_t>(reader_.take_size(1024), 1);
            } while (reader_.accept(",") && threads <= 1024);
            function.max_threads =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, 1024));
        } else {
            reader_.take();
        }
    }

    void add_function(std::unique_ptr<Function> function) {
        const auto known = module_.function_index.find(function->name);
        if (known == module_.function_index.end()) {
            function->index = static_cast<std::uint32_t>(module_.functions.size());
            module_.function_index[function->name] = function->index;
            module_.functions.push_back(std::move(function));
        } else if (function->defined && !module_.functions[known->second]->defined) {
            function->index = known->second;
            module_.functions[known->second] = std::move(function);
        }
    }

    Module& module_;
    TokenReader reader_;
};

}  // namespace

Declaration read_declaration(TokenReader& reader) {
    Declaration declaration;
    std::uint64_t alignment = 0;
    std::uint64_t vector = 1;
    while (!reader.peek().empty() && reader.peek().front() == '.') {
        const std::string_view word = reader.take();
        if (word == ".align") {
            alignment = reader.take_size(most_alignment);
        } else if (word == ".attribute") {
            reader.expect("(");
            for (std::string_view inner = reader.take(); inner != ")"; inner = reader.take()) {
                declaration.managed = declaration.managed || inner == ".managed";
            }
        } else if (word == ".v2" || word == ".v4" || word == ".v8") {
            vector = static_cast<std::uint64_t>(word[2] - '0');
        } else if (const Type type = type_named(word); type != Type::none) {
            declaration.type = type;
        } else if (word != ".ptr" && word != ".global" && word != ".shared" && word != ".const" &&
                   word != ".local" && word != ".param") {
            reader.fail("unknown word " + std::string(word) + " in a declaration");
        }
    }
    const std::size_t element = size_of(declaration.type);
    if (element == 0) {
        reader.fail("a declaration without a type");
    }
    declaration.name = std::string(reader.take());
    declaration.alignment =
        static_cast<std::uint32_t>(alignment != 0 ? alignment : element * vector);
    std::uint64_t count = vector;
    bool open = false;
    while (reader.accept("[")) {
        if (reader.accept("]")) {
            open = true;
            continue;
        }
        count *= reader.take_size(most_variable_bytes);
        reader.expect("]");
        if (count > most_variable_bytes) {
            reader.fail("a variable is too large");
        }
    }
    if (reader.accept("=")) {
        InitialValueReader(reader, declaration).read();
    }
    declaration.bytes = open ? declaration.initial.size() : count * element;
    if (declaration.bytes > most_variable_bytes || declaration.initial.size() > declaration.bytes) {
        reader.fail("a variable is too large, or smaller than its initial value");
    }
    return declaration;
}

void parse_module(Module& module) {
    ModuleParser(module).parse();
}

}  // namespace vram::virtual_gpu::ptx
