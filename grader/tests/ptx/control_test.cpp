// Branches, calls, barriers, waiting, and what warps exchange.
#include "grader/tests/ptx/kernel_test.h"

namespace vram::virtual_gpu::ptx {
namespace {

class Control : public KernelTestOfBothFlavours {
  protected:
    void SetUp() override { load_kernels("control"); }
};
FOR_BOTH_FLAVOURS(Control);

TEST_P(Control, DivergentLoops) {
    const std::uint64_t out = memory.allocate(200 * 4);
    run("collatz", {4}, {64}, out, 200);
    const std::vector<int> steps = memory.download<int>(out, 200);
    for (int i = 0; i < 200; ++i) {
        int expected = 0;
        for (unsigned long long x = i + 1; x != 1; x = x & 1 ? 3 * x + 1 : x / 2) {
            ++expected;
        }
        ASSERT_EQ(steps[i], expected) << i;
    }
}

TEST_P(Control, SwitchStatements) {
    const std::uint64_t values = memory.upload(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, -5});
    run("choose", {1}, {10}, values, 10);
    EXPECT_EQ(memory.download<int>(values, 10),
              (std::vector<int>{5, 10, 9, 30, -6, 3, 9, 13, -1, -1}));
}

TEST_P(Control, Recursion) {
    const std::uint64_t out = memory.allocate(12 * 4);
    run("recursion", {1}, {12}, out);
    EXPECT_EQ(memory.download<int>(out, 12),
              (std::vector<int>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89}));
}

TEST_P(Control, StackOverflowIsReported) {
    const std::uint64_t out = memory.allocate(4);
    EXPECT_EQ(launch("overflow_stack", {1}, {1}, out, 0).error, 700);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_local_out_of_bounds);
}

TEST_P(Control, FunctionPointers) {
    const std::uint64_t values = memory.upload(std::vector<float>(8, 5.0f));
    run("call_by_pointer", {1}, {8}, values);
    EXPECT_EQ(memory.download<float>(values, 8), (std::vector<float>{6, 10, 6, 10, 6, 10, 6, 10}));
}

TEST_P(Control, VirtualFunctions) {
    const std::uint64_t out = memory.allocate(4);
    run("call_virtual", {1}, {1}, out, 1);
    EXPECT_EQ(memory.download<int>(out, 1)[0], 4);
    run("call_virtual", {1}, {1}, out, 0);
    EXPECT_EQ(memory.download<int>(out, 1)[0], 0);
}

TEST_P(Control, LocksBetweenLanesWarpsAndBlocks) {
    for (const char* kernel : {"lock_with_if", "lock_with_while"}) {
        const std::uint64_t lock = memory.upload(std::vector<int>{0, 0});
        run(kernel, {2}, {64}, lock, lock + 4);
        EXPECT_EQ(memory.download<int>(lock, 2)[1], 128) << kernel;
    }
}

TEST_P(Control, BlocksMayWaitForLaterBlocks) {
    const std::uint64_t flags = memory.upload(std::vector<int>(20, 0));
    run("wait_for_next_block", {20}, {1}, flags);
    EXPECT_EQ(memory.download<int>(flags, 20), std::vector<int>(20, 1));
}

TEST_P(Control, AWarpThatSleepsGivesWayAtOnce) {
    const std::uint64_t flag = memory.upload(std::vector<int>{0});
    const Counters counters = launch("sleep_until_set", {1}, {64}, flag).counters;
    EXPECT_EQ(memory.download<int>(flag, 1)[0], 1);
    EXPECT_LT(counters.warp_instructions, 100u);
}

TEST_P(Control, BarriersInFunctions) {
    const std::uint64_t out = memory.allocate(64 * 4);
    run("barrier_in_function", {1}, {64}, out);
    const std::vector<int> values = memory.download<int>(out, 64);
    for (int i = 0; i < 64; ++i) {
        ASSERT_EQ(values[i], 31 - i % 32);
    }
}

TEST_P(Control, NamedBarriers) {
    const std::uint64_t out = memory.allocate(4);
    run("produce_and_consume", {1}, {64}, out, 10);
    EXPECT_EQ(memory.download<int>(out, 1)[0], 285);
}

