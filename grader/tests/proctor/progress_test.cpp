#include "grader/proctor/progress.h"

#include <gtest/gtest.h>

#include "example_lab.h"
#include "grader/proctor/files.h"

namespace vram::proctor {
namespace {

TEST(Progress, IsKeptFromGradingToGrading) {
    const ScratchFolder folder(std::filesystem::temp_directory_path());
    const auto file = folder.path() / "progress.json";
    EXPECT_TRUE(load_progress(file).empty());
    keep_progress(file, {example::grade()});
    LabGrade other = example::grade();
    other.lab = "07-leaks";
    keep_progress(file, {other});
    const auto book = load_progress(file);
    ASSERT_EQ(book.size(), 2u);
    EXPECT_EQ(book.at("06-double-free").earned, 4);
    EXPECT_EQ(book.at("06-double-free").points, 12);
    EXPECT_EQ(book.at("06-double-free").first_failure, "Release.SecondCallDoesNothing");
    EXPECT_FALSE(book.at("07-leaks").complete);
}

TEST(Progress, SurvivesDamageAndReadOnlyFolders) {
    const ScratchFolder folder(std::filesystem::temp_directory_path());
    write_file(folder.path() / "progress.json", "{\"06\": 3}");
    EXPECT_TRUE(load_progress(folder.path() / "progress.json").empty());
    keep_progress("/proc/progress.json", {example::grade()});
    EXPECT_TRUE(load_progress("/proc/progress.json").empty());
}

}  // namespace
}  // namespace vram::proctor
