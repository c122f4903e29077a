#include "grader/proctor/commands/arguments.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

const std::set<std::string> flags = {"--tap", "--plain"};
const std::set<std::string> valued = {"--device", "--json"};

TEST(Arguments, MixesWordsFlagsAndValues) {
    const Arguments arguments({"06", "--tap", "--device", "gpu", "07", "--json=a=b"}, flags,
                              valued);
    EXPECT_EQ(arguments.words(), (std::vector<std::string>{"06", "07"}));
    EXPECT_TRUE(arguments.has("--tap"));
    EXPECT_FALSE(arguments.has("--plain"));
    EXPECT_EQ(arguments.value("--device"), "gpu");
    EXPECT_EQ(arguments.value("--json"), "a=b");
}

TEST(Arguments, KnowHelpEverywhere) {
    EXPECT_TRUE(Arguments({"--help"}, {}, {}).has("--help"));
    EXPECT_TRUE(Arguments({"06", "-h"}, {}, {}).has("--help"));
}

std::string complaint(const std::vector<std::string>& words) {
    try {
        const Arguments arguments(words, flags, valued);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Arguments, RefuseWhatTheyDoNotKnow) {
    EXPECT_EQ(complaint({"--divice", "gpu"}),
              "There is no option --divice here. Did you mean --device?");
    EXPECT_EQ(complaint({"--something"}), "There is no option --something here.");
    EXPECT_EQ(complaint({"--device"}), "--device needs a value.");
    EXPECT_EQ(complaint({"--device="}), "--device needs a value.");
    EXPECT_EQ(complaint({"--tap=yes"}), "--tap takes no value.");
}

TEST(Arguments, LeaveAnotherProgramsOptionsAlone) {
    const Arguments arguments({"--json", "r", "./a.out", "--tap", "-x"}, flags, valued, true);
    EXPECT_EQ(arguments.words(), (std::vector<std::string>{"./a.out", "--tap", "-x"}));
    EXPECT_EQ(arguments.value("--json"), "r");
    EXPECT_FALSE(arguments.has("--tap"));
    EXPECT_EQ(Arguments({"--", "--odd-name"}, {}, {}, true).words(),
              std::vector<std::string>{"--odd-name"});
}

}  // namespace
}  // namespace vram::proctor
