#include "grader/proctor/compiler.h"

#include <gtest/gtest.h>

#include "example_lab.h"
#include "grader/proctor/text.h"
#include "grader/proctor/tool.h"

namespace vram::proctor {
namespace {

namespace fs = std::filesystem;

/// An installation whose compilers are scripts that note in a log that they were asked to compile. Its
/// nvcc compiles as C++.
class CompilerCase : public testing::Test {
  protected:
    CompilerCase()
        : folder_(fs::temp_directory_path()),
          root_(folder_.path()),
          cache_(root_ / "cache", 1 << 30) {
        lab_.name = "01-add";
        lab_.file = "add.cu";
        lab_.header = "add.h";
        installation_.source_root = root_;
        installation_.build_root = root_ / "build";
        installation_.toolkit = root_ / "toolkit";
        installation_.nvcc = root_ / "nvcc";
        installation_.host_compiler = root_ / "c++";
        installation_.ptx_arch = "75";
        installation_.system_includes = {"/usr/include"};  // stdc-predef.h
        fs::create_directories(root_ / "labs" / lab_.name);
        fs::create_directories(root_ / "toolkit" / "include");
        write_file(root_ / "labs" / lab_.name / lab_.header, "int add(int, int);\n");
        write_file(root_ / "toolkit" / "include" / "cuda_runtime.h", "\n");
        write_script(installation_.host_compiler, "case \"$*\" in *' -c '*) echo host >>" + log() +
                                                      ";; esac\n" +
                                                      "exec " HOST_COMPILER " \"$@\"\n");
        write_script(installation_.nvcc,
                     "echo nvcc >>" + log() + "\n" + "exec " HOST_COMPILER " -x c++ -fPIC -I '" +
                         (root_ / "labs" / lab_.name).string() +
                         "' -D__global__= -MD -MF dependencies.d -c add.cu -o object.o\n");
        make_parts();
    }

    static void write_script(const fs::path& path, const std::string& text) {
        write_file(path, "#!/bin/sh\n" + text);
        fs::permissions(path, fs::perms::owner_all);
    }

    std::string log() const { return "'" + (root_ / "log").string() + "'"; }

    /// The grader's parts of this lab's program: a main that calls the learner's function.
    void make_parts() const {
        fs::create_directories(root_ / "build/grader/checks");
        fs::create_directories(root_ / "build/grader/protocol");
        fs::create_directories(root_ / "build/grader/runtime");
        write_file(root_ / "main.cpp", "int add(int, int); int main() { return add(1, 2) - 3; }\n");
        write_file(root_ / "nothing.cpp", "");
        run({HOST_COMPILER, "-fPIC", "-c", "main.cpp", "-o", "main.o"});
        run({HOST_COMPILER, "-fPIC", "-c", "nothing.cpp", "-o", "nothing.o"});
        run({"ar", "rc", installation_.checks_of(lab_.name), "main.o"});
        run({"ar", "rc", installation_.shared_checks(), "nothing.o"});
        run({"ar", "rc", installation_.protocol_library(), "nothing.o"});
        run({HOST_COMPILER, "-shared", "nothing.o", "-o", "build/grader/runtime/libcudart.so.1"});
    }

    void run(const std::vector<std::string>& command) const {
        const ToolResult result = run_tool(command, root_);
        ASSERT_TRUE(result.ok()) << joined(command, " ") << "\n" << result.errors;
    }

    Build build(const std::string& source) const {
        write_file(root_ / "add.cu", source);
        return Compiler(installation_, cache_, "").build(lab_, Variant(), root_ / "add.cu");
    }

    std::string diagnosis(const std::string& source) const {
        const Build result = build(source);
        return result.rejection ? result.rejection->diagnosis : "";
    }

    /// The compilers that were asked, in turn.
    std::vector<std::string> asked() const {
        return fs::exists(root_ / "log") ? lines_of(read_file(root_ / "log"))
                                         : std::vector<std::string>();
    }

    /// The only entry of the cache that holds `file`.
    fs::path entry_with(const std::string& file) const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(cache_.folder())) {
            if (fs::exists(entry.path() / file)) {
                found.push_back(entry.path());
            }
        }
        EXPECT_EQ(found.size(), 1u);
        return found.empty() ? fs::path() : found.front();
    }

    ScratchFolder folder_;
    fs::path root_;
    Cache cache_;
    Installation installation_;
    Lab lab_;
};

using List = std::vector<std::string>;

const std::string right = "#include \"add.h\"\nint add(int a, int b) { return a + b; }\n";

TEST_F(CompilerCase, MakesAProgramOnce) {
    const Build first = build(right);
    ASSERT_FALSE(first.rejection) << first.rejection->first_line;
    EXPECT_TRUE(run_tool({first.program}, root_).ok());
    EXPECT_FALSE(first.from_cache);
    EXPECT_TRUE(build(right).from_cache);
    EXPECT_EQ(asked().size(), 1u);
}

