#include "grader/proctor/suggestion.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

TEST(EditDistance, CountsTheSmallestChanges) {
    EXPECT_EQ(edit_distance("grade", "grade"), 0u);
    EXPECT_EQ(edit_distance("grade", "gade"), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Suggestion, IsAtMostTwoSlipsOfThePenAway) {
    const std::vector<std::string> names = {"--json", "--device", "--tap"};
    EXPECT_EQ(nearest_name("--divice", names), "--device");
    EXPECT_EQ(nearest_name("--devcei", names), "--device");
    EXPECT_EQ(nearest_name("--frob", names), "");
    EXPECT_EQ(did_you_mean("--tip", names), " Did you mean --tap?");
    EXPECT_EQ(did_you_mean("--frob", names), "");
}

TEST(Suggestion, IsNoWordThatHasNothingInCommon) {
    EXPECT_EQ(nearest_name("6x", {"ab"}), "");
    EXPECT_EQ(nearest_name("", {"a"}), "");
}

}  // namespace
}  // namespace vram::proctor
