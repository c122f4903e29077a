#include "grader/proctor/files.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
  protected:
    Files() : folder_(fs::temp_directory_path()) {}
    ScratchFolder folder_;
};

TEST_F(Files, AreReadAndReplaced) {
    const fs::path path = folder_.path() / "results.json";
    replace_file(path, "one");
    EXPECT_EQ(read_file(path), "one");
    replace_file(path, "two");
    EXPECT_EQ(read_file(path), "two");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(Files, ReplaceWhatASymbolicLinkPointsTo) {
    write_file(folder_.path() / "real", "old");
    fs::create_symlink("real", folder_.path() / "link");
    replace_file(folder_.path() / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder_.path() / "link"));
    EXPECT_EQ(read_file(folder_.path() / "real"), "new");
}

std::string complaint(const fs::path& path) {
    try {
        replace_file(path, "text");
    } catch (const FileError& error) {
        return error.what();
    }
    return "";
}

TEST_F(Files, SayWhyTheyCannotBeWritten) {
    EXPECT_EQ(complaint("/dev/full"), "/dev/full: No space left on device");
    EXPECT_EQ(complaint(folder_.path() / "no" / "file"),
              (folder_.path() / "no" / "file").string() + ": No such file or directory");
}

std::string complaint_before_the_work(const fs::path& path) {
    try {
        require_replaceable(path);
    } catch (const FileError& error) {
        return error.what();
    }
    return "";
}

TEST_F(Files, SayBeforehandWhyTheyCouldNotBeWritten) {
    const fs::path file = folder_.path() / "results.json";
    EXPECT_EQ(complaint_before_the_work(file), "");
    EXPECT_FALSE(fs::exists(file));
    write_file(file, "old");
    EXPECT_EQ(complaint_before_the_work(file), "");
    EXPECT_EQ(read_file(file), "old");
    EXPECT_EQ(complaint_before_the_work("/dev/null"), "");
    EXPECT_EQ(complaint_before_the_work("results.json"), "");

    EXPECT_EQ(complaint_before_the_work(folder_.path()),
              folder_.path().string() + ": Is a directory");
    EXPECT_EQ(complaint_before_the_work(folder_.path() / "no" / "file"),
              (folder_.path() / "no" / "file").string() + ": No such file or directory");
    EXPECT_EQ(complaint_before_the_work(file / "inside"),
              (file / "inside").string() + ": Not a directory");
}

TEST_F(Files, SayWhyTheyCannotBeRead) {
    try {
        read_file(folder_.path() / "missing");
        FAIL();
    } catch (const FileError& error) {
        EXPECT_TRUE(std::string(error.what()).ends_with("missing: No such file or directory"));
    }
    EXPECT_THROW(read_file(folder_.path()), FileError);
}

TEST(ScratchFolders, VanishWithAllTheyHold) {
    fs::path path;
    {
        const ScratchFolder folder(fs::temp_directory_path());
        path = folder.path();
        write_file(path / "file", "x");
    }
    EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace vram::proctor
