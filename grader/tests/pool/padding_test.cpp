// What rounding sizes up costs.
#include "grader/bench/pool/padding.h"

#include <gtest/gtest.h>

#include "grader/bench/pool/generators.h"

namespace vram::bench {
namespace {

constexpr std::size_t kib = 1024;
const SizeClasses one_size{"one", 0};
const SizeClasses powers{"powers", 1};
const SizeClasses quarters{"quarters", 4};

TEST(SizeClass, HoldsWhatIsAskedFor) {
    for (const SizeClasses& classes : usual_size_classes()) {
        for (std::size_t bytes = 1; bytes < 70 * kib; bytes += 97) {
            EXPECT_GE(rounded_up(bytes, classes, 70 * kib), bytes) << classes.name;
        }
    }
}

TEST(SizeClass, OfAClassSizeIsItself) {
    for (const SizeClasses& classes : usual_size_classes()) {
        for (std::size_t bytes = 1; bytes < 70 * kib; bytes += 97) {
            const std::size_t once = rounded_up(bytes, classes, 70 * kib);
            EXPECT_EQ(rounded_up(once, classes, 70 * kib), once) << classes.name << bytes;
        }
    }
}

TEST(SizeClass, OfPowersOfTwo) {
    EXPECT_EQ(rounded_up(1, powers, 0), 512u);
    EXPECT_EQ(rounded_up(512, powers, 0), 512u);
    EXPECT_EQ(rounded_up(513, powers, 0), 1 * kib);
    EXPECT_EQ(rounded_up(600 * kib, powers, 0), 1024 * kib);
}

TEST(SizeClass, OfFourForEachDoubling) {
    EXPECT_EQ(rounded_up(600 * kib, quarters, 0), 640 * kib);
    EXPECT_EQ(rounded_up(1024 * kib, quarters, 0), 1024 * kib);
    EXPECT_EQ(rounded_up(1024 * kib + 1, quarters, 0), 1280 * kib);
}

TEST(SizeClass, OfOneSizeIsTheLargestRequest) {
    EXPECT_EQ(rounded_up(1, one_size, 10 * kib), 10 * kib);
}

TEST(Padding, ComparesTheMostHeldWithTheMostAskedFor) {
    TraceBuilder builder("small");
    builder.allocate(600 * kib);
    const auto exact = builder.allocate(1024 * kib);
    builder.free(exact);
    const Padding padding = measure_padding(builder.finish(), powers);
    EXPECT_DOUBLE_EQ(padding.times_as_much, 2048.0 / (600 + 1024));
}

TEST(Padding, NeverGrowsWithMoreClasses) {
    for (const Trace& trace : general_traces({})) {
        double before = 100;
        for (const SizeClasses& classes : usual_size_classes()) {
            const double held = measure_padding(trace, classes).times_as_much;
            EXPECT_LE(held, before) << trace.name << ", " << classes.name;
            EXPECT_GE(held, 1) << trace.name << ", " << classes.name;
            before = held;
        }
    }
}

}  // namespace
}  // namespace vram::bench
