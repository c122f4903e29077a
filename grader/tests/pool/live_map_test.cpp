// The map of live blocks: overlaps and pictures.
#include <gtest/gtest.h>

#include <string>

#include "grader/bench/pool/live_map.h"

namespace vram::bench {
namespace {

const Stretch arena{0x1000, 0x1000, "arena"};

LiveMap three_blocks() {
    LiveMap live;
    live.add({0x1000, 0x100, "block 1"});
    live.add({0x1200, 0x100, "block 2"});
    live.add({0x1300, 0x40, "block 3"});
    return live;
}

std::string name_of_overlapping(const LiveMap& live, std::uintptr_t begin, std::size_t bytes) {
    const auto other = live.overlapping({begin, bytes, "new"});
    return other ? other->name : "none";
}

TEST(LiveMap, FindsTheLowestBlockThatSharesAByte) {
    const LiveMap live = three_blocks();
    EXPECT_EQ(name_of_overlapping(live, 0x1100, 0x100), "none");
    EXPECT_EQ(name_of_overlapping(live, 0x10ff, 1), "block 1");
    EXPECT_EQ(name_of_overlapping(live, 0x1100, 0x101), "block 2");
    EXPECT_EQ(name_of_overlapping(live, 0x12ff, 0x80), "block 2");
    EXPECT_EQ(name_of_overlapping(live, 0x1340, 0x1000), "none");
    EXPECT_EQ(name_of_overlapping(live, 0x0f00, 0x1000), "block 1");
}

TEST(LiveMap, ForgetsWhatWasRemoved) {
    LiveMap live = three_blocks();
    live.remove(0x1200);
    EXPECT_EQ(name_of_overlapping(live, 0x1200, 0x100), "none");
    EXPECT_EQ(live.size(), 2u);
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line.substr(line.find_first_not_of(' ')) + "\n";
    }
    return text;
}

TEST(LiveMap, DrawsTheNeighbourhoodWithGapsAndAMark) {
    EXPECT_EQ(joined(three_blocks().picture(arena, {0x1280, 0x80, "block 4"})),
              "+0            block 1, 256 bytes\n"
              "+0x100        free, 256 bytes\n"
              "+0x200        block 2, 256 bytes\n"
              "+0x280        block 4, 128 bytes  <--\n"
              "+0x300        block 3, 64 bytes\n"
              "+0x340        free, 3.2 KiB\n");
}

TEST(LiveMap, ShowsWhatIsOverlappedAndThreeNeighboursOnEitherSide) {
    LiveMap live;
    for (std::uintptr_t block = 0; block < 16; ++block) {
        live.add({0x1000 + block * 0x100, 0x100, "block " + std::to_string(block)});
    }
    EXPECT_EQ(joined(live.picture(arena, {0x1800, 1, "here"})),
              "...\n"
              "+0x500        block 5, 256 bytes\n"
              "+0x600        block 6, 256 bytes\n"
              "+0x700        block 7, 256 bytes\n"
              "+0x800        here, 1 byte  <--\n"
              "+0x800        block 8, 256 bytes\n"
              "+0x900        block 9, 256 bytes\n"
              "+0xa00        block 10, 256 bytes\n"
              "+0xb00        block 11, 256 bytes\n"
              "...\n");
}

TEST(BytesText, IsExactForWholeUnits) {
    EXPECT_EQ(bytes_text(1), "1 byte");
    EXPECT_EQ(bytes_text(1000), "1000 bytes");
    EXPECT_EQ(bytes_text(64 * 1024), "64 KiB");
    EXPECT_EQ(bytes_text(1536 * 1024), "1.5 MiB");
    EXPECT_EQ(bytes_text(std::size_t{3} << 30), "3 GiB");
}

}  // namespace
}  // namespace vram::bench
