#include "grader/proctor/text.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

TEST(Text, IsSplit) {
    EXPECT_EQ(words("  a  b\n\tc "), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(lines_of("a\n\nb"), (std::vector<std::string>{"a", "", "b"}));
    EXPECT_EQ(list_of("a, b ,,c,", ','), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(words("").empty());
    EXPECT_TRUE(lines_of("").empty());
}

TEST(Text, IsWrappedAtSpaces) {
    EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
    EXPECT_EQ(wrapped("incomprehensible", 5), std::vector<std::string>{"incomprehensible"});
    EXPECT_EQ(wrapped("a\nb", 9), (std::vector<std::string>{"a", "b"}));
}

TEST(Number, HasNoNeedlessDigits) {
    EXPECT_EQ(number(4), "4");
    EXPECT_EQ(number(2.5), "2.5");
    EXPECT_EQ(number(1.0 / 3), "0.33");
    EXPECT_EQ(number(0), "0");
    EXPECT_EQ(number(100), "100");
}

TEST(Counted, KnowsOneAndMany) {
    EXPECT_EQ(counted(1, "check"), "1 check");
    EXPECT_EQ(counted(2, "check"), "2 checks");
}

}  // namespace
}  // namespace vram::proctor