TEST_P(Control, BarriersThatReduce) {
    const std::uint64_t out = memory.allocate(64 * 4);
    run("count_at_barrier", {1}, {64}, out);
    EXPECT_EQ(memory.download<int>(out, 64), std::vector<int>(64, 3211));
}

TEST_P(Control, ThreadsThatLeftNeedNotArrive) {
    const std::uint64_t out = memory.allocate(40 * 4);
    run("leave_before_barrier", {1}, {96}, out);
    EXPECT_EQ(memory.download<int>(out, 40), std::vector<int>(40, 7));
}

TEST_P(Control, DifferentBarriersAreReportedButMeet) {
    const std::uint64_t out = memory.allocate(64 * 4);
    EXPECT_EQ(launch("two_barriers", {1}, {64}, out).error, 0);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_barrier_divergence);
}

TEST_P(Control, ABarrierThatIsNeverFullIsReported) {
    EXPECT_EQ(launch("barrier_of_too_many", {1}, {64}).error, 702);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_barrier_divergence);
}

TEST_P(Control, EndlessLoopsEnd) {
    options.instruction_limit = 1'000'000;
    const std::uint64_t flag = memory.upload(std::vector<int>{0});
    EXPECT_EQ(launch("wait_for_ever", {1}, {32}, flag).error, 702);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_endless);
}

TEST_P(Control, Assertions) {
    const std::uint64_t values = memory.upload(std::vector<int>{0, 0, 1, 0});
    EXPECT_EQ(launch("fail_assertion", {1}, {4}, values).error, 710);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_assert);
    EXPECT_EQ(keeper.reports[0].thread[0], 2u);
    EXPECT_NE(keeper.reports[0].first_line.find("values[threadIdx.x] == 0"), std::string::npos);
}

TEST_P(Control, Traps) {
    const std::uint64_t values = memory.upload(std::vector<int>{0});
    EXPECT_EQ(launch("trap_if", {1}, {1}, values).error, 0);
    memory.host(values)[0] = std::byte{1};
    EXPECT_EQ(launch("trap_if", {1}, {1}, values).error, 719);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_trap);
}

TEST_P(Control, Printf) {
    const LaunchOutcome outcome = run("print_all", {2}, {2});
    EXPECT_EQ(outcome.printed,
              "b=0 t=0 f=0.00 s=text l=1234567890123 x %\n"
              "b=0 t=1 f=0.50 s=text l=1234567890123 x %\n"
              "b=1 t=0 f=0.00 s=text l=1234567890123 x %\n"
              "b=1 t=1 f=0.50 s=text l=1234567890123 x %\n");
}

TEST_P(Control, DeviceHeap) {
    const std::uint64_t out = memory.allocate(8 * 8);
    run("allocate", {1}, {8}, out);
    const auto pointers = memory.download<std::uint64_t>(out, 8);
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(memory.download<int>(pointers[i], 2), (std::vector<int>{i, 2}));
    }
    EXPECT_EQ(launch("free_twice", {1}, {1}, pointers[0]).error, 719);
    EXPECT_EQ(keeper.reports.size(), 1u);
}

TEST_P(Control, ClocksAdvance) {
    const std::uint64_t out = memory.allocate(8);
    run("clocks", {1}, {1}, out);
    EXPECT_GE(memory.download<long long>(out, 1)[0], 100000);
}

// ---- warps --------------------------------------------------------------------------------------

class Warps : public KernelTestOfBothFlavours {
  protected:
    void SetUp() override { load_kernels("warps"); }
};
FOR_BOTH_FLAVOURS(Warps);

TEST_P(Warps, Shuffles) {
    const std::uint64_t out = memory.allocate(64 * 8 * 4);
    run("shuffles", {1}, {64}, out);
    const std::vector<int> r = memory.download<int>(out, 64 * 8);
    for (int t = 0; t < 64; ++t) {
        const int w = t & ~31, l = t & 31;
        const std::vector<int> expected = {
            w + (l ^ 3),          l >= 1 ? t - 1 : t,          l + 2 < 32 ? t + 2 : t, w + 5,
            w + (l & ~7) + 5,     l % 16 + 3 < 16 ? t + 3 : t, l % 4 >= 3 ? t - 3 : t,
            l >= 16 ? t ^ 16 : t,  // a segment reads from lower ones, not from higher ones
        };
        const std::vector<int> got(r.begin() + t * 8, r.begin() + t * 8 + 8);
        ASSERT_EQ(got, expected) << t;
    }
}

