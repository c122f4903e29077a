// What `vram bench device` makes of its measurements.
#include <gtest/gtest.h>

#include <cstring>

#include "grader/bench/device/report.h"
#include "grader/json/json_text.h"

namespace vram::bench {
namespace {

/// As if a busy machine took a third of the time.
constexpr double wall_factor = 1.5;

KernelRun kernel(double seconds, std::uint64_t lane_instructions = 4'000'000'000) {
    KernelRun run;
    std::strcpy(run.name, "saxpy");
    run.time = {seconds * wall_factor, seconds};
    run.lane_instructions = lane_instructions;
    run.counters = 11;
    run.result = 22;
    return run;
}

DeviceRun device_run(const KernelRun& run, double launch_seconds = 2e-6) {
    return {{run}, {launch_seconds * wall_factor, launch_seconds}};
}

TEST(DeviceFigures, AreRatesAndRatiosOfTheThreeRuns) {
    const DeviceFigures figures =
        figures_of(device_run(kernel(2.0)), device_run(kernel(1.0)), device_run(kernel(1.6)));
    ASSERT_EQ(figures.kernels.size(), 1u);
    EXPECT_EQ(figures.kernels[0].name, "saxpy");
    EXPECT_DOUBLE_EQ(figures.kernels[0].lane_instructions_per_second, 2e9);
    EXPECT_DOUBLE_EQ(figures.kernels[0].checks_cost, 1.25);
    EXPECT_DOUBLE_EQ(figures.kernels[0].two_workers_speed, 2.0);
    EXPECT_DOUBLE_EQ(figures.launch_microseconds, 2.0);
    EXPECT_TRUE(consistent(figures));
}

TEST(DeviceFigures, AreInconsistentWhenTwoWorkersGiveAnotherResult) {
    KernelRun other = kernel(1.0);
    other.result = 23;
    const DeviceFigures figures =
        figures_of(device_run(kernel(2.0)), device_run(other), device_run(kernel(1.6)));
    EXPECT_FALSE(consistent(figures));
    EXPECT_NE(as_text(figures).find("another result"), std::string::npos);
}

TEST(DeviceFigures, AreInconsistentWhenTwoWorkersCountOtherwise) {
    KernelRun other = kernel(1.0);
    other.counters = 12;
    const DeviceFigures figures =
        figures_of(device_run(kernel(2.0)), device_run(other), device_run(kernel(1.6)));
    EXPECT_FALSE(consistent(figures));
    EXPECT_NE(as_text(figures).find("other counters"), std::string::npos);
}

TEST(DeviceFigures, AreWrittenAsJson) {
    const DeviceFigures figures =
        figures_of(device_run(kernel(2.0)), device_run(kernel(1.0)), device_run(kernel(1.6)));
    const auto read = parse_json(as_json(figures, "a processor", 2));
    EXPECT_EQ(read["processor"], "a processor");
    EXPECT_EQ(read["processors"], 2);
    EXPECT_EQ(read["kernels"][0]["name"], "saxpy");
    EXPECT_EQ(read["kernels"][0]["same_result"], true);
    EXPECT_DOUBLE_EQ(read["kernels"][0]["checks_cost"], 1.25);
    EXPECT_DOUBLE_EQ(read["launch_microseconds"], 2.0);
}

}  // namespace
}  // namespace vram::bench
