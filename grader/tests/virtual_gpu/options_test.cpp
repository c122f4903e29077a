// Sizes as people write them.

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

std::size_t parsed(const std::string& text) {
    std::size_t bytes = 0;
    std::string why;
    return parse_memory_size(text, bytes, why) ? bytes : 0;
}

std::string refusal(const std::string& text) {
    std::size_t bytes = 77;
    std::string why;
    EXPECT_FALSE(parse_memory_size(text, bytes, why)) << text;
    EXPECT_EQ(bytes, 77u) << "left alone";
    return why;
}

TEST(MemorySize, IsReadWithItsUnit) {
    EXPECT_EQ(parsed("10GiB"), 10 * gibibyte);
    EXPECT_EQ(parsed(" 512 mib "), 512 * mebibyte);
    EXPECT_EQ(parsed("1.5G"), gibibyte + 512 * mebibyte);
    EXPECT_EQ(parsed("80GB"), 80'000'000'000u);
    EXPECT_EQ(parsed("8388608"), 8 * mebibyte);
    EXPECT_EQ(parsed("1TiB"), 1024 * gibibyte);
}

TEST(MemorySize, ThatIsNoneIsRefusedWithAReason) {
    for (const char* text : {"", "GiB", "ten", "-5GiB", "5 bananas", "1e99G", "nan", "0x10G"})
        EXPECT_NE(refusal(text), "");
    EXPECT_NE(refusal("12 parsecs").find("10GiB"), std::string::npos) << "shows how to write it";
    EXPECT_NE(refusal("1KiB").find("4 MiB"), std::string::npos) << "names the limits";
    EXPECT_NE(refusal("2TiB").find("1 TiB"), std::string::npos);
}

}  // namespace
}  // namespace vram::virtual_gpu
