// Barriers in shared memory (mbarrier) and asynchronous copies, as the CUDA library uses them and
// one instruction at a time.
#include <algorithm>
#include <numeric>

#include "grader/tests/ptx/kernel_test.h"

namespace vram::virtual_gpu::ptx {
namespace {

std::vector<int> counting(int count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

/// Each architecture gets other instructions from the same source.
class Pipelines : public KernelTest, public testing::WithParamInterface<const char*> {
  protected:
    void SetUp() override { load_file(std::string("pipelines.") + GetParam() + ".ptx"); }
};
INSTANTIATE_TEST_SUITE_P(Built, Pipelines, testing::Values("optimised", "debug", "hopper"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Pipelines, BarriersWaitForAllThreads) {
    options.check_shared_races = true;
    const std::uint64_t data = memory.upload(counting(256));
    run("rotate", {1}, {256}, data, 10);
    std::vector<int> expected = counting(256);
    std::rotate(expected.begin(), expected.begin() + 10, expected.end());
    for (int& value : expected) {
        value += 10;
    }
    EXPECT_EQ(memory.download<int>(data, 256), expected);
}

TEST_P(Pipelines, CopiesArriveAtABarrier) {
    const std::uint64_t in = memory.upload(counting(256)), out = memory.allocate(1024);
    run("reverse_copied", {1}, {256}, in, out);
    std::vector<int> expected = counting(256);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(memory.download<int>(out, 256), expected);
}

TEST_P(Pipelines, CopiesRunAheadByAStage) {
    const int batches = 5;
    const std::uint64_t in = memory.upload(counting(128 * batches));
    const std::uint64_t out = memory.allocate(512 * batches);
    run("reverse_in_stages", {1}, {128}, in, out, batches);
    const std::vector<int> result = memory.download<int>(out, 128 * batches);
    for (int i = 0; i < 128 * batches; ++i) {
        ASSERT_EQ(result[i], 2 * (i / 128 * 128 + 127 - i % 128 + 1)) << i;
    }
}

TEST_P(Pipelines, GroupsWaitForTheirCopies) {
    const std::uint64_t in = memory.upload(counting(128)), out = memory.allocate(512);
    run("reverse_waiting", {1}, {128}, in, out);
    EXPECT_EQ(memory.download<int>(out, 2)[0], 128);
    EXPECT_EQ(memory.download<int>(out, 128)[127], 1);
}

TEST_P(Pipelines, CopiesBeyondAnAllocationAreReported) {
    const std::uint64_t in = memory.upload(counting(250)), out = memory.allocate(1024);
    EXPECT_EQ(launch("reverse_copied", {1}, {256}, in, out).error, 700);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_out_of_bounds);
}

// ---- one thread, one barrier ----------------------------------------------------------------------

class MemoryBarriers : public KernelTest {
  protected:
    /// Runs `body` in one thread. It finds its barrier at %r1, and leaves its answer in %r0.
    LaunchOutcome launch_body(const std::string& body) {
        load(
            ".version 8.6\n.target sm_90\n.address_size 64\n"
            ".visible .entry barriers(.param .u64 out)\n{\n"
            " .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n"
            " .shared .align 16 .b8 tile[64]; .shared .align 8 .b64 barrier;\n"
            " mov.u32 %r0, 0; mov.u32 %r1, barrier; mov.u32 %r2, tile;"
            " ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1;\n " +
            body + "\n st.global.u32 [%rd1], %r0;\n ret;\n}\n");
        out_ = memory.upload(std::vector<unsigned>(32, 77));
        return launch("barriers", {1}, {1}, out_);
    }
    unsigned answer_of(const std::string& body) {
        EXPECT_EQ(launch_body(body).error, 0);
        for (const Report& report : keeper.reports) {
            ADD_FAILURE() << report.first_line;
        }
        return memory.download<unsigned>(out_, 1)[0];
    }
    std::uint64_t out_ = 0;
};

/// Adds `bit` to the answer if the phase of that parity is over.
std::string add_if_over(int parity, int bit) {
    return " mbarrier.test_wait.parity.shared.b64 %p1, [%r1], " + std::to_string(parity) +
           "; @%p1 or.b32 %r0, %r0, " + std::to_string(bit) + ";";
}

TEST_F(MemoryBarriers, GoOnWhenTheLastHasArrived) {
    EXPECT_EQ(
        answer_of("mbarrier.init.shared.b64 [%r1], 2;" + add_if_over(0, 1) +
                  " mbarrier.arrive.shared.b64 %rd2, [%r1];" + add_if_over(0, 2) +
                  " mbarrier.arrive.shared.b64 _, [%r1];" + add_if_over(0, 4) + add_if_over(1, 8)),
        4u);
}

TEST_F(MemoryBarriers, KeepTheirNumberFromPhaseToPhase) {
    EXPECT_EQ(
        answer_of("mbarrier.init.shared.b64 [%r1], 3;"
                  " mbarrier.arrive.shared.b64 _, [%r1], 3;"
                  " mbarrier.arrive.shared.b64 _, [%r1], 2;" +
                  add_if_over(1, 1) + " mbarrier.arrive.shared.b64 _, [%r1];" + add_if_over(1, 2)),
        2u);
}

TEST_F(MemoryBarriers, ForgetThoseThatDropOut) {
    EXPECT_EQ(
        answer_of("mbarrier.init.shared.b64 [%r1], 2;"
                  " mbarrier.arrive_drop.shared.b64 _, [%r1];"
                  " mbarrier.arrive.shared.b64 _, [%r1];" +
                  add_if_over(0, 1) + " mbarrier.arrive.shared.b64 _, [%r1];" + add_if_over(1, 2)),
        3u);
}

TEST_F(MemoryBarriers, TellHowManyAreMissing) {
    EXPECT_EQ(answer_of("mbarrier.init.shared.b64 [%r1], 9;"
                        " mbarrier.arrive.shared.b64 _, [%r1], 2;"
                        " mbarrier.arrive.shared.b64 %rd2, [%r1];"
                        " mbarrier.pending_count.b64 %r0, %rd2;"),
              7u);
}

TEST_F(MemoryBarriers, WaitForTheStateThatAnArrivalGave) {
    EXPECT_EQ(answer_of("mbarrier.init.shared.b64 [%r1], 2;"
                        " mbarrier.arrive.shared.b64 %rd2, [%r1];"
                        " mbarrier.try_wait.shared::cta.b64 %p1, [%r1], %rd2, 1000;"
                        " @%p1 or.b32 %r0, %r0, 1;"
                        " mbarrier.arrive.shared.b64 _, [%r1];"
                        " mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2;"
                        " @%p1 or.b32 %r0, %r0, 2;"),
              2u);
}

TEST_F(MemoryBarriers, WaitForBytesToo) {
    EXPECT_EQ(
        answer_of("mbarrier.init.shared.b64 [%r1], 1;"
                  " mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], 32;" +
                  add_if_over(0, 1) +
                  " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2],"
                  " [%rd1], 16, [%r1];" +
                  add_if_over(0, 2) +
                  " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+16],"
                  " [%rd1+16], 16, [%r1];" +
                  add_if_over(0, 4) + " ld.shared.u32 %r3, [%r2+28]; add.u32 %r0, %r0, %r3;"),
        4u + 77u);
}

TEST_F(MemoryBarriers, CopiesFromSharedMemoryAreDoneAtOnce) {
    EXPECT_EQ(answer_of("mov.u32 %r3, 5; st.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};"
                        " cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r2], 16;"
                        " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
                        " ld.global.u32 %r0, [%rd1+28];"),
              5u);
}

TEST_F(MemoryBarriers, ReportArrivalsThatNobodyExpects) {
    EXPECT_EQ(launch_body("mbarrier.init.shared.b64 [%r1], 2;"
                          " mbarrier.arrive.shared.b64 _, [%r1], 3;")
                  .error,
              719);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_NE(keeper.reports[0].first_line.find("expects no more arrivals"), std::string::npos);
}

TEST_F(MemoryBarriers, ReportUseBeforeInitialisation) {
    EXPECT_EQ(launch_body("mbarrier.init.shared.b64 [%r1], 2; mbarrier.inval.shared.b64 [%r1];"
                          " mbarrier.arrive.shared.b64 _, [%r1];")
                  .error,
              719);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_NE(keeper.reports[0].first_line.find("never initialised"), std::string::npos);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
