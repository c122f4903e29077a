#include "grader/proctor/compiler.h"

#include <algorithm>
#include <chrono>

#include "grader/proctor/compiler_output.h"
#include "grader/proctor/device_code.h"
#include "grader/proctor/object_file.h"
#include "grader/proctor/text.h"
#include "grader/proctor/tool.h"

namespace vram::proctor {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_source = 1 << 20;
constexpr double compile_seconds = 120;
constexpr std::size_t most_details = 6;

/// So that call sites can be found by walking frame pointers.
constexpr const char* frame_flags[] = {"-fno-optimize-sibling-calls", "-fno-omit-frame-pointer",
                                       "-fPIC"};

// What an entry of the cache holds. These are facts that tools found; verdicts are no part of it and are
// given anew each time, so that a changed grader never repeats an old one.
constexpr const char* object_file = "object.o";
constexpr const char* dependency_file = "dependencies.d";
constexpr const char* compiler_complaints = "compiler-complaints.txt";  ///< only if it failed
constexpr const char* program_file = "program";
constexpr const char* linker_complaints = "linker-complaints.txt";  ///< only if it failed
/// To be changed with the list above.
constexpr const char* cache_format = "facts 1";

Rejection rejection(std::string diagnosis, std::string first_line) {
    Rejection result;
    result.diagnosis = std::move(diagnosis);
    result.first_line = std::move(first_line);
    return result;
}

/// What is wrong with the text before any compiler sees it.
std::optional<Rejection> unreadable(const std::string& file, const std::string& source) {
    if (source.size() > largest_source) {
        return rejection("too-large", file + " is larger than 1 MiB.");
    }
    if (source.find('\0') != std::string::npos) {
        return rejection("not-text", file + " is a binary file, not CUDA source text.");
    }
    if (trimmed(source).empty()) {
        return rejection("empty-file", file + " is empty.");
    }
    return std::nullopt;
}

Rejection takes_too_long(const std::string& file) {
    return rejection("does-not-compile", file + " was not compiled after " +
                                             number(compile_seconds) +
                                             " seconds, so the compiler was stopped.");
}

Rejection does_not_compile(const std::string& file, const std::string& complaints) {
    Rejection result = rejection("does-not-compile", file + " does not compile.");
    const auto errors = compiler_errors(complaints);
    // The first error in the learner's own file; one in a header is mostly a consequence.
    auto chosen = std::find_if(errors.begin(), errors.end(),
                               [&](const CompilerError& error) { return error.file == file; });
    if (chosen == errors.end()) {
        chosen = errors.begin();
    }
    if (chosen == errors.end()) {
        result.details = lines_of(complaints);
        result.details.resize(std::min(result.details.size(), most_details));
        return result;
    }
    result.first_line = chosen->message;
    result.file = chosen->file;
    result.line = chosen->line;
    if (errors.size() > 1) {
        result.details.push_back("The compiler reports " +
                                 counted(errors.size() - 1, "more error") + " after this one.");
    }
    return result;
}

std::string base_name(const std::string& demangled_name) {
    const std::string name = demangled_name.substr(0, demangled_name.find('('));
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

Rejection missing_functions(const std::string& file, const fs::path& object,
                            const std::vector<std::string>& missing) {
    Rejection result =
        rejection("missing-function", file + " does not define " + missing.front() + ".");
    result.expected = "every function that the lab's header declares, with its signature";
    std::vector<std::string> similar;
    for (const Symbol& symbol : parse_object(read_file(object)).symbols) {
        const std::string name = demangled(symbol.name);
        if (symbol.defined && base_name(name) == base_name(missing.front())) {
            similar.push_back(name + (symbol.local ? ", visible in this file only" : ""));
        }
    }
    if (!similar.empty()) {
        result.found = joined(similar, "; ");
    }
    for (std::size_t i = 1; i < missing.size() && i < most_details; ++i) {
        result.details.push_back("Missing too: " + missing[i]);
    }
    return result;
}

/// A name that a learner's file is not asked to define.
bool is_ours(const std::string& name) {
    return name.find("vram::") != std::string::npos ||
           name.find("testing::") != std::string::npos || name.starts_with("vram_");
}

/// A program that was not linked although the learner's file defines all that it is asked to define.
bool is_our_fault(const std::vector<std::string>& missing) {
    return missing.empty() || std::any_of(missing.begin(), missing.end(), is_ours);
}

bool file_exists(const fs::path& file) {
    std::error_code ignored;
    return fs::exists(file, ignored);
}

bool lies_below(const fs::path& file, const fs::path& folder) {
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return end == folder.end() || (end->empty() && std::next(end) == folder.end());
}

}  // namespace

Compiler::Compiler(const Installation& installation, const Cache& cache, std::string native_arch)
    : installation_(installation), cache_(cache), native_arch_(std::move(native_arch)) {
    tools_ = file_identity(installation_.nvcc) + "\n" +
             file_identity(fs::weakly_canonical(installation_.host_compiler)) + "\n";
}

std::vector<std::string> Compiler::nvcc_command(const Lab& lab, const Variant& variant) const {
    std::vector<std::string> command = {
        installation_.nvcc,
        "-std=c++17",
        "-O2",
        "-g",
        "-lineinfo",
        "-Xcompiler",
        joined({std::begin(frame_flags), std::end(frame_flags)}, ","),
        "-ccbin",
        installation_.host_compiler,
        "-gencode",
        "arch=compute_" + installation_.ptx_arch + ",code=compute_" + installation_.ptx_arch,
    };
    if (!native_arch_.empty()) {
        command.insert(command.end(),
                       {"-gencode", "arch=compute_" + native_arch_ + ",code=sm_" + native_arch_});
    }
    command.insert(command.end(), installation_.nvcc_extra.begin(), installation_.nvcc_extra.end());
    add_files(command, lab, variant);
    return command;
}

std::vector<std::string> Compiler::host_command(const Lab& lab, const Variant& variant) const {
    std::vector<std::string> command = {installation_.host_compiler, "-std=c++17", "-O2", "-g"};
    command.insert(command.end(), std::begin(frame_flags), std::end(frame_flags));
    command.insert(command.end(), {"-isystem", installation_.toolkit / "include", "-include",
                                   "cuda_runtime.h", "-x", "c++"});
    add_files(command, lab, variant);
    return command;
}

void Compiler::add_files(std::vector<std::string>& command, const Lab& lab,
                         const Variant& variant) const {
    for (const std::string& macro : variant.defines) {
        command.push_back("-D" + macro);
    }
    command.insert(command.end(), {"-I", installation_.labs() / lab.name, "-MD", "-MF",
                                   dependency_file, "-c", lab.file, "-o", object_file});
}

/// The commands to try in turn. What the host compiler refuses goes to nvcc, so that learners read the
/// words of the compiler that they use themselves.
Compiler::Commands Compiler::compile_commands(const Lab& lab, const Variant& variant,
                                              const std::string& source,
                                              const std::string& header) const {
    if (may_hold_device_code(source, lab.header) || may_hold_device_code(header, lab.header)) {
        return {nvcc_command(lab, variant)};
    }
    return {host_command(lab, variant), nvcc_command(lab, variant)};
}

std::vector<std::string> Compiler::link_command(const Lab& lab, const fs::path& object) const {
    const fs::path runtime = installation_.runtime_library();
    std::vector<std::string> command = {installation_.host_compiler, "-pie", "-o", program_file};
    command.insert(command.end(), installation_.linker_flags.begin(),
                   installation_.linker_flags.end());
    command.insert(command.end(), {"-Wl,--whole-archive", installation_.checks_of(lab.name),
                                   installation_.shared_checks(), "-Wl,--no-whole-archive",
                                   installation_.protocol_library()});
    command.insert(command.end(), installation_.gtest_link.begin(), installation_.gtest_link.end());
    // Behind the grader's parts: of two instances of an inline function the first one is taken.
    command.push_back(object);
    command.insert(command.end(),
                   {runtime, "-Wl,--disable-new-dtags",
                    "-Wl,-rpath," + runtime.parent_path().string(), "-lpthread", "-ldl", "-lrt"});
    return command;
}

std::string Compiler::object_key(const std::string& source, const std::string& header,
                                 const Commands& commands) const {
    std::string key = std::string("object, ") + cache_format + "\n" + tools_;
    for (const auto& command : commands) {
        key += joined(command, " ") + "\n";
    }
    return key + "header " + std::to_string(header.size()) + "\n" + header + "\nsource " +
           std::to_string(source.size()) + "\n" + source;
}

Build Compiler::build(const Lab& lab, const Variant& variant, const fs::path& source_path) const {
    const auto begin = std::chrono::steady_clock::now();
    const std::string source = read_file(source_path);
    Build result;
    if (auto problem = unreadable(lab.file, source)) {
        result.rejection = std::move(problem);
        return result;
    }
    const std::string header = read_file(installation_.labs() / lab.name / lab.header);
    const Commands commands = compile_commands(lab, variant, source, header);
    const std::string key = object_key(source, header, commands);
    const fs::path compiled = compile(lab, source, commands, key);
    result.rejection = compiled.empty() ? takes_too_long(lab.file) : refused(lab, compiled);
    if (!result.rejection) {
        result = link(lab, compiled / object_file, key);
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

fs::path Compiler::compile(const Lab& lab, const std::string& source, const Commands& commands,
                           const std::string& key) const {
    if (const auto entry = cache_.find(key)) {
        return *entry;
    }
    const ScratchFolder folder = cache_.scratch();
    write_file(folder.path() / lab.file, source);
    ToolResult compiled;
    for (const auto& command : commands) {
        compiled = run_tool(command, folder.path(), {}, compile_seconds);
        if (compiled.status == 127) {
            throw ToolchainFault("cannot run " + command.front() + ": " + compiled.errors);
        }
        if (compiled.ok()) {
            break;
        }
    }
    if (compiled.timed_out) {
        // The machine may have been busy: not a fact about the file, so not kept.
        return {};
    }
    if (!compiled.ok()) {
        write_file(folder.path() / compiler_complaints, compiled.errors + compiled.output);
    }
    return cache_.publish(key, folder);
}

std::optional<Rejection> Compiler::refused(const Lab& lab, const fs::path& compiled) const {
    if (file_exists(compiled / compiler_complaints)) {
        return does_not_compile(lab.file, read_file(compiled / compiler_complaints));
    }
    if (auto problem = reads_outside(lab, compiled)) {
        return problem;
    }
    const std::string reason = refusal(parse_object(read_file(compiled / object_file)));
    if (!reason.empty()) {
        return rejection("takes-the-graders-place", lab.file + " can't be graded: " + reason + ".");
    }
    return std::nullopt;
}

std::optional<Rejection> Compiler::reads_outside(const Lab& lab, const fs::path& folder) const {
    std::vector<fs::path> allowed = {
        fs::weakly_canonical(installation_.toolkit), fs::weakly_canonical(folder / lab.file),
        fs::weakly_canonical(installation_.labs() / lab.name / lab.header)};
    for (const std::string& each : installation_.system_includes) {
        allowed.push_back(fs::weakly_canonical(each));
    }
    for (const std::string& name : dependencies(read_file(folder / dependency_file))) {
        const fs::path file = fs::weakly_canonical(folder / name);
        if (std::none_of(allowed.begin(), allowed.end(),
                         [&](const fs::path& each) { return lies_below(file, each); })) {
            Rejection result = rejection(
                "reads-outside",
                lab.file + " reads a file outside of the lab: " + file.filename().string() + ".");
            result.expected =
                "includes only " + lab.header + " and headers of the toolkit and the system";
            return result;
        }
    }
    return std::nullopt;
}

Build Compiler::link(const Lab& lab, const fs::path& object, const std::string& object_key) const {
    const std::vector<fs::path> parts = {
        installation_.checks_of(lab.name), installation_.shared_checks(),
        installation_.protocol_library(), installation_.runtime_library()};
    std::string key = std::string("program, ") + cache_format + "\n" +
                      joined(link_command(lab, object_file), " ") + "\n";
    for (const fs::path& part : parts) {
        if (!file_exists(part)) {
            throw ToolchainFault("a part of the grader is not built: " +
                                 (part.empty() ? "the runtime library" : part.string()));
        }
        key += file_identity(part) + "\n";
    }
    key += object_key;
    Build result;
    auto entry = cache_.find(key);
    result.from_cache = entry.has_value();
    if (!entry) {
        const ScratchFolder folder = cache_.scratch();
        const ToolResult linked = run_tool(link_command(lab, object), folder.path());
        if (!linked.ok()) {
            const std::string complaints = linked.errors + linked.output;
            if (is_our_fault(undefined_names(complaints))) {
                throw ToolchainFault("cannot link the checks of " + lab.name + ":\n" +
                                     linked.errors);
            }
            write_file(folder.path() / linker_complaints, complaints);
        }
        entry = cache_.publish(key, folder);
    }
    if (file_exists(*entry / linker_complaints)) {
        result.rejection = missing_functions(
            lab.file, object, undefined_names(read_file(*entry / linker_complaints)));
    } else {
        result.program = *entry / program_file;
    }
    return result;
}

}  // namespace vram::proctor
