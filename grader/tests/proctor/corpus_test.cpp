#include "grader/proctor/corpus.h"

#include <gtest/gtest.h>

#include "example_lab.h"
#include "grader/proctor/files.h"

namespace vram::proctor {
namespace {

using protocol::Verdict;

const std::vector<Lab> labs = {example::lab()};

CorpusFile wrong(CorpusHeader header) {
    CorpusFile file;
    file.kind = CorpusKind::wrong;
    file.name = "wrong/06-double-free/a.cu";
    file.lab = &labs.front();
    file.header = std::move(header);
    return file;
}

const CorpusHeader full = {{"fails", "Release.SecondCallDoesNothing"},
                           {"diagnosis", "double-free"},
                           {"may also fail", "View.IsNeverFreed"}};

TEST(CorpusHeader, IsReadFromTheTop) {
    const CorpusHeader header = parse_corpus_header(
        "// fails: A.One\n"
        "// Diagnosis: double-free\n"
        "// may also fail: A.Two,\n"
        "//     A.Three\n"
        "// mistake: A1: what people do\n"
        "#include \"x.h\"\n"
        "// surface: too late\n");
    EXPECT_EQ(header.at("fails"), "A.One");
    EXPECT_EQ(header.at("diagnosis"), "double-free");
    EXPECT_EQ(header.at("may also fail"), "A.Two, A.Three");
    EXPECT_EQ(header.at("mistake"), "A1: what people do");
    EXPECT_FALSE(header.contains("surface"));
}

TEST(Wrong, FailsForItsNamedReason) {
    EXPECT_TRUE(contradictions(wrong(full), example::grade()).empty());
}

TEST(Wrong, ThatPassesIsAContradiction) {
    LabGrade grade = example::grade();
    grade.checks[0] = example::check("Release.SecondCallDoesNothing", Verdict::pass, 4, 4);
    const auto problems = contradictions(wrong(full), grade);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems.front(), "Release.SecondCallDoesNothing: expected double-free, came pass");
}

TEST(Wrong, HasToBeToldInTheWordsThatItNames) {
    CorpusHeader header = full;
    header["says"] = "an address that it had freed before";
    EXPECT_TRUE(contradictions(wrong(header), example::grade()).empty());
    header["says"] = "Only in the debug build";
    EXPECT_EQ(contradictions(wrong(header), example::grade()).size(), 1u);
}

TEST(Wrong, HasToBeToldWithTheSourceLineThatItNames) {
    CorpusHeader header = full;
    header["shows"] = "cudaFree(store->pixels);";
    EXPECT_TRUE(contradictions(wrong(header), example::grade()).empty());
    header["shows"] = "cudaMalloc";
    EXPECT_EQ(contradictions(wrong(header), example::grade()).size(), 1u);
    LabGrade unplaced = example::grade();
    unplaced.checks[0].findings[0].quote.reset();
    EXPECT_EQ(contradictions(wrong(header), unplaced).size(), 1u);
}

TEST(Wrong, ThatFailsForAnotherReasonIsAContradiction) {
    CorpusHeader header = full;
    header["diagnosis"] = "leak";
    EXPECT_EQ(contradictions(wrong(header), example::grade()).size(), 1u);
}

TEST(Wrong, MayFailOnlyWhereItSaysSo) {
    CorpusHeader header = full;
    header.erase("may also fail");
    const auto problems = contradictions(wrong(header), example::grade());
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_TRUE(problems.front().starts_with("View.IsNeverFreed: expected pass, came fail"));
}

TEST(Wrong, ThatIsNeverDecidedHereIsNoContradiction) {
    LabGrade grade = example::grade();
    grade.checks[0].verdict = Verdict::not_graded_here;
    EXPECT_TRUE(contradictions(wrong(full), grade).empty());
}

TEST(Right, GetsFullMarks) {
    CorpusFile file = wrong({});
    file.kind = CorpusKind::right;
    LabGrade grade = example::grade();
    EXPECT_EQ(contradictions(file, grade).size(), 2u);
    for (CheckGrade& check : grade.checks) {
        check = example::check(check.check, Verdict::pass, 4, 4);
    }
    EXPECT_TRUE(contradictions(file, grade).empty());
    grade.checks[1].verdict = Verdict::inconclusive;
    grade.checks[1].earned = 0;
    EXPECT_EQ(contradictions(file, grade).size(), 1u);
}

TEST(Exploit, GainsNothingButWhatItSolves) {
    CorpusFile file = wrong({{"expect", "double-free"}});
    file.kind = CorpusKind::exploit;
    const auto problems = contradictions(file, example::grade());
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems.front(),
              "Release.FreesEachBufferOnce: expected no points, came pass, 4 points");
    file.header["solves"] = "Release.FreesEachBufferOnce";
    EXPECT_TRUE(contradictions(file, example::grade()).empty());
    file.header["expect"] = "ended-early";
    EXPECT_EQ(contradictions(file, example::grade()).size(), 1u);
}

class CorpusFolder : public testing::Test {
  protected:
    CorpusFolder() : folder_(std::filesystem::temp_directory_path()) {
        for (const char* name : {"right/06-double-free", "wrong/06-double-free", "exploits"}) {
            std::filesystem::create_directories(folder_.path() / name);
        }
    }
    void put(const std::string& name, const std::string& contents) {
        write_file(folder_.path() / name, contents);
    }
    std::string complaint() {
        try {
            load_corpus(folder_.path(), labs);
        } catch (const BadCorpusFile& error) {
            return error.what();
        }
        return "";
    }
    ScratchFolder folder_;
};

TEST_F(CorpusFolder, IsReadWhole) {
    put("right/06-double-free/b.cu", "int b;\n");
    put("wrong/06-double-free/a.cu",
        "// fails: View.IsNeverFreed\n// diagnosis: free-interior\n// devices: virtual\n");
    put("exploits/c.cu", "// lab: 06\n// strategy: s\n// surface: t\n// expect: u\n");
    const auto files = load_corpus(folder_.path(), labs);
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[0].name, "right/06-double-free/b.cu");
    EXPECT_TRUE(files[0].meant_for(DeviceKind::gpu));
    EXPECT_EQ(files[1].kind, CorpusKind::wrong);
    EXPECT_FALSE(files[1].meant_for(DeviceKind::gpu));
    EXPECT_EQ(files[2].lab, &labs.front());
}

TEST_F(CorpusFolder, RefusesFilesThatSayNothingUsable) {
    put("wrong/06-double-free/a.cu", "// fails: View.IsNeverFreed\n");
    EXPECT_NE(complaint().find("// diagnosis:"), std::string::npos);
    put("wrong/06-double-free/a.cu", "// fails: View.IsNot\n// diagnosis: x\n");
    EXPECT_NE(complaint().find("no check View.IsNot"), std::string::npos);
    put("wrong/06-double-free/a.cu", "// fails: View.IsNeverFreed\n// diagnosis: x\n");
    put("exploits/c.cu", "// strategy: s\n");
    EXPECT_NE(complaint().find("// lab: NN"), std::string::npos);
}

}  // namespace
}  // namespace vram::proctor