TEST_F(CompilerCase, PlainHostCodeNeedsTheHostCompilerAlone) {
    EXPECT_FALSE(build(right).rejection);
    EXPECT_EQ(asked(), List{"host"});
}

TEST_F(CompilerCase, DeviceCodeGoesToNvcc) {
    EXPECT_FALSE(build(right + "__global__ void kernel() {}\n").rejection);
    EXPECT_EQ(asked(), List{"nvcc"});
}

TEST_F(CompilerCase, DeviceCodeInTheLabsHeaderCountsToo) {
    write_file(root_ / "labs" / lab_.name / lab_.header,
               "int add(int, int);\n__global__ void kernel();\n");
    EXPECT_FALSE(build(right).rejection);
    EXPECT_EQ(asked(), List{"nvcc"});
}

TEST_F(CompilerCase, NvccHasTheLastWordOnWhatTheHostCompilerRefuses) {
    write_script(installation_.host_compiler, "case \"$*\" in *' -c '*) echo host >>" + log() +
                                                  "; exit 1;; esac\n" +
                                                  "exec " HOST_COMPILER " \"$@\"\n");
    EXPECT_FALSE(build(right).rejection);
    EXPECT_EQ(asked(), (List{"host", "nvcc"}));
}

TEST_F(CompilerCase, SaysTheSameOfAFileThatItCompiledBefore) {
    const std::string broken = "#include \"add.h\"\nint add(int a, int b) { return a + c; }\n";
    const std::string too_few = "#include \"add.h\"\nint add(int a) { return a; }\n";
    const std::string outside = "#include \"../main.cpp\"\n" + right;
    const std::string in_our_place =
        right + "extern \"C\" int cudaMalloc(void**, long) { return 0; }\n";
    write_file(root_ / "labs" / "main.cpp", "\n");
    for (int time = 0; time < 2; ++time) {
        EXPECT_EQ(diagnosis(broken), "does-not-compile");
        EXPECT_EQ(diagnosis(too_few), "missing-function");
        EXPECT_EQ(diagnosis(outside), "reads-outside");
        EXPECT_EQ(diagnosis(in_our_place), "takes-the-graders-place");
    }
    EXPECT_EQ(asked(), (List{"host", "nvcc", "host", "nvcc", "host"}));
    EXPECT_EQ(build(broken).rejection->line, 2);
}

// As if the grader had been changed in between: what the cache holds is judged by the rules of today.
TEST_F(CompilerCase, JudgesAnewWhatTheCacheHolds) {
    EXPECT_EQ(diagnosis(right), "");
    const fs::path entry = entry_with("object.o");
    write_file(root_ / "elsewhere.h", "\n");
    write_file(entry / "dependencies.d",
               "object.o: add.cu " + (root_ / "elsewhere.h").string() + "\n");
    EXPECT_EQ(diagnosis(right), "reads-outside");
    write_file(entry / "dependencies.d", "object.o: add.cu\n");
    EXPECT_EQ(diagnosis(right), "");

    write_file(root_ / "claims.cpp", "extern \"C\" int cudaMalloc(void**, long) { return 0; }\n");
    run({HOST_COMPILER, "-fPIC", "-c", "claims.cpp", "-o", entry / "object.o"});
    EXPECT_EQ(diagnosis(right), "takes-the-graders-place");
    EXPECT_EQ(asked().size(), 1u);
}

TEST_F(CompilerCase, CompilesAgainWhenTheHeaderOrTheCompilerChanged) {
    build(right);
    write_file(root_ / "labs" / lab_.name / lab_.header, "int add(int, int);\nint more();\n");
    build(right);
    EXPECT_EQ(asked().size(), 2u);
    write_file(installation_.host_compiler, read_file(installation_.host_compiler) + "# newer\n");
    build(right);
    EXPECT_EQ(asked().size(), 3u);
}

TEST_F(CompilerCase, IsAtFaultWhenItsOwnPartsDoNotLink) {
    write_file(root_ / "main.cpp", "int vram_helper(); int main() { return vram_helper(); }\n");
    run({HOST_COMPILER, "-fPIC", "-c", "main.cpp", "-o", "main.o"});
    fs::remove(installation_.checks_of(lab_.name));
    run({"ar", "rc", installation_.checks_of(lab_.name), "main.o"});
    EXPECT_THROW(build(right), ToolchainFault);
    fs::remove(installation_.checks_of(lab_.name));
    EXPECT_THROW(build(right), ToolchainFault);
}

TEST_F(CompilerCase, RefusesBeforeCompilingWhatIsNoSource) {
    EXPECT_EQ(diagnosis(""), "empty-file");
    EXPECT_EQ(diagnosis(" \n\t\n"), "empty-file");
    EXPECT_EQ(diagnosis(std::string("int a\0b", 7)), "not-text");
    EXPECT_EQ(diagnosis(std::string((1 << 20) + 1, ' ')), "too-large");
    EXPECT_TRUE(asked().empty());
}

}  // namespace
}  // namespace vram::proctor
