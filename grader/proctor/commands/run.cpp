#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/environment.h"
#include "grader/proctor/files.h"
#include "grader/proctor/installation.h"

namespace vram::proctor {

namespace {

constexpr const char* run_help = R"(usage: vram run [--report FILE] PROGRAM [ARGUMENTS]

Runs any program that was linked with the shared CUDA runtime (nvcc -cudart shared) on the virtual
GPU and ends with its exit status. A summary of its calls goes to standard error at the end.

  --report FILE   also write a report of its memory to FILE

Environment: VRAM_CHECK_RACES=1 also looks for accesses to shared memory with no barrier between
them, VRAM_CHECK_INIT=1 for reads of memory that nobody has written.
)";

/// nvcc links the CUDA runtime statically unless it is told otherwise; such a program never asks
/// for a library that another one could take the place of.
bool has_runtime_built_in(const std::string& program) {
    try {
        const std::string bytes = read_file(program);
        return bytes.find(".nv_fatbin") != bytes.npos && bytes.find("libcudart.so") == bytes.npos;
    } catch (const FileError&) {
        return false;  // found on the PATH, or not at all
    }
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
    if (has_runtime_built_in(program)) {
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
    std::vector<char*> pointers;
    for (const std::string& word : arguments.words()) {
        pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    // This process keeps signals for itself that have to end the program.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvp(pointers.front(), pointers.data());
    std::cerr << "vram: " << arguments.words().front() << " can't be run: " << std::strerror(errno)
              << "\n";
    return errno == ENOENT ? 127 : 126;
}

}  // namespace vram::proctor
