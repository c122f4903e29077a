// Every access is checked, counted and recorded.
#include <set>

#include "grader/tests/ptx/kernel_test.h"

namespace vram::virtual_gpu::ptx {
namespace {

class Access : public KernelTestOfBothFlavours {
  protected:
    void SetUp() override { load_kernels("access"); }

    const Report& only_report() {
        EXPECT_EQ(keeper.reports.size(), 1u);
        static const Report none;
        return keeper.reports.empty() ? none : keeper.reports.front();
    }
};
FOR_BOTH_FLAVOURS(Access);

TEST_P(Access, OneElementTooMany) {
    const std::uint64_t out = memory.allocate(100 * sizeof(float));
    EXPECT_EQ(launch("write_all", {1}, {128}, out).error, 700);
    const Report& report = only_report();
    EXPECT_EQ(report.kind, ReportKind::kernel_out_of_bounds);
    EXPECT_EQ(report.kernel, "write_all");
    EXPECT_EQ(report.thread[0], 100u);
    EXPECT_EQ(report.address, out + 400);
    EXPECT_EQ(report.allocation, memory.block(out).id);
    EXPECT_EQ(report.source_line, line_of_source("access.cu", "= 1.0f;"));
    EXPECT_TRUE(report.source_file.ends_with("access.cu"));
    EXPECT_NE(report.first_line.find("writes 4 bytes just past the end of allocation 2"),
              std::string::npos)
        << report.first_line;
}

TEST_P(Access, TheRequestedSizeCountsNotTheRoundedOne) {
    const std::uint64_t out = memory.allocate(127 * sizeof(float));
    EXPECT_EQ(launch("write_all", {1}, {128}, out).error, 700);
    EXPECT_EQ(only_report().thread[0], 127u);
}

TEST_P(Access, BlockAndThreadAreNamed) {
    const std::uint64_t out = memory.allocate(70 * sizeof(float));
    launch("write_all", {4}, {32}, out);
    EXPECT_EQ(only_report().block[0], 2u);
    EXPECT_EQ(only_report().thread[0], 6u);
}

TEST_P(Access, FreedMemory) {
    const std::uint64_t out = memory.allocate(128 * sizeof(float));
    memory.free(out);
    EXPECT_EQ(launch("write_all", {1}, {128}, out).error, 700);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_use_after_free);
}

TEST_P(Access, NullPointer) {
    EXPECT_EQ(launch("write_all", {1}, {32}, std::uint64_t{0}).error, 700);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_null_pointer);
}

TEST_P(Access, HostPointer) {
    float host[32];
    EXPECT_EQ(launch("write_all", {1}, {32}, host + 0).error, 700);
    EXPECT_TRUE(only_report().kind == ReportKind::kernel_host_pointer);
}

TEST_P(Access, WildPointer) {
    EXPECT_EQ(launch("write_all", {1}, {32}, std::uint64_t{0x2000'0000'0000}).error, 700);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_wild_pointer);
}

TEST_P(Access, Misaligned) {
    const std::uint64_t out = memory.allocate(64);
    EXPECT_EQ(launch("write_misaligned", {1}, {1}, out).error, 716);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_misaligned);
}

TEST_P(Access, MisalignedVector) {
    const std::uint64_t in = memory.allocate(1024);
    EXPECT_EQ(launch("copy_float4", {1}, {32}, in + 8, in).error, 716);
}

TEST_P(Access, ConstantMemoryIsNotWritten) {
    const std::uint64_t limits = variables(*module).front().address;
    EXPECT_EQ(launch("write_through", {1}, {1}, limits).error, 700);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_write_to_constant);
}

TEST_P(Access, SharedMemory) {
    EXPECT_EQ(launch("write_shared", {1}, {1}, 3).error, 0);
    EXPECT_EQ(launch("write_shared", {1}, {1}, 4).error, 700);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_shared_out_of_bounds);
}

TEST_P(Access, LocalMemory) {
    const std::uint64_t out = memory.allocate(64);
    EXPECT_EQ(launch("read_local", {1}, {1}, out, 7).error, 0);
    EXPECT_EQ(launch("read_local", {1}, {1}, out, 100000).error, 700);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_local_out_of_bounds);
}

TEST_P(Access, UninitialisedReadsWhenAsked) {
    const std::uint64_t in = memory.allocate(32 * 4), out = memory.allocate(32 * 4);
    memory.watch_initialisation(in);
    memory.watch_initialisation(out);
    run("read_then_write", {1}, {32}, in, out);
    options.check_initialised = true;
    EXPECT_EQ(launch("read_then_write", {1}, {32}, in, out).error, 0);
    EXPECT_EQ(only_report().kind, ReportKind::kernel_uninitialised_read);
    run("read_then_write", {1}, {32}, out, in);
}

