#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

using Handles = LedgerTest;

TEST_F(Handles, AreKeptUntilTheyAreDestroyed) {
    cudaStream_t stream;
    cudaEvent_t event;
    fake_gpu::set_next_handle(0x5010);
    cudaStreamCreate(&stream);
    fake_gpu::set_next_handle(0x5020);
    cudaEventCreate(&event);
    ASSERT_EQ(session().handles().size(), 2u);
    EXPECT_EQ(session().handles()[0].kind, HandleKind::stream);
    EXPECT_EQ(session().handles()[1].kind, HandleKind::event);
    EXPECT_EQ(session().handles()[1].handle, 0x5020u);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_FALSE(session().handles()[0].live);
    EXPECT_EQ(session().handles()[0].destroyed_by, session().last_call());
    EXPECT_TRUE(session().handles()[1].live);
}

TEST_F(Handles, ThatAreDeadAreRefused) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    ASSERT_EQ(misuse_ids(), "dead-handle");
    EXPECT_EQ(misuses()[0].other_call, calls().at(1).number);
    EXPECT_STREQ(misuses()[0].first_line,
                 "cudaStreamSynchronize was given a stream that had been destroyed before.");
}

TEST_F(Handles, MayComeBackForNewStreams) {
    cudaStream_t stream;
    fake_gpu::set_next_handle(0x5030);
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    cudaStream_t again;
    cudaStreamCreate(&again);
    ASSERT_EQ(stream, again);
    EXPECT_EQ(cudaStreamSynchronize(again), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
    ASSERT_EQ(session().handles().size(), 2u);
    EXPECT_TRUE(session().handles()[1].live);
}

TEST_F(Handles, TheDefaultStreamsAreNeverDead) {
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Handles, WaitingForAnEventThatWasNeverRecordedIsNamed) {
    cudaEvent_t event;
    cudaEventCreate(&event);
    EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 0), cudaSuccess);
    ASSERT_EQ(misuse_ids(), "unrecorded-event");
    EXPECT_FALSE(misuses()[0].failed_call);
    cudaEventRecord(event, nullptr);
    EXPECT_TRUE(session().handles().at(0).recorded);
    cudaEventSynchronize(event);
    EXPECT_EQ(misuses().size(), 1u);
}

TEST_F(Handles, TheStreamOfACallIsKept) {
    cudaStream_t stream;
    fake_gpu::set_next_handle(0x5040);
    cudaStreamCreate(&stream);
    void* pointer = nullptr;
    cudaMallocAsync(&pointer, 64, stream);
    EXPECT_EQ(calls().at(1).stream, 0x5040u);
    EXPECT_EQ(live().at(0).stream, 0x5040u);
}

}  // namespace
}  // namespace vram::runtime
