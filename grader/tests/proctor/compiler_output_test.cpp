#include "grader/proctor/compiler_output.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

TEST(CompilerErrors, OfNvccsFrontEnd) {
    const auto errors = compiler_errors(
        "frame_store.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
        "      int x;\n          ^\n\n"
        "frame_store.cu(12): error: identifier \"pixel\" is undefined\n"
        "      return pixel;\n             ^\n\n"
        "/opt/labs/frame_store.h(7): error #20: expected a \";\"\n\n"
        "2 errors detected in the compilation of \"frame_store.cu\".\n");
    ASSERT_EQ(errors.size(), 2u);
    EXPECT_EQ(errors[0].file, "frame_store.cu");
    EXPECT_EQ(errors[0].line, 12);
    EXPECT_EQ(errors[0].message, "identifier \"pixel\" is undefined");
    EXPECT_EQ(errors[1].file, "frame_store.h");
    EXPECT_EQ(errors[1].line, 7);
}

TEST(CompilerErrors, OfTheHostCompiler) {
    const auto errors = compiler_errors(
        "frame_store.cu:2:10: fatal error: missing.h: No such file or directory\n"
        "    2 | #include \"missing.h\"\n"
        "frame_store.cu: In function 'int f()':\n"
        "frame_store.cu:9:3: error: 'g' was not declared\n");
    ASSERT_EQ(errors.size(), 2u);
    EXPECT_EQ(errors[0].line, 2);
    EXPECT_EQ(errors[0].message, "missing.h: No such file or directory");
    EXPECT_EQ(errors[1].line, 9);
}

TEST(UndefinedNames, OfBothLinkersOnceEach) {
    EXPECT_EQ(undefined_names("ld.lld: error: undefined symbol: release(FrameStore*)\n"
                              ">>> referenced by checks.cpp:5\n"
                              "ld.lld: error: undefined symbol: make(FrameStore*)\n"
                              "ld.lld: error: undefined symbol: release(FrameStore*)\n"),
              (std::vector<std::string>{"release(FrameStore*)", "make(FrameStore*)"}));
    EXPECT_EQ(undefined_names("/usr/bin/ld: a.o: in function `main':\n"
                              "a.cpp:5: undefined reference to `release(FrameStore*)'\n"
                              "collect2: error: ld returned 1 exit status\n"),
              std::vector<std::string>{"release(FrameStore*)"});
}

TEST(Dependencies, OfAMakefileRule) {
    EXPECT_EQ(dependencies("object.o : frame_store.cu \\\n    /usr/include/stdc-predef.h \\\n"
                           "    /home/a\\ b/x.h \\\n    /c$$d.h\n"),
              (std::vector<std::string>{"frame_store.cu", "/usr/include/stdc-predef.h",
                                        "/home/a b/x.h", "/c$d.h"}));
    EXPECT_TRUE(dependencies("").empty());
}

}  // namespace
}  // namespace vram::proctor
