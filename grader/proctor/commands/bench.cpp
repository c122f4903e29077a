#include <unistd.h>

#include <iostream>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/installation.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

constexpr const char* prefix = "vram-bench-";

/// The benchmarks are programs of their own beside this one.
std::vector<std::string> benchmarks() {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(this_installation().build_root, ignored)) {
        const std::string name = entry.path().filename();
        if (name.starts_with(prefix) && access(entry.path().c_str(), X_OK) == 0 &&
            entry.is_regular_file(ignored)) {
            names.push_back(name.substr(std::string_view(prefix).size()));
        }
    }
    return names;
}

}  // namespace

int bench_command(const Words& words) {
    const auto names = benchmarks();
    if (words.empty() || words.front() == "--help" || words.front() == "-h") {
        std::cout << "usage: vram bench NAME [ARGUMENTS]\n\nBenchmarks built here: "
                  << (names.empty() ? "none" : joined(names, ", "))
                  << "\n`vram bench NAME --help` says more.\n";
        return words.empty() ? usage : full_marks;
    }
    const std::string program = this_installation().build_root / (prefix + words.front());
    std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
    for (std::size_t i = 1; i < words.size(); ++i) {
        pointers.push_back(const_cast<char*>(words[i].c_str()));
    }
    pointers.push_back(nullptr);
    if (words.front().find('/') == std::string::npos) {
        execv(program.c_str(), pointers.data());
    }
    throw UsageError("There is no benchmark \"" + words.front() +
                     "\" here. Built are: " + (names.empty() ? "none" : joined(names, ", ")) + ".");
}

}  // namespace vram::proctor
