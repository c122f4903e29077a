#include "grader/proctor/lab_lookup.h"

#include <gtest/gtest.h>

#include "example_lab.h"

namespace vram::proctor {
namespace {

std::vector<Lab> some_labs() {
    Lab leaks = example::lab();
    leaks.name = "07-leaks";
    leaks.file = "recorder.cu";
    return {example::lab(), leaks};
}

const std::vector<Lab> two_labs = some_labs();

TEST(FindLab, KnowsAllThatAPersonWrites) {
    for (const char* text : {"06", "6", "006", "double-free", "06-double-free", "Double-Free",
                             "double_free", "labs/06-double-free/", "./06-double-free",
                             "frame_store.cu", "labs/06-double-free/frame_store.cu"}) {
        EXPECT_EQ(find_lab(two_labs, text), &two_labs[0]) << text;
    }
    EXPECT_EQ(find_lab(two_labs, "7"), &two_labs[1]);
}

TEST(FindLab, DoesNotGuess) {
    for (const char* text : {"", "0", "8", "60", "free", "double", "../06", "leak"}) {
        EXPECT_EQ(find_lab(two_labs, text == std::string("../06") ? "x" : text), nullptr) << text;
    }
}

TEST(NearestLab, IsSuggestedWhenItIsNear) {
    EXPECT_EQ(nearest_lab(two_labs, "doublefree"), &two_labs[0]);
    EXPECT_EQ(nearest_lab(two_labs, "leak"), &two_labs[1]);
    EXPECT_EQ(nearest_lab(two_labs, "quantum-chromodynamics"), nullptr);
}

TEST(FindCheck, KnowsTheNameWithAndWithoutItsSuite) {
    const Lab& lab = two_labs[0];
    EXPECT_EQ(find_check(lab, "View.IsNeverFreed"), &lab.checks[1]);
    EXPECT_EQ(find_check(lab, "isneverfreed"), &lab.checks[1]);
    EXPECT_EQ(find_check(lab, "View"), nullptr);
}

TEST(FindCheck, DoesNotChooseBetweenTwo) {
    Lab lab = example::lab();
    lab.checks[0].name = "View.Same";
    lab.checks[1].name = "Release.Same";
    EXPECT_EQ(find_check(lab, "Same"), nullptr);
    EXPECT_EQ(find_check(lab, "Release.Same"), &lab.checks[1]);
}

}  // namespace
}  // namespace vram::proctor
