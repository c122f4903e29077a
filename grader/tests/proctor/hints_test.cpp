#include "grader/proctor/hints.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

TEST(Hints, AreNumberedStepsBelowTheirCheck) {
    const auto hints = parse_hints(
        "# Hints\n\nIntroduction.\n\n"
        "## Release.SecondCallDoesNothing\n\n"
        "1. What is in the struct\n   when it returns?\n"
        "2. Look at `release`.\n\n"
        "## `View.IsNeverFreed`\n"
        "1) Who owns it?\n"
        "# Appendix\n1. Not a hint.\n");
    ASSERT_EQ(hints.size(), 2u);
    EXPECT_EQ(
        hints.at("Release.SecondCallDoesNothing"),
        (std::vector<std::string>{"What is in the struct when it returns?", "Look at `release`."}));
    EXPECT_EQ(hints.at("View.IsNeverFreed"), std::vector<std::string>{"Who owns it?"});
}

}  // namespace
}  // namespace vram::proctor
