#include "grader/proctor/compiler.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "grader/proctor/compiler_output.h"
#include "grader/proctor/object_file.h"
#include "grader/proctor/text.h"
#include "grader/proctor/tool.h"

namespace vram::proctor {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr std::size_t largest_source = 1 << 20;
constexpr double compile_seconds = 120;
constexpr std::size_t most_details = 6;

Rejection rejection(std::string diagnosis, std::string first_line) {
    Rejection result;
    result.diagnosis = std::move(diagnosis);
    result.first_line = std::move(first_line);
    return result;
}

void save(const fs::path& path, const Rejection& source) {
    const json body = {{"diagnosis", source.diagnosis}, {"first_line", source.first_line},
                       {"file", source.file},           {"line", source.line},
                       {"details", source.details},     {"expected", source.expected},
                       {"found", source.found}};
    write_file(path, body.dump(-1, ' ', false, json::error_handler_t::replace));
}

Rejection load(const fs::path& path) {
    const json body = json::parse(read_file(path));
    Rejection result;
    body.at("diagnosis").get_to(result.diagnosis);
    body.at("first_line").get_to(result.first_line);
    body.at("file").get_to(result.file);
    body.at("line").get_to(result.line);
    body.at("details").get_to(result.details);
    body.at("expected").get_to(result.expected);
    body.at("found").get_to(result.found);
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

Rejection does_not_compile(const std::string& file, const ToolResult& compiled) {
    Rejection result = rejection("does-not-compile", file + " does not compile.");
    if (compiled.timed_out) {
        result.first_line = file + " was not compiled after " + number(compile_seconds) +
                            " seconds, so the compiler was stopped.";
        return result;
    }
    const std::string output = compiled.errors + compiled.output;
    const auto errors = compiler_errors(output);
    // The first error in the learner's own file; one in a header is mostly a consequence.
    auto chosen = std::find_if(errors.begin(), errors.end(),
                               [&](const CompilerError& error) { return error.file == file; });
    if (chosen == errors.end()) {
        chosen = errors.begin();
    }
    if (chosen == errors.end()) {
        result.details = lines_of(output);
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

std::vector<std::string> Compiler::compile_command(const Lab& lab, const Variant& variant) const {
    std::vector<std::string> command = {
        installation_.nvcc,
        "-std=c++17",
        "-O2",
        "-g",
        "-lineinfo",
        "-Xcompiler",
        "-fno-optimize-sibling-calls,-fno-omit-frame-pointer,-fPIC",
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
    for (const std::string& macro : variant.defines) {
        command.push_back("-D" + macro);
    }
    command.insert(command.end(), {"-I", installation_.labs() / lab.name, "-MD", "-MF",
                                   "dependencies.d", "-c", lab.file, "-o", "object.o"});
    return command;
}

std::vector<std::string> Compiler::link_command(const Lab& lab, const fs::path& object) const {
    const fs::path runtime = installation_.runtime_library();
    std::vector<std::string> command = {installation_.host_compiler, "-pie", "-o", "program"};
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

std::string Compiler::object_key(const Lab& lab, const Variant& variant,
                                 const std::string& source) const {
    const std::string header = read_file(installation_.labs() / lab.name / lab.header);
    return "object\n" + tools_ + joined(compile_command(lab, variant), " ") + "\nheader " +
           std::to_string(header.size()) + "\n" + header + "\nsource " +
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
    const std::string key = object_key(lab, variant, source);
    const Object object = compile(lab, variant, source, key);
    if (object.rejection) {
        result.rejection = object.rejection;
    } else {
        result = link(lab, object.file, key);
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

Compiler::Object Compiler::compile(const Lab& lab, const Variant& variant,
                                   const std::string& source, const std::string& key) const {
    const auto from = [](const fs::path& entry) {
        std::error_code ignored;
        if (fs::exists(entry / "rejection.json", ignored)) {
            return Object{{}, load(entry / "rejection.json")};
        }
        return Object{entry / "object.o", std::nullopt};
    };
    if (const auto entry = cache_.find(key)) {
        return from(*entry);
    }
    const ScratchFolder folder = cache_.scratch();
    write_file(folder.path() / lab.file, source);
    const ToolResult compiled =
        run_tool(compile_command(lab, variant), folder.path(), {}, compile_seconds);
    if (compiled.status == 127) {
        throw ToolchainFault("cannot run " + installation_.nvcc.string() + ": " + compiled.errors);
    }
    std::optional<Rejection> problem;
    if (compiled.timed_out) {
        // The machine may have been busy: not a fact about the file, so not kept.
        return {{}, does_not_compile(lab.file, compiled)};
    }
    if (!compiled.ok()) {
        problem = does_not_compile(lab.file, compiled);
    } else {
        problem = reads_outside(lab, folder.path());
        const std::string reason = refusal(parse_object(read_file(folder.path() / "object.o")));
        if (!problem && !reason.empty()) {
            problem = rejection("takes-the-graders-place",
                                lab.file + " can't be graded: " + reason + ".");
        }
    }
    if (problem) {
        save(folder.path() / "rejection.json", *problem);
    }
    return from(cache_.publish(key, folder));
}

std::optional<Rejection> Compiler::reads_outside(const Lab& lab, const fs::path& folder) const {
    std::vector<fs::path> allowed = {
        fs::weakly_canonical(installation_.toolkit), fs::weakly_canonical(folder / lab.file),
        fs::weakly_canonical(installation_.labs() / lab.name / lab.header)};
    for (const std::string& each : installation_.system_includes) {
        allowed.push_back(fs::weakly_canonical(each));
    }
    for (const std::string& name : dependencies(read_file(folder / "dependencies.d"))) {
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
    std::string key = "program\n" + joined(link_command(lab, "object.o"), " ") + "\n";
    for (const fs::path& part : parts) {
        std::error_code ignored;
        if (!fs::exists(part, ignored)) {
            throw ToolchainFault("a part of the grader is not built: " +
                                 (part.empty() ? "the runtime library" : part.string()));
        }
        key += file_identity(part) + "\n";
    }
    key += object_key;
    const auto from = [](const fs::path& entry, bool from_cache) {
        Build result;
        result.from_cache = from_cache;
        std::error_code ignored;
        if (fs::exists(entry / "rejection.json", ignored)) {
            result.rejection = load(entry / "rejection.json");
        } else {
            result.program = entry / "program";
        }
        return result;
    };
    if (const auto entry = cache_.find(key)) {
        return from(*entry, true);
    }
    const ScratchFolder folder = cache_.scratch();
    const ToolResult linked = run_tool(link_command(lab, object), folder.path());
    if (!linked.ok()) {
        const auto missing = undefined_names(linked.errors + linked.output);
        if (missing.empty() || std::any_of(missing.begin(), missing.end(), is_ours)) {
            throw ToolchainFault("cannot link the checks of " + lab.name + ":\n" + linked.errors);
        }
        save(folder.path() / "rejection.json", missing_functions(lab.file, object, missing));
    }
    return from(cache_.publish(key, folder), false);
}

}  // namespace vram::proctor