TEST_P(Access, SharedRacesWhenAsked) {
    const std::uint64_t out = memory.allocate(128 * 4);
    run("shift_left", {1}, {128}, out, 0);
    options.check_shared_races = true;
    launch("shift_left", {1}, {128}, out, 0);
    ASSERT_FALSE(keeper.reports.empty());
    for (const Report& report : keeper.reports) {
        EXPECT_EQ(report.kind, ReportKind::kernel_shared_race);
    }
    run("shift_left", {1}, {128}, out, 1);
}

/// Kinds of the reports of a launch.
std::set<ReportKind> kinds_of(const std::vector<Report>& reports) {
    std::set<ReportKind> kinds;
    for (const Report& report : reports) {
        kinds.insert(report.kind);
    }
    return kinds;
}

class SharedRaces : public Access {
  protected:
    void SetUp() override {
        Access::SetUp();
        options.check_shared_races = true;
    }
    /// See the kernel.
    void hand_on(int how) {
        const std::uint64_t flags = memory.upload(std::vector<int>(64, 0));
        EXPECT_EQ(launch("hand_on", {1}, {64}, out, flags, how).error, 0);
    }
    const std::set<ReportKind> only_races = {ReportKind::kernel_shared_race};
    const std::uint64_t out = memory.allocate(64 * 4);
};
FOR_BOTH_FLAVOURS(SharedRaces);

TEST_P(SharedRaces, AreFoundWhereNothingOrdersTwoWarps) {
    hand_on(0);
    EXPECT_EQ(kinds_of(keeper.reports), only_races);
}

TEST_P(SharedRaces, AreNoneBehindABarrierOfAtomics) {
    hand_on(1);
    EXPECT_EQ(keeper.reports.size(), 0u);
    EXPECT_EQ(memory.download<int>(out, 64)[40], 41);
}

TEST_P(SharedRaces, AreNoneBehindAFlag) {
    hand_on(2);
    EXPECT_EQ(keeper.reports.size(), 0u);
    EXPECT_EQ(memory.download<int>(out, 64)[63], 0);
}

TEST_P(SharedRaces, AreNoneBehindAFlagInGlobalMemory) {
    hand_on(3);
    EXPECT_EQ(keeper.reports.size(), 0u);
}

TEST_P(SharedRaces, AreFoundWhenTheWriteComesAfterTheBarrierOfAtomics) {
    hand_on(4);
    EXPECT_EQ(kinds_of(keeper.reports), only_races);
}

TEST_P(SharedRaces, AreNoneUnderALock) {
    run("sum_up", {1}, {128}, out, true);
    EXPECT_EQ(memory.download<int>(out, 1)[0], 4);
}

TEST_P(SharedRaces, AreFoundWithoutTheLock) {
    launch("sum_up", {1}, {128}, out, false);
    EXPECT_EQ(kinds_of(keeper.reports), only_races);
}

TEST_P(Access, TouchedRangesAreExact) {
    const std::uint64_t in = memory.allocate(4096 * 4), out = memory.allocate(4096 * 4);
    const LaunchOutcome outcome = run("copy_with_stride", {1}, {32}, in, out, 2);
    ASSERT_EQ(outcome.read.size(), 32u);
    EXPECT_EQ(outcome.read[1].begin, in + 8);
    EXPECT_EQ(outcome.read[1].end, in + 12);
    ASSERT_EQ(outcome.written.size(), 1u);
    EXPECT_EQ(outcome.written[0].begin, out);
    EXPECT_EQ(outcome.written[0].end, out + 128);
}

TEST_P(Access, WhatAtomicsTouchIsNeitherReadNorWritten) {
    const std::uint64_t counter = memory.allocate(4), seen = memory.allocate(4);
    const LaunchOutcome outcome = run("count_up", {3}, {64}, counter, seen);
    EXPECT_TRUE(outcome.read.empty());
    ASSERT_EQ(outcome.atomic.size(), 1u);
    EXPECT_EQ(outcome.atomic[0].begin, counter);
    EXPECT_EQ(outcome.atomic[0].end, counter + 4);
    ASSERT_EQ(outcome.written.size(), 1u);
    EXPECT_EQ(outcome.written[0].begin, seen);
}

TEST_P(Access, RangesMergeAcrossBlocks) {
    const std::uint64_t out = memory.allocate(10000 * 4);
    const LaunchOutcome outcome = run("write_all", {100}, {100}, out);
    EXPECT_TRUE(outcome.read.empty());
    ASSERT_EQ(outcome.written.size(), 1u);
    EXPECT_EQ(outcome.written[0].end - outcome.written[0].begin, 40000u);
}

// ---- counters: equal to the hardware counters of an H200 --------------------------------------

class Sectors : public KernelTest {
  protected:
    void SetUp() override {
        load_file("access.optimised.ptx");
        a = memory.allocate(1 << 20);
        b = memory.allocate(1 << 20);
    }

