// What each variable of the environment can be.
#include "grader/settings/variables.h"

#include <gtest/gtest.h>

#include <map>

namespace vram::settings {
namespace {

struct Example {
    const char* name;
    std::vector<const char*> good;
    std::vector<const char*> bad;
};

const std::vector<Example> examples = {
    {"VRAM_DEVICE", {"auto", "virtual", "gpu"}, {"cpu", "GPU", "virtual "}},
    {"VRAM_MEMORY", {"10GiB", "4 MiB"}, {"10XB", "1KiB", "10 gigabytes"}},
    {"VRAM_SEED", {"0", "12345678901"}, {"-1", "abc", "1.5"}},
    {"VRAM_CHECK_ACCESSES", {"0", "1", "off"}, {"2", "none"}},
    {"VRAM_CHECK_INIT", {"1", "no"}, {"ture"}},
    {"VRAM_CHECK_RACES", {"1", "yes"}, {"all"}},
    {"VRAM_CHECK_SECONDS", {"10", "0.5", "86400"}, {"0", "-3", "10s", "86401"}},
    {"VRAM_INSTRUCTION_LIMIT", {"1", "1000000"}, {"0", "1e9"}},
    {"VRAM_SUMMARY", {"1", "0"}, {"yes please"}},
    {"VRAM_WORKERS", {"0", "8", "1024"}, {"-1", "1025", "4294967297", "all"}},
};

TEST(Variables, TakeGoodValues) {
    for (const Example& example : examples)
        for (const char* value : example.good)
            EXPECT_EQ(refusal(example.name, value), std::nullopt) << example.name << value;
}

TEST(Variables, RefuseBadValuesAndSayWhatTheyCanBe) {
    for (const Example& example : examples)
        for (const char* value : example.bad) {
            const std::string words = refusal(example.name, value).value_or("not refused");
            EXPECT_TRUE(
                words.starts_with(std::string(example.name) + " is \"" + value + "\"; it can be "))
                << example.name << ": " << words;
        }
    EXPECT_EQ(refusal("VRAM_MEMORY", "10XB"),
              "VRAM_MEMORY is \"10XB\"; it can be a size from 4 MiB to 1 TiB, for example 10GiB");
}

TEST(Variables, ThatAreEmptyAreAsGoodAsUnset) {
    for (const std::string_view name : variable_names())
        EXPECT_EQ(refusal(name, ""), std::nullopt) << name;
}

TEST(Variables, AreAllShownHereButFilesAndFolders) {
    std::map<std::string_view, int> shown = {
        {"VRAM_BUILD", 1}, {"VRAM_CACHE", 1}, {"VRAM_REPORT", 1}};
    for (const Example& example : examples)
        ++shown[example.name];
    for (const std::string_view name : variable_names())
        EXPECT_EQ(shown[name], 1) << name;
    EXPECT_EQ(shown.size(), variable_names().size());
}

TEST(Variables, OfOthersAreNoneOfOurBusiness) {
    EXPECT_EQ(refusal("HOME", "10XB"), std::nullopt);
}

TEST(FirstRefusal, AsksForEveryVariable) {
    EXPECT_EQ(first_refusal([](const char*) { return std::string(); }), std::nullopt);
    const auto one_is_bad = [](const char* name) {
        return std::string(std::string_view(name) == "VRAM_WORKERS" ? "many" : "");
    };
    EXPECT_TRUE(first_refusal(one_is_bad).value_or("").starts_with("VRAM_WORKERS is \"many\""));
}

}  // namespace
}  // namespace vram::settings
