#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/environment.h"
#include "grader/proctor/files.h"
#include "grader/proctor/installation.h"

namespace vram::proctor {

namespace {

constexpr const char* run_help = R"(usage: vram run [--report FILE] PROGRAM [ARGUMENTS]

Runs any program that was linked with the shared CUDA runtime (nvcc -cudart shared) on the virtual
GPU and ends with its exit status. A summary of its calls goes to standard error at the end, or
when a signal such as that of Ctrl-C ends it.

  --report FILE   also write a report of its memory to FILE

Environment: VRAM_CHECK_RACES=1 also looks for accesses to shared memory with no barrier between
them, VRAM_CHECK_INIT=1 for reads of memory that nobody has written.
)";

/// Where the system would find the program; empty when it would not.
std::string path_of(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        return program;
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = (folder.empty() ? "." : folder) + "/" + program;
        if (access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file)) {
            return file;
        }
    }
    return {};
}

enum class Runtime { shared, built_in, none, unknown };

/// How a program comes to its CUDA runtime. nvcc links it statically unless it is told otherwise;
/// such a program never asks for a library that another one could take the place of.
Runtime runtime_of(const std::string& program) {
    std::string bytes;
    try {
        bytes = read_file(program);
    } catch (const FileError&) {
        return Runtime::unknown;
    }
    if (bytes.compare(0, 4,
                      "\x7f"
                      "ELF") != 0) {
        return Runtime::unknown;  // a script may start anything
    }
    if (bytes.find("libcudart.so") != bytes.npos) {
        return Runtime::shared;
    }
    return bytes.find(".nv_fatbin") != bytes.npos ? Runtime::built_in : Runtime::none;
}

/// Takes the place of this process; answers the errno of a failure.
int become(const Words& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    // This process keeps signals for itself that have to end the program.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvp(pointers.front(), pointers.data());
    return errno;
}

}  // namespace

int run_command(const Words& words) {
    const Arguments arguments(words, {}, {"--report"}, true);
    if (arguments.has("--help")) {
        std::cout << run_help;
        return full_marks;
    }
    if (arguments.words().empty()) {
        throw UsageError("usage: vram run [--report FILE] PROGRAM [ARGUMENTS]");
    }
    refuse_bad_environment();
    const std::filesystem::path library = this_installation().runtime_library();
    if (library.empty()) {
        std::cerr << "vram: the runtime library is not built.\n";
        return fault;
    }
    const std::string& program = arguments.words().front();
    const Runtime runtime = runtime_of(path_of(program));
    if (runtime == Runtime::built_in) {
        throw UsageError(
            program +
            " has the CUDA runtime built in, so it can't run on the virtual GPU. Build "
            "it with nvcc -cudart shared.");
    }
    std::string search = library.parent_path();
    if (const char* before = std::getenv("LD_LIBRARY_PATH"); before != nullptr && *before) {
        search += std::string(":") + before;
    }
    setenv("LD_LIBRARY_PATH", search.c_str(), 1);
    setenv("VRAM_DEVICE", "virtual", 1);
    setenv("VRAM_SUMMARY", "1", 1);
    if (const auto report = arguments.value("--report")) {
        require_replaceable(*report);
        setenv("VRAM_REPORT", std::filesystem::absolute(*report).c_str(), 1);
    }
    if (runtime == Runtime::none) {
        std::cerr << "vram: " << program
                  << " isn't linked with the CUDA runtime. Unless it loads it later, there is no "
                     "summary.\n";
    }
    const int error = become(arguments.words());
    std::cerr << "vram: " << program << " can't be run: " << std::strerror(error) << "\n";
    return error == ENOENT ? 127 : 126;
}

}  // namespace vram::proctor