TEST_P(Warps, VotesAndMatches) {
    const std::uint64_t out = memory.allocate(64 * 6 * 4);
    run("votes", {1}, {64}, out);
    const std::vector<unsigned> r = memory.download<unsigned>(out, 64 * 6);
    for (unsigned t = 0; t < 64; ++t) {
        EXPECT_EQ(r[t * 6], 0xaaaaaaaau);
        EXPECT_EQ(r[t * 6 + 1], t >= 32 ? 1u : 0u);
        EXPECT_EQ(r[t * 6 + 2], 1u);
        EXPECT_EQ(r[t * 6 + 3], 0x11111111u << (t & 3));
        EXPECT_EQ(r[t * 6 + 4], 0xffffffffu);
        EXPECT_EQ(r[t * 6 + 5], 1u);
    }
}

TEST_P(Warps, Reductions) {
    const std::uint64_t out = memory.allocate(32 * 3 * 4);
    run("reductions", {1}, {32}, out);
    const std::vector<int> r = memory.download<int>(out, 32 * 3);
    EXPECT_EQ((std::vector<int>{r[9], r[10], r[11]}), (std::vector<int>{496, -26, 0}));
}

TEST_P(Warps, MembersWaitForEachOther) {
    const std::uint64_t out = memory.allocate(32 * 4);
    run("meet_at_shuffle", {1}, {32}, out);
    const std::vector<int> r = memory.download<int>(out, 32);
    for (int t = 0; t < 32; ++t) {
        EXPECT_EQ(r[t], t < 16 ? -1 : 45 * (t - 16));
    }
}

TEST_P(Warps, PartialMasks) {
    const std::uint64_t out = memory.allocate(32 * 4);
    run("partial_masks", {1}, {32}, out);
    const std::vector<unsigned> r = memory.download<unsigned>(out, 32);
    for (unsigned t = 0; t < 32; ++t) {
        unsigned expected = 0;
        for (unsigned k = t / 8 * 8; k < t / 8 * 8 + 8; ++k) {
            expected |= k % 3 == 0 ? 1u << k : 0u;
        }
        EXPECT_EQ(r[t], expected) << t;
    }
    const std::uint64_t few = memory.allocate(32 * 4);
    run("sum_leaving_some_out", {1}, {32}, few, 20);
    EXPECT_EQ(memory.download<int>(few, 20)[18], 19);
}

TEST_P(Warps, MembersThatNeverComeAreReported) {
    const std::uint64_t out = memory.allocate(32 * 4);
    EXPECT_EQ(launch("never_come", {1}, {32}, out).error, 702);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_barrier_divergence);
}

TEST_P(Warps, CooperativeGroups) {
    std::vector<float> in(100);
    float sum = 0;
    for (int i = 0; i < 100; ++i) {
        sum += in[i] = static_cast<float>(i);
    }
    const std::uint64_t out = memory.upload(std::vector<float>{0});
    run("sum_with_tiles", {2}, {64}, memory.upload(in), out, 100);
    EXPECT_EQ(memory.download<float>(out, 1)[0], sum);
}

TEST_P(Warps, GridSync) {
    std::vector<int> values(256);
    for (int i = 0; i < 256; ++i) {
        values[i] = i;
    }
    const std::uint64_t out = memory.upload(values);
    shape_options.cooperative = true;
    run("sync_grid", {8}, {32}, out, 3);
    const std::vector<int> r = memory.download<int>(out, 256);
    for (int i = 0; i < 256; ++i) {
        ASSERT_EQ(r[i], (i + 3) % 256 + 3) << i;
    }
    const LaunchOutcome outcome = launch("sync_grid", {132 * 32 + 1}, {32}, out, 1);
    EXPECT_EQ(outcome.error, 720);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
