// Values as people write them.
#include "grader/settings/values.h"

#include <gtest/gtest.h>

namespace vram::settings {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t gibibyte = std::size_t{1} << 30;

TEST(MemorySize, IsReadWithItsUnit) {
    EXPECT_EQ(memory_size_from("10GiB"), 10 * gibibyte);
    EXPECT_EQ(memory_size_from(" 512 mib "), 512 * mebibyte);
    EXPECT_EQ(memory_size_from("1.5G"), gibibyte + 512 * mebibyte);
    EXPECT_EQ(memory_size_from("80GB"), 80'000'000'000u);
    EXPECT_EQ(memory_size_from("8388608"), 8 * mebibyte);
}

TEST(MemorySize, LiesBetweenFourMebibytesAndOneTebibyte) {
    EXPECT_EQ(memory_size_from("4MiB"), 4 * mebibyte);
    EXPECT_EQ(memory_size_from("1TiB"), 1024 * gibibyte);
    for (const char* text : {"0", "1KiB", "4194303", "2TiB", "1e99G", "99999999999999999999"})
        EXPECT_EQ(memory_size_from(text), std::nullopt) << text;
}

TEST(MemorySize, IsNothingElse) {
    for (const char* text : {"", "GiB", "ten", "-5GiB", "5 bananas", "nan", "inf", "0x10G", "10XB"})
        EXPECT_EQ(memory_size_from(text), std::nullopt) << text;
}

TEST(Flag, IsOneOfFourWordsEitherWay) {
    for (const char* text : {"1", "true", "yes", "on"})
        EXPECT_EQ(flag_from(text), true) << text;
    for (const char* text : {"0", "false", "no", "off"})
        EXPECT_EQ(flag_from(text), false) << text;
    for (const char* text : {"", "2", "ture", " 1"})
        EXPECT_EQ(flag_from(text), std::nullopt) << text;
}

TEST(WholeNumber, IsDigitsOnly) {
    EXPECT_EQ(whole_number_from("0"), 0u);
    EXPECT_EQ(whole_number_from("18446744073709551615"), ~std::uint64_t{0});
    for (const char* text : {"", "-1", "+1", " 1", "1.5", "0x10", "seven", "18446744073709551616"})
        EXPECT_EQ(whole_number_from(text), std::nullopt) << text;
}

TEST(Seconds, AreAboveZero) {
    EXPECT_EQ(seconds_from("2.5"), 2.5);
    EXPECT_EQ(seconds_from("10"), 10.0);
    for (const char* text : {"", "0", "-1", "inf", "nan", "10s", "ten"})
        EXPECT_EQ(seconds_from(text), std::nullopt) << text;
}

}  // namespace
}  // namespace vram::settings
