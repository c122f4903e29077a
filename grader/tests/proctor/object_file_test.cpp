#include "grader/proctor/object_file.h"

#include <gtest/gtest.h>

#include "grader/proctor/files.h"
#include "grader/proctor/tool.h"

namespace vram::proctor {
namespace {

/// Compiles the source with the host compiler and asks whether its object is refused.
std::string refusal_of(const std::string& source) {
    const ScratchFolder folder(std::filesystem::temp_directory_path());
    write_file(folder.path() / "a.cpp", source);
    const ToolResult compiled =
        run_tool({HOST_COMPILER, "-std=c++17", "-c", "a.cpp", "-o", "a.o"}, folder.path());
    EXPECT_TRUE(compiled.ok()) << compiled.errors;
    return refusal(parse_object(read_file(folder.path() / "a.o")));
}

TEST(Object, ThatDefinesTheRuntimeIsRefused) {
    EXPECT_EQ(refusal_of("extern \"C\" int cudaFree(void*) { return 0; }"),
              "it defines cudaFree, which belongs to the CUDA runtime");
    EXPECT_NE(refusal_of("extern \"C\" void __cudaRegisterFatBinary() {}"), "");
    EXPECT_NE(refusal_of("extern \"C\" __attribute__((weak)) int cudaMalloc() { return 0; }"), "");
    EXPECT_NE(refusal_of("int cudaGetLastError = 3;"), "");
}

TEST(Object, ThatReachesForTheGraderIsRefused) {
    EXPECT_EQ(
        refusal_of("extern \"C\" void* vram_claim_session(); void f() { vram_claim_session(); }"),
        "it uses vram_claim_session, which belongs to the grader");
    EXPECT_EQ(refusal_of("namespace vram::checks { int session; }"),
              "it defines vram::checks::session, which belongs to the grader");
    EXPECT_EQ(refusal_of("namespace testing { struct UnitTest { static void* GetInstance(); }; }\n"
                         "void f() { testing::UnitTest::GetInstance(); }"),
              "it uses testing::UnitTest::GetInstance(), which belongs to the grader");
    EXPECT_NE(refusal_of("namespace testing { template <typename T> T g() { return T(); } }\n"
                         "int f() { return testing::g<int>(); }"),
              "");
    EXPECT_NE(refusal_of("namespace vram { struct S { virtual ~S(); }; S::~S() {} }"), "");
}

TEST(Object, ThatReplacesALibrarysFunctionIsRefused) {
    EXPECT_NE(refusal_of(
                  "extern \"C\" int memcmp(const void*, const void*, unsigned long) { return 0; }"),
              "");
    EXPECT_NE(refusal_of("#include <sys/socket.h>\n__attribute__((weak)) ssize_t send(int, const "
                         "void*, size_t, int) { return 0; }"),
              "");
    EXPECT_NE(refusal_of("int main() { return 0; }"), "");
    EXPECT_NE(refusal_of("#include <cstddef>\nvoid* operator new(std::size_t) { return nullptr; }"),
              "");
    for (const char* replaced :
         {"void* operator new[](std::size_t) { return nullptr; }",
          "void* operator new(std::size_t, std::align_val_t) { return nullptr; }",
          "void operator delete(void*) noexcept {}",
          "void operator delete[](void*, std::size_t) noexcept {}",
          "__attribute__((weak)) void operator delete(void*, const std::nothrow_t&) noexcept {}",
          "extern \"C\" int __cxa_guard_acquire(long*) { return 0; }"}) {
        EXPECT_NE(refusal_of(std::string("#include <new>\n") + replaced), "") << replaced;
    }
    EXPECT_NE(refusal_of("#include <vector>\nnamespace std { template <> bool operator==(const "
                         "vector<char>&, const vector<char>&) { return true; } }"),
              "");
}

TEST(Object, ThatUsesTheStandardLibraryIsFine) {
    EXPECT_EQ(
        refusal_of(
            "#include <map>\n#include <mutex>\n#include <stdexcept>\n"
            "#include <string>\n#include <thread>\n#include <vector>\n"
            "struct Key { int k; };\n"
            "template <> struct std::hash<Key> {\n"
            "    std::size_t operator()(const Key& key) const { return key.k; } };\n"
            "std::map<std::string, std::vector<float>> table;\n"
            "std::mutex mutex; thread_local int depth; int counter;\n"
            "struct Pool { void* operator new(std::size_t n) { return ::operator new(n); } };\n"
            "struct Arena {};\n"
            "void* operator new(std::size_t, Arena&) { return nullptr; }\n"
            "bool operator!=(Arena, Arena) { return false; }\n"
            "struct Failure : std::runtime_error { using runtime_error::runtime_error; };\n"
            "void f(std::string s) { std::lock_guard lock(mutex); static std::string last;\n"
            "    last = s + 'x'; table[last].push_back(std::hash<Key>()(Key{1}));\n"
            "    std::thread([] { throw Failure(\"a\"); }).join(); }\n"),
        "");
}

TEST(Object, ThatRunsBeforeTheStartIsRefused) {
    EXPECT_NE(refusal_of("static void early() {}\n"
                         "__attribute__((section(\".preinit_array\"), used)) void (*p)() = early;"),
              "");
}

TEST(Object, WithOrdinaryNamesIsFine) {
    EXPECT_EQ(refusal_of("extern \"C\" int cudaFree(void*);\n"
                         "int release(void* p) { return cudaFree(p); }"),
              "");
    // Overloads and instances of the runtime's inline templates have mangled names.
    EXPECT_EQ(refusal_of("struct Image; int cudaFree(Image*) { return 0; }\n"
                         "template <typename T> int cudaMalloc(T**) { return 1; }\n"
                         "int f(float** p) { return cudaMalloc(p); }"),
              "");
    EXPECT_EQ(refusal_of("static int cudaHelper() { return 1; }\n"
                         "extern \"C\" int cuda_helper() { return cudaHelper(); }"),
              "");
    // What only mentions such a name in a parameter or within its own namespace is its own.
    EXPECT_EQ(
        refusal_of("namespace mine { namespace vram { int x; } namespace testing { int y; } }\n"
                   "struct testing_tools {}; void f(testing_tools) {}"),
        "");
}

TEST(Object, ThatIsNoneIsRefused) {
    EXPECT_THROW(parse_object(""), BadObject);
    EXPECT_THROW(parse_object("this is text, and long enough to hold the header of an object file"),
                 BadObject);
}

}  // namespace
}  // namespace vram::proctor