    /// Load and store sectors.
    using Pair = std::pair<std::uint64_t, std::uint64_t>;
    static Pair sectors(const LaunchOutcome& outcome) {
        return {outcome.counters.load_sectors, outcome.counters.store_sectors};
    }
    static Pair requests(const LaunchOutcome& outcome) {
        return {outcome.counters.load_requests, outcome.counters.store_requests};
    }

    std::uint64_t a = 0, b = 0;
};

TEST_F(Sectors, Offsets) {
    const std::pair<int, std::uint64_t> measured[] = {{0, 4}, {1, 5},  {4, 5},
                                                      {8, 4}, {16, 4}, {31, 5}};
    for (const auto& [offset, loads] : measured) {
        const LaunchOutcome outcome = run("copy_from_offset", {1}, {32}, a, b, offset);
        EXPECT_EQ(sectors(outcome), Pair(loads, 4)) << offset;
        EXPECT_EQ(requests(outcome), Pair(1, 1)) << offset;
    }
    EXPECT_EQ(sectors(run("copy_from_offset", {1}, {64}, a, b, 0)), Pair(8, 8));
    EXPECT_EQ(sectors(run("copy_from_offset", {1}, {17}, a, b, 0)), Pair(3, 3));
}

TEST_F(Sectors, Strides) {
    const std::pair<int, std::uint64_t> measured[] = {{1, 4},  {2, 8},   {3, 12}, {4, 16},
                                                      {8, 32}, {16, 32}, {32, 32}};
    for (const auto& [stride, loads] : measured) {
        EXPECT_EQ(sectors(run("copy_with_stride", {1}, {32}, a, b, stride)), Pair(loads, 4))
            << stride;
    }
}

TEST_F(Sectors, Widths) {
    EXPECT_EQ(sectors(run("copy_float4", {1}, {32}, a, b)), Pair(16, 16));
    EXPECT_EQ(sectors(run("copy_doubles", {1}, {32}, a, b)), Pair(8, 8));
    EXPECT_EQ(sectors(run("copy_bytes", {1}, {32}, a, b)), Pair(1, 1));
}

TEST_F(Sectors, Patterns) {
    EXPECT_EQ(sectors(run("broadcast_first", {1}, {32}, a, b)), Pair(1, 4));
    EXPECT_EQ(sectors(run("copy_odd_lanes", {1}, {32}, a, b)), Pair(4, 4));
    const LaunchOutcome atomic = run("add_to_four", {1}, {32}, b);
    EXPECT_EQ(sectors(atomic), Pair(0, 0));
    EXPECT_EQ(atomic.counters.atomic_sectors, 1u);
}

TEST_F(Sectors, RowsWithAndWithoutPitch) {
    struct Row {
        int width;
        std::size_t pitch;
        std::uint64_t sectors;
    };
    const Row measured[] = {{1000, 4004, 2882}, {1000, 4096, 2000}, {1000, 4000, 2000},
                            {1000, 4608, 2000}, {1001, 4004, 2884}, {1001, 4096, 2512}};
    for (const Row& row : measured) {
        const LaunchOutcome outcome = run("copy_rows", {4}, {128}, a, b, row.pitch, row.width, 16);
        EXPECT_EQ(sectors(outcome), Pair(row.sectors, row.sectors))
            << row.width << " " << row.pitch;
    }
}

TEST_F(Sectors, ManyRows) {
    struct Row {
        int width;
        std::uint64_t packed;
        std::uint64_t pitched;
    };
    const Row measured[] = {
        {33, 24064, 20480},     {100, 65536, 65536},      {1000, 512000, 512000},
        {1001, 738304, 643072}, {1023, 749568, 651264},   {1024, 524288, 524288},
        {1025, 643072, 659456}, {4095, 3010560, 2617344}, {4097, 2560000, 2625536}};
    options.track_ranges = false;
    for (const Row& row : measured) {
        const std::size_t bytes = row.width * sizeof(float);
        const std::size_t pitch = (bytes + 511) / 512 * 512;
        const std::uint64_t in = memory.allocate(pitch * 4096), out = memory.allocate(pitch * 4096);
        EXPECT_EQ(sectors(run("copy_rows", {1024}, {128}, in, out, bytes, row.width, 4096)),
                  Pair(row.packed, row.packed))
            << row.width << " packed";
        EXPECT_EQ(sectors(run("copy_rows", {1024}, {128}, in, out, pitch, row.width, 4096)),
                  Pair(row.pitched, row.pitched))
            << row.width << " pitched";
    }
}

TEST_F(Sectors, BankConflictsTakeMoreWaves) {
    const std::pair<int, std::uint64_t> waves[] = {{1, 1}, {2, 2}, {4, 4}, {32, 32}, {31, 1}};
    for (const auto& [stride, expected] : waves) {
        const LaunchOutcome outcome = run("conflict", {1}, {32}, b, stride);
        EXPECT_EQ(outcome.counters.shared_requests, 2u);
        EXPECT_EQ(outcome.counters.shared_waves, 2 * expected) << stride;
    }
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
