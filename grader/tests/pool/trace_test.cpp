// Traces: what a builder notes, and what every generated trace keeps.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grader/bench/pool/generators.h"
#include "grader/bench/pool/trace.h"

namespace vram::bench {
namespace {

TEST(TraceBuilder, NotesTheBusiestMoment) {
    TraceBuilder builder("small");
    const auto first = builder.allocate(100);
    const auto second = builder.allocate(300);
    builder.free(first);
    builder.allocate(50);
    builder.free(second);
    const Trace trace = builder.finish();
    EXPECT_EQ(trace.most_live_blocks, 2u);
    EXPECT_EQ(trace.most_live_bytes, 400u);
    EXPECT_EQ(trace.largest_request, 300u);
    EXPECT_EQ(trace.pairs, 3u);
}

TEST(TraceBuilder, UsesTheSlotOfAFreedBlockAgain) {
    TraceBuilder builder("small");
    const auto first = builder.allocate(1);
    builder.free(first);
    EXPECT_EQ(builder.allocate(1), first);
    EXPECT_EQ(builder.finish().slots, 1u);
}

TEST(TraceBuilder, FreesWhatIsLeftOnlyWhenAsked) {
    TraceBuilder open("open");
    open.allocate(1);
    EXPECT_EQ(open.finish_as_it_is().pairs, 0u);
    TraceBuilder closed("closed");
    closed.allocate(1);
    EXPECT_EQ(closed.finish().pairs, 1u);
}

/// Each free belongs to a live block, each request has a size, and nothing is left at the end.
void expect_well_formed(const Trace& trace) {
    std::vector<std::size_t> live(trace.slots, 0);
    std::size_t blocks = 0;
    std::size_t most = 0;
    for (const Operation& operation : trace.operations) {
        ASSERT_LT(operation.slot, trace.slots) << trace.name;
        if (operation.kind == Operation::Kind::allocate) {
            ASSERT_EQ(live[operation.slot], 0u) << trace.name;
            ASSERT_GT(operation.bytes, 0u) << trace.name;
            live[operation.slot] = operation.bytes;
            most = std::max(most, ++blocks);
        } else {
            ASSERT_NE(live[operation.slot], 0u) << trace.name;
            live[operation.slot] = 0;
            --blocks;
        }
    }
    EXPECT_EQ(blocks, 0u) << trace.name;
    EXPECT_EQ(most, trace.most_live_blocks) << trace.name;
}

TEST(Generators, MakeWellFormedTracesOfAboutTheSizeAskedFor) {
    for (const std::size_t live : {2000, 20000}) {
        const TraceSize size{live, 10 * live, 3};
        std::vector<Trace> traces = general_traces(size);
        traces.push_back(hot_pair(size));
        for (const Trace& trace : traces) {
            expect_well_formed(trace);
            EXPECT_GE(trace.most_live_blocks, live / 2) << trace.name;
            EXPECT_LE(trace.most_live_blocks, live + live / 10) << trace.name;
            EXPECT_GE(trace.operations.size(), 5 * live) << trace.name;
            EXPECT_LE(trace.operations.size(), 15 * live) << trace.name;
        }
    }
}

TEST(Generators, MakeTheSameTraceFromTheSameSeedAndAnotherFromAnother) {
    const auto sizes_of = [](const Trace& trace) {
        std::vector<std::size_t> sizes;
        for (const Operation& operation : trace.operations) {
            sizes.push_back(operation.bytes);
        }
        return sizes;
    };
    const std::vector<Trace> once = general_traces({500, 5000, 1});
    const std::vector<Trace> again = general_traces({500, 5000, 1});
    const std::vector<Trace> other = general_traces({500, 5000, 2});
    for (std::size_t kind = 0; kind < once.size(); ++kind) {
        EXPECT_EQ(sizes_of(once[kind]), sizes_of(again[kind])) << once[kind].name;
        EXPECT_NE(sizes_of(once[kind]), sizes_of(other[kind])) << once[kind].name;
    }
}

TEST(Generators, TrainingGoesBackwardsInReverseOrder) {
    const Trace trace = training_steps({100, 1000, 1});
    // Of the blocks that live longer than their neighbours, the one allocated last goes first.
    std::vector<std::uint32_t> stack;
    std::size_t in_order = 0;
    for (const Operation& operation : trace.operations) {
        if (operation.kind == Operation::Kind::allocate) {
            stack.push_back(operation.slot);
        } else if (!stack.empty() && stack.back() == operation.slot) {
            stack.pop_back();
            ++in_order;
        } else {
            std::erase(stack, operation.slot);
        }
    }
    EXPECT_GT(in_order, trace.pairs / 4);
}

TEST(Generators, UniformMixAsksForOneTo64MiB) {
    for (const Operation& operation : uniform_mix({200, 2000, 1}).operations) {
        if (operation.kind == Operation::Kind::allocate) {
            EXPECT_GE(operation.bytes, std::size_t{1} << 20);
            EXPECT_LE(operation.bytes, std::size_t{64} << 20);
        }
    }
}

}  // namespace
}  // namespace vram::bench
