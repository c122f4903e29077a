// The reader of RMM's logs: what it understands, and what it says of the rest.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "grader/bench/pool/rmm_log.h"

namespace vram::bench {
namespace {

constexpr const char* header = "Thread,Time,Action,Pointer,Size,Stream\n";

RmmLog read(const std::string& lines) {
    std::istringstream text(header + lines);
    return read_rmm_log(text, "test");
}

/// The errors, one a line.
std::string errors_of(const RmmLog& log) {
    std::string text;
    for (const std::string& error : log.errors) {
        text += error + "\n";
    }
    return text;
}

TEST(RmmLogReader, UnderstandsAllocationsAndFrees) {
    const RmmLog log = read(
        "4711,10:00:00.000001,allocate,0x7f0000000000,1024,0x0\n"
        "4711,10:00:00.000002,allocate,0x7f0000000400,300,0x0\n"
        "4711,10:00:00.000003,free,0x7f0000000000,1024,0x0\n"
        "4711,10:00:00.000004,allocate,0x7f0000000000,512,0x0\n");
    EXPECT_EQ(errors_of(log), "");
    ASSERT_EQ(log.trace.operations.size(), 4u);
    EXPECT_EQ(log.trace.operations[2].kind, Operation::Kind::free);
    EXPECT_EQ(log.trace.operations[2].slot, log.trace.operations[0].slot);
    EXPECT_EQ(log.trace.most_live_bytes, 1324u);
    EXPECT_EQ(log.trace.pairs, 1u) << "what is live at the end of the log stays live";
}

TEST(RmmLogReader, TakesPointersWithoutPrefixAndLinesOfWindows) {
    const RmmLog log = read("1,t,allocate,7f00,16,0\r\n1,t,free,0x7f00,16,0\r\n");
    EXPECT_EQ(errors_of(log), "");
    EXPECT_EQ(log.trace.pairs, 1u);
}

TEST(RmmLogReader, CountsFailuresAndZeroSizesAndLeavesThemOut) {
    const RmmLog log = read(
        "1,t,allocate failure,0x0,999999,0\n"
        "1,t,allocate,0x0,0,0\n"
        "1,t,free,0x0,0,0\n");
    EXPECT_EQ(errors_of(log), "");
    EXPECT_EQ(log.failures, 1u);
    EXPECT_EQ(log.zero_sized, 2u);
    EXPECT_TRUE(log.trace.operations.empty());
}

TEST(RmmLogReader, NamesMalformedLinesByTheirNumber) {
    const RmmLog log = read(
        "1,t,allocate,0x100,16,0\n"
        "1,t,allocate,0x200,16\n"
        "1,t,allocate,0x200,sixteen,0\n"
        "1,t,allocate,zero,16,0\n"
        "1,t,reallocate,0x200,16,0\n"
        "1,t,allocate,0x200,-16,0\n"
        "1,t,allocate,0x200,16 ,0\n");
    EXPECT_EQ(errors_of(log),
              "line 3: 6 fields are due, here are 5\n"
              "line 4: the size \"sixteen\" is no whole number\n"
              "line 5: the pointer \"zero\" is no hexadecimal number\n"
              "line 6: the action \"reallocate\" is none of allocate, free, allocate failure\n"
              "line 7: the size \"-16\" is no whole number\n");
    EXPECT_EQ(log.trace.operations.size(), 2u) << "the two good lines";
}

TEST(RmmLogReader, RefusesSizesThatNoDeviceHas) {
    const RmmLog log = read(
        "1,t,allocate,0x100,18446744073709551615,0\n"
        "1,t,allocate,0x200,281474976710656,0\n"
        "1,t,allocate,0x300,1,0\n");
    EXPECT_EQ(errors_of(log),
              "line 2: with this block, more is in use than any device has\n"
              "line 4: with this block, more is in use than any device has\n");
}

TEST(RmmLogReader, TakesAByteOrderMark) {
    std::istringstream text(std::string("\xef\xbb\xbf") + header + "1,t,allocate,0x100,16,0\n");
    const RmmLog log = read_rmm_log(text, "test");
    EXPECT_EQ(errors_of(log), "");
    EXPECT_EQ(log.trace.operations.size(), 1u);
}

TEST(RmmLogReader, GuessesNothingAboutAContradiction) {
    const RmmLog log = read(
        "1,t,allocate,0x100,16,0\n"
        "1,t,allocate,0x100,32,0\n"
        "1,t,free,0x200,16,0\n"
        "1,t,free,0x100,32,0\n"
        "1,t,allocate,0x0,8,0\n");
    EXPECT_EQ(errors_of(log),
              "line 3: \"0x100\" is in use since line 2\n"
              "line 4: \"0x200\" is freed, but not in use\n"
              "line 5: \"0x100\" has 16 bytes since line 2 and is freed with 32\n"
              "line 6: an allocation of 8 bytes at null\n");
}

TEST(RmmLogReader, WantsTheHeader) {
    std::istringstream without("1,t,allocate,0x100,16,0\n");
    EXPECT_EQ(errors_of(read_rmm_log(without, "test")),
              "line 1: the header \"Thread,Time,Action,Pointer,Size,Stream\" is due here\n");
    std::istringstream nothing("");
    EXPECT_EQ(errors_of(read_rmm_log(nothing, "test")), "line 1: the file is empty\n");
}

}  // namespace
}  // namespace vram::bench
