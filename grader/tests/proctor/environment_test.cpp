#include "grader/proctor/environment.h"

#include <gtest/gtest.h>

#include "grader/proctor/commands/arguments.h"

namespace vram::proctor {
namespace {

std::string complaint_about(const std::vector<std::string>& variables) {
    try {
        refuse_bad_environment(variables);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Environment, IsGoodAsLongAsNothingInItIsNonsense) {
    EXPECT_EQ(
        complaint_about({"PATH=/bin", "VRAM_MEMORY=10GiB", "VRAM_DEVICE=", "VRAM_CACHE=/tmp"}), "");
}

TEST(Environment, NamesTheVariableItsValueAndWhatWouldBeRight) {
    EXPECT_EQ(complaint_about({"VRAM_SEED=7", "VRAM_MEMORY=10XB"}),
              "VRAM_MEMORY is \"10XB\"; it can be a size from 4 MiB to 1 TiB, for example 10GiB.");
}

TEST(Environment, ShowsNoControlCharacters) {
    EXPECT_EQ(complaint_about({"VRAM_DEVICE=\x1b[31mgpu"}),
              "VRAM_DEVICE is \"?[31mgpu\"; it can be auto, virtual or gpu.");
}

TEST(Environment, KnowsASlipOfThePen) {
    EXPECT_EQ(complaint_about({"VRAM_MEMROY=10GiB"}),
              "There is no variable VRAM_MEMROY. Did you mean VRAM_MEMORY?");
    EXPECT_EQ(complaint_about({"VRAM_DEVICES=gpu"}),
              "There is no variable VRAM_DEVICES. Did you mean VRAM_DEVICE?");
}

std::string complaint_of_memory(const char* memory) {
    try {
        refuse_too_small_a_card(memory);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Environment, GivesTheChecksACardThatIsLargeEnough) {
    EXPECT_EQ(complaint_of_memory(nullptr), "");
    EXPECT_EQ(complaint_of_memory(""), "");
    EXPECT_EQ(complaint_of_memory("8GiB"), "");
    EXPECT_EQ(complaint_of_memory("2GiB"),
              "VRAM_MEMORY is \"2GiB\"; the checks need a card of at least 8GiB.");
}

TEST(Environment, MayHoldVariablesOfOthers) {
    EXPECT_EQ(complaint_about({"VRAM_OF_THE_CLUSTER=8", "VRA_MEMORY=1"}), "");
}

}  // namespace
}  // namespace vram::proctor
