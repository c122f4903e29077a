#include "grader/proctor/submission.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "example_lab.h"
#include "grader/proctor/files.h"

namespace vram::proctor {
namespace {

namespace fs = std::filesystem;

class SubmissionFolder : public testing::Test {
  protected:
    SubmissionFolder() : folder_(fs::temp_directory_path()) {
        Lab leaks = example::lab();
        leaks.name = "07-leaks";
        leaks.file = "recorder.cu";
        labs_ = {example::lab(), leaks};
    }
    void put(const fs::path& name) {
        fs::create_directories((folder_.path() / name).parent_path());
        write_file(folder_.path() / name, "int x;\n");
    }
    SubmittedFile find(std::size_t lab) const {
        return Submission(folder_.path(), labs_).find(labs_[lab]);
    }
    std::string complaint(const fs::path& folder) const {
        try {
            const Submission submission(folder, labs_);
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }
    ScratchFolder folder_;
    std::vector<Lab> labs_;
};

TEST_F(SubmissionFolder, HasOneOfThreeShapes) {
    for (const char* shape : {"labs/06-double-free/frame_store.cu", "06-double-free/frame_store.cu",
                              "frame_store.cu"}) {
        put(shape);
        EXPECT_EQ(find(0).path, folder_.path() / shape);
        fs::remove(folder_.path() / shape);
    }
}

TEST_F(SubmissionFolder, MayLackALab) {
    put("frame_store.cu");
    const SubmittedFile file = find(1);
    ASSERT_TRUE(file.rejection);
    EXPECT_EQ(file.rejection->diagnosis, "missing-file");
}

TEST_F(SubmissionFolder, MustNotHaveTwoFilesForALab) {
    put("frame_store.cu");
    put("06-double-free/frame_store.cu");
    const SubmittedFile file = find(0);
    ASSERT_TRUE(file.rejection);
    EXPECT_EQ(file.rejection->diagnosis, "two-files");
}

TEST_F(SubmissionFolder, NamesLoopsFoldersAndPipesInPlaceOfAFile) {
    put("recorder.cu");
    const fs::path place = folder_.path() / "frame_store.cu";
    fs::create_symlink("frame_store.cu", place);
    ASSERT_TRUE(find(0).rejection);
    EXPECT_NE(find(0).rejection->first_line.find("Too many levels of symbolic links"),
              std::string::npos);
    fs::remove(place);
    fs::create_directory(place);
    ASSERT_TRUE(find(0).rejection);
    EXPECT_NE(find(0).rejection->first_line.find("is not a file"), std::string::npos);
    fs::remove(place);
    ASSERT_EQ(mkfifo(place.c_str(), 0600), 0);
    EXPECT_TRUE(find(0).rejection);
}

TEST_F(SubmissionFolder, ThatCannotBeUsedSaysWhy) {
    EXPECT_TRUE(complaint("/nowhere").ends_with("does not exist."));
    put("file");
    EXPECT_NE(complaint(folder_.path() / "file").find("is not a folder"), std::string::npos);
    EXPECT_NE(complaint(folder_.path()).find("holds no file of any lab"), std::string::npos);
    fs::create_symlink("loop", folder_.path() / "loop");
    EXPECT_NE(complaint(folder_.path() / "loop").find("Too many levels"), std::string::npos);
}

}  // namespace
}  // namespace vram::proctor
