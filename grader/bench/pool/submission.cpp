#include "grader/bench/pool/submission.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "grader/bench/pool/places.h"

namespace vram::bench {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char letter : text) {
        result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return result + "'";
}

std::string contents(const std::string& file) {
    std::ifstream text(file);
    return {std::istreambuf_iterator<char>(text), {}};
}

}  // namespace

SubmittedPool::SubmittedPool(const std::string& folder) {
    namespace fs = std::filesystem;
    fs::path source = fs::path(folder) / "pool.cu";
    if (!fs::exists(source)) {
        source = fs::path(folder) / "13-pool" / "pool.cu";
    }
    if (!fs::exists(source)) {
        throw std::runtime_error("neither pool.cu nor 13-pool/pool.cu is in " + folder);
    }
    std::string pattern = (fs::temp_directory_path() / "vram-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw std::runtime_error("no temporary folder can be made at " + pattern);
    }
    folder_ = pattern;
    const std::string log = folder_ + "/log";
    const std::string command = quoted(nvcc_program) +
                                " -std=c++17 -O2 -shared -cudart none -Xcompiler "
                                "-fPIC,-fno-semantic-interposition -I " +
                                quoted(std::string(source_root) + "/labs/13-pool") + " -o " +
                                quoted(library()) + " " + quoted(source.string()) + " > " +
                                quoted(log) + " 2>&1";
    if (std::system(command.c_str()) != 0) {
        const std::string words = contents(log);
        fs::remove_all(folder_);
        throw std::runtime_error(source.string() + " does not compile:\n" + words);
    }
}

SubmittedPool::~SubmittedPool() {
    std::filesystem::remove_all(folder_);
}

}  // namespace vram::bench
