// The pools that are measured, on the pretend device: they keep their contract on traces, and the
// reference uses memory as well as best fit does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grader/bench/pool/backing.h"
#include "grader/bench/pool/best_fit.h"
#include "grader/bench/pool/contestants.h"
#include "grader/bench/pool/generators.h"
#include "grader/bench/pool/measurement.h"
#include "grader/bench/pool/places.h"
#include "grader/bench/pool/pool_library.h"

namespace vram::bench {
namespace {

class Design : public testing::TestWithParam<const char*> {
  protected:
    PoolFunctions functions() const { return load_pool(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Pool, Design, testing::Values(reference_pool, best_fit_pool),
                         [](const auto& info) {
                             return std::string(info.param == reference_pool ? "Reference"
                                                                             : "BestFit");
                         });

TEST_P(Design, KeepsBlocksApartOnEveryTrace) {
    for (const Trace& trace : general_traces({1500, 15000, 5})) {
        const std::vector<std::string> wrong = first_wrong_operation(trace, functions());
        EXPECT_TRUE(wrong.empty()) << trace.name << ": " << (wrong.empty() ? "" : wrong.front());
    }
}

TEST_P(Design, GivesEverythingBackToTheDevice) {
    const std::size_t before = backing_figures().reserved_bytes;
    (void)pool_contestant("pool", functions())->run(etl_columns({500, 5000, 1}));
    EXPECT_EQ(backing_figures().reserved_bytes, before);
    EXPECT_EQ(backing_figures().allocations, backing_figures().frees);
}

TEST_P(Design, CallsTheDeviceOnlyToGrow) {
    const Trace trace = etl_columns({500, 20000, 1});
    (void)pool_contestant("pool", functions())->run(trace);
    EXPECT_LT(backing_figures().allocations, 64u) << "for " << trace.pairs << " pairs";
}

TEST(BestFit, ReckonsWhatTheBestFitPoolReserves) {
    for (const Trace& trace : general_traces({400, 4000, 2})) {
        const auto pool = pool_contestant("best fit", load_pool(best_fit_pool));
        (void)pool->run(trace);
        EXPECT_EQ(pool->peak_reserved_bytes(),
                  best_fit_reservation(trace, trace.most_live_bytes, trace.most_live_bytes / 64))
            << trace.name;
    }
}

TEST(Reference, UsesMemoryAsWellAsBestFitOnAverage) {
    const auto reference = pool_contestant("reference", load_pool(reference_pool));
    double ratios = 0;
    int traces = 0;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        for (const Trace& trace : general_traces({1000, 10000, seed})) {
            (void)reference->run(trace);
            const auto best = static_cast<double>(
                best_fit_reservation(trace, trace.most_live_bytes, trace.most_live_bytes / 64));
            ratios += static_cast<double>(reference->peak_reserved_bytes()) / best;
            ++traces;
        }
    }
    EXPECT_LE(ratios / traces, 1.01);
}

TEST(Reference, WastesNothingOnTrainingSteps) {
    const auto reference = pool_contestant("reference", load_pool(reference_pool));
    const Trace trace = training_steps({1000, 10000, 3});
    EXPECT_LE(static_cast<double>(smallest_reservation(trace, *reference)),
              static_cast<double>(trace.most_live_bytes) / 0.98);
}

TEST(SmallestReservation, IsThePeakForAStack) {
    TraceBuilder builder("stack");
    std::vector<std::uint32_t> blocks;
    for (int block = 0; block < 100; ++block) {
        blocks.push_back(builder.allocate(25'600));
    }
    while (!blocks.empty()) {
        builder.free(blocks.back());
        blocks.pop_back();
    }
    const Trace trace = builder.finish();
    const auto reference = pool_contestant("reference", load_pool(reference_pool));
    EXPECT_EQ(smallest_reservation(trace, *reference), trace.most_live_bytes);
}

TEST(FirstWrongOperation, ShowsTheArenaAroundAnOverlap) {
    // A pool that hands out the same address again and again.
    static char* arena = nullptr;
    PoolFunctions wrong = load_pool(reference_pool);
    wrong.allocate = [](Pool* pool, std::size_t bytes, void** out) {
        static const PoolFunctions reference = load_pool(reference_pool);
        if (arena == nullptr) {
            const PoolStatus status = reference.allocate(pool, bytes, out);
            arena = static_cast<char*>(*out);
            return status;
        }
        *out = arena + 256;
        return PoolStatus::ok;
    };
    TraceBuilder builder("two");
    builder.allocate(1000);
    builder.allocate(4000);
    const std::vector<std::string> lines = first_wrong_operation(builder.finish(), wrong);
    ASSERT_GE(lines.size(), 3u);
    EXPECT_NE(lines[0].find("operation 2"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("shares bytes with the block of operation 1"), std::string::npos);
    EXPECT_NE(lines[2].find("<--"), std::string::npos) << lines[2];
}

TEST(LoadPool, SaysWhatIsMissing) {
    EXPECT_THROW((void)load_pool("/nowhere/pool.so"), std::runtime_error);
}

}  // namespace
}  // namespace vram::bench
