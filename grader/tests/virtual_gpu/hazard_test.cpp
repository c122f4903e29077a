// Hazards are found by order, not by luck: with an edge missing every seed reports it and names both
// parties; with all edges there no seed does.

#include <cstring>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::uint64_t seeds = 50;

class Hazard : public VirtualGpu {
  protected:
    /// Runs the program with every seed; each has to report `id` for the calls 10 and 20.
    template <typename Program>
    void expect_report(const std::string& id, Program program) {
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            fresh_card(seed);
            program();
            finish_pending_work();
            ASSERT_EQ(reported(), id);
            std::vector<CallNumber> calls;
            for (const Party& party : reports().front().parties)
                calls.push_back(party.call);
            std::sort(calls.begin(), calls.end());
            ASSERT_EQ(calls, (std::vector<CallNumber>{10, 20}));
        }
    }

    /// Runs the program with every seed; none may report anything.
    template <typename Program>
    void expect_quiet(Program program) {
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            fresh_card(seed);
            program();
            finish_pending_work();
            ASSERT_EQ(reported(), "") << reports().front().first_line;
        }
    }

    void set_in(cudaStream_t where, char* block, std::size_t bytes, CallNumber number) {
        call(number);
        ASSERT_EQ(gpu::cudaMemsetAsync(block, 1, bytes, where), cudaSuccess);
    }
    void copy_in(cudaStream_t where, char* to, const char* from, std::size_t bytes,
                 CallNumber number) {
        call(number);
        ASSERT_EQ(gpu::cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, where), cudaSuccess);
    }
};

// ---- two streams, the same bytes

TEST_F(Hazard, WriteAndReadOnTwoStreamsWithoutAnEdge) {
    expect_report("race", [&] {
        char* block = device(1000);
        char* target = device(1000);
        set_in(stream(), block, 1000, 10);
        copy_in(stream(), target, block, 1000, 20);
    });
}

TEST_F(Hazard, WriteAndReadJoinedByAnEvent) {
    expect_quiet([&] {
        char* block = device(1000);
        char* target = device(1000);
        const cudaStream_t writer = stream(), reader = stream();
        const cudaEvent_t written = event();
        set_in(writer, block, 1000, 10);
        ASSERT_EQ(gpu::cudaEventRecord(written, writer), cudaSuccess);
        ASSERT_EQ(gpu::cudaStreamWaitEvent(reader, written, 0), cudaSuccess);
        copy_in(reader, target, block, 1000, 20);
    });
}

TEST_F(Hazard, AnEventRecordedTooEarlyIsNoEdge) {
    expect_report("race", [&] {
        char* block = device(1000);
        char* target = device(1000);
        const cudaStream_t writer = stream(), reader = stream();
        const cudaEvent_t early = event();
        ASSERT_EQ(gpu::cudaEventRecord(early, writer), cudaSuccess);
        set_in(writer, block, 1000, 10);
        ASSERT_EQ(gpu::cudaStreamWaitEvent(reader, early, 0), cudaSuccess);
        copy_in(reader, target, block, 1000, 20);
    });
}

TEST_F(Hazard, EveryWaitOfTheHostIsAnEdge) {
    const auto program = [&](auto wait) {
        expect_quiet([&] {
            char* block = device(1000);
            char* target = device(1000);
            const cudaStream_t writer = stream(), reader = stream();
            const cudaEvent_t written = event();
            set_in(writer, block, 1000, 10);
            ASSERT_EQ(gpu::cudaEventRecord(written, writer), cudaSuccess);
            wait(writer, written);
            copy_in(reader, target, block, 1000, 20);
        });
    };
    program([](cudaStream_t writer, cudaEvent_t) { gpu::cudaStreamSynchronize(writer); });
    program([](cudaStream_t, cudaEvent_t written) { gpu::cudaEventSynchronize(written); });
    program([](cudaStream_t, cudaEvent_t) { gpu::cudaDeviceSynchronize(); });
    program([](cudaStream_t writer, cudaEvent_t) {
        while (gpu::cudaStreamQuery(writer) == cudaErrorNotReady) {
        }
    });
    program([](cudaStream_t, cudaEvent_t written) {
        while (gpu::cudaEventQuery(written) == cudaErrorNotReady) {
        }
    });
}

TEST_F(Hazard, WaitingForTheWrongStreamIsNoEdge) {
    expect_report("race", [&] {
        char* block = device(1000);
        char* target = device(1000);
        const cudaStream_t writer = stream(), reader = stream();
        set_in(writer, block, 1000, 10);
        ASSERT_EQ(gpu::cudaStreamSynchronize(reader), cudaSuccess);
        copy_in(reader, target, block, 1000, 20);
    });
}

TEST_F(Hazard, DifferentBytesOfOneBlockDoNotCollide) {
    expect_quiet([&] {
        char* block = device(1000);
        set_in(stream(), block, 500, 10);
        set_in(stream(), block + 500, 500, 20);
    });
}

TEST_F(Hazard, ColumnsOfOneImageDoNotCollide) {
    expect_quiet([&] {
        void* image = nullptr;
        std::size_t pitch = 0;
        ASSERT_EQ(gpu::cudaMallocPitch(&image, &pitch, 64, 20), cudaSuccess);
        char* source = pinned(32 * 20);
        const auto half = [&](std::size_t column) {
            ASSERT_EQ(gpu::cudaMemcpy2DAsync(static_cast<char*>(image) + column, pitch, source, 32,
                                             32, 20, cudaMemcpyHostToDevice, stream()),
                      cudaSuccess);
        };
        half(0);
        half(32);
    });
}

TEST_F(Hazard, TwoReadersDoNotCollide) {
    expect_quiet([&] {
        char* block = device(1000);
        copy_in(stream(), device(1000), block, 1000, 10);
        copy_in(stream(), device(1000), block, 1000, 20);
    });
}

TEST_F(Hazard, OverlapByOneByteCollides) {
    expect_report("race", [&] {
        char* block = device(1000);
        set_in(stream(), block, 501, 10);
        set_in(stream(), block + 500, 500, 20);
    });
}

// ---- the default stream

TEST_F(Hazard, TheLegacyStreamIsOrderedWithBlockingStreams) {
    expect_quiet([&] {
        char* block = device(1000);
        const cudaStream_t blocking = stream(cudaStreamDefault);
        set_in(blocking, block, 1000, 10);
        set_in(nullptr, block, 1000, 11);
        set_in(stream(cudaStreamDefault), block, 1000, 20);
    });
}

TEST_F(Hazard, TheLegacyStreamIsNotOrderedWithNonBlockingStreams) {
    expect_report("race", [&] {
        char* block = device(1000);
        call(10);
        ASSERT_EQ(gpu::cudaMemset(block, 0, 1000), cudaSuccess);
        set_in(stream(cudaStreamNonBlocking), block, 1000, 20);
    });
}

TEST_F(Hazard, BlockingStreamsAreNotOrderedAmongThemselves) {
    expect_report("race", [&] {
        char* block = device(1000);
        set_in(stream(cudaStreamDefault), block, 1000, 10);
        set_in(stream(cudaStreamDefault), block, 1000, 20);
    });
}

TEST_F(Hazard, ADestroyedStreamLeavesNoEdge) {
    expect_report("race", [&] {
        char* block = device(1000);
        const cudaStream_t writer = stream();
        set_in(writer, block, 1000, 10);
        ASSERT_EQ(gpu::cudaStreamDestroy(writer), cudaSuccess);
        set_in(stream(), block, 1000, 20);
    });
}

TEST_F(Hazard, ACopyThatReturnsWhenDoneIsAnEdge) {
    expect_quiet([&] {
        char* block = device(1000);
        std::vector<char> host(1000);
        call(10);
        ASSERT_EQ(gpu::cudaMemcpy(block, host.data(), 1000, cudaMemcpyHostToDevice), cudaSuccess);
        set_in(stream(), block, 1000, 20);
    });
}

TEST_F(Hazard, DefaultStreamsOfThreadsAreStreamsOfTheirOwn) {
    expect_report("race", [&] {
        char* block = device(1000);
        call(10);
        ASSERT_EQ(vram_virtual_cudaMemsetAsync_ptsz(block, 0, 1000, nullptr), cudaSuccess);
        set_in(stream(cudaStreamDefault), block, 1000, 20);
    });
    expect_quiet([&] {
        char* block = device(1000);
        ASSERT_EQ(vram_virtual_cudaMemsetAsync_ptsz(block, 0, 1000, nullptr), cudaSuccess);
        set_in(cudaStreamPerThread, block, 1000, 10);
        set_in(cudaStreamLegacy, block, 1000, 20);
    });
}

// ---- frees

TEST_F(Hazard, FreeWhileAStreamStillWorks) {
    expect_report("free-in-flight", [&] {
        char* block = device(1000);
        set_in(stream(), block, 1000, 10);
        call(20);
        ASSERT_EQ(gpu::cudaFree(block), cudaSuccess);
    });
}

TEST_F(Hazard, FreeAfterAWait) {
    expect_quiet([&] {
        char* block = device(1000);
        const cudaStream_t worker = stream();
        set_in(worker, block, 1000, 10);
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
        ASSERT_EQ(gpu::cudaFree(block), cudaSuccess);
    });
}

TEST_F(Hazard, FreeOfAnotherBlockWhileAStreamWorks) {
    expect_quiet([&] {
        char* block = device(1000);
        char* other = device(1000);
        set_in(stream(), block, 1000, 10);
        ASSERT_EQ(gpu::cudaFree(other), cudaSuccess);
    });
}

TEST_F(Hazard, FreeAfterWorkOfTheDefaultStreamIsNoAccusation) {
    expect_quiet([&] {
        char* block = device(1000);
        set_in(nullptr, block, 1000, 10);
        ASSERT_EQ(gpu::cudaFree(block), cudaSuccess);
    });
}

TEST_F(Hazard, PinnedMemoryFreedWhileACopyReadsIt) {
    expect_report("host-buffer-in-flight", [&] {
        char* source = pinned(1000);
        copy_in(stream(), device(1000), source, 1000, 10);
        call(20);
        ASSERT_EQ(gpu::cudaFreeHost(source), cudaSuccess);
    });
}

// ---- page-locked buffers

TEST_F(Hazard, PinnedSourceChangedBeforeTheCopyRan) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        fresh_card(seed);
        char* source = pinned(1000);
        std::memset(source, 1, 1000);
        const cudaStream_t worker = stream();
        copy_in(worker, device(1000), source, 1000, 10);
        source[999] = 2;
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
        ASSERT_EQ(reported(), "host-buffer-in-flight");
        ASSERT_EQ(reports().front().parties.front().call, 10u);
    }
}

TEST_F(Hazard, PinnedTargetReadBeforeTheCopyRan) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        fresh_card(seed);
        const volatile char* target = pinned(1000);
        const cudaStream_t worker = stream();
        copy_in(worker, const_cast<char*>(target), device(1000), 1000, 10);
        [[maybe_unused]] const char too_early = target[999];
        ASSERT_EQ(reported(), "host-buffer-in-flight");
        ASSERT_EQ(reports().front().parties.front().call, 10u);
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
        ASSERT_EQ(reports().size(), 1u);
    }
}

TEST_F(Hazard, PinnedTargetReadAfterTheWait) {
    expect_quiet([&] {
        char* block = device(1000);
        char* target = pinned(1000);
        const cudaStream_t worker = stream();
        set_in(worker, block, 1000, 10);
        copy_in(worker, target, block, 1000, 11);
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
        ASSERT_EQ(target[0], 1);
        ASSERT_EQ(target[999], 1);
    });
}

TEST_F(Hazard, PinnedTargetReadOnceAQuerySaysSo) {
    expect_quiet([&] {
        char* target = pinned(1000);
        const cudaStream_t worker = stream();
        copy_in(worker, target, device(1000), 1000, 10);
        while (gpu::cudaStreamQuery(worker) == cudaErrorNotReady) {
        }
        target[0] = 1;
    });
}

TEST_F(Hazard, PinnedTargetReadByAHostFunctionInOrder) {
    expect_quiet([&] {
        char* block = device(1000);
        char* target = pinned(1000);
        const cudaStream_t worker = stream();
        set_in(worker, block, 1000, 10);
        copy_in(worker, target, block, 1000, 11);
        ASSERT_EQ(gpu::cudaLaunchHostFunc(
                      worker, [](void* seen) { ++*static_cast<char*>(seen); }, target),
                  cudaSuccess);
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
        ASSERT_EQ(target[0], 2);
    });
}

TEST_F(Hazard, TheOtherHalfOfAPinnedTargetBelongsToTheHost) {
    expect_quiet([&] {
        constexpr std::size_t half = 6000;  // ends in the middle of a page
        char* target = pinned(2 * half);
        const cudaStream_t worker = stream();
        copy_in(worker, target, device(half), half, 10);
        std::memset(target + half, 7, half);
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
    });
}

TEST_F(Hazard, PinnedTargetOfWorkThatNeverRan) {
    fresh_card(0);
    char* target = pinned(1000);
    const cudaStream_t worker = stream();
    copy_in(worker, target, device(1000), 1000, 10);
    ASSERT_EQ(gpu::cudaDeviceReset(), cudaSuccess);
    ASSERT_EQ(reported(), "");
    char* again = pinned(1000);
    again[0] = 1;
    ASSERT_EQ(again[0], 1);
}

TEST_F(Hazard, PinnedSourceChangedAfterTheWait) {
    expect_quiet([&] {
        char* source = pinned(1000);
        char* block = device(1000);
        const cudaStream_t worker = stream();
        for (int round = 0; round < 3; ++round) {
            std::memset(source, round, 1000);
            copy_in(worker, block, source, 1000, 10);
            ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
        }
    });
}

TEST_F(Hazard, PinnedBufferFilledByTheSameStreamFirst) {
    expect_quiet([&] {
        char* between = pinned(1000);
        char* from = device(1000);
        char* to = device(1000);
        const cudaStream_t worker = stream();
        set_in(worker, from, 1000, 10);
        copy_in(worker, between, from, 1000, 11);
        copy_in(worker, to, between, 1000, 20);
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
    });
}

TEST_F(Hazard, PinnedBufferFilledByAHostFunctionFirst) {
    expect_quiet([&] {
        char* source = pinned(1000);
        const cudaStream_t worker = stream();
        const auto fill = [](void* data) { std::memset(data, 7, 1000); };
        ASSERT_EQ(gpu::cudaLaunchHostFunc(worker, fill, source), cudaSuccess);
        copy_in(worker, device(1000), source, 1000, 20);
        ASSERT_EQ(gpu::cudaStreamSynchronize(worker), cudaSuccess);
    });
}

// ---- stream-ordered memory

TEST_F(Hazard, UseOnAnotherStreamBeforeTheAllocation) {
    expect_report("use-before-allocation", [&] {
        call(10);
        char* block = asynchronous(1000, stream());
        set_in(stream(), block, 1000, 20);
    });
}

TEST_F(Hazard, UseOnAnotherStreamAfterAnEvent) {
    expect_quiet([&] {
        const cudaStream_t owner = stream(), user = stream();
        const cudaEvent_t ready = event(), done = event();
        char* block = asynchronous(1000, owner);
        ASSERT_EQ(gpu::cudaEventRecord(ready, owner), cudaSuccess);
        ASSERT_EQ(gpu::cudaStreamWaitEvent(user, ready, 0), cudaSuccess);
        set_in(user, block, 1000, 10);
        ASSERT_EQ(gpu::cudaEventRecord(done, user), cudaSuccess);
        ASSERT_EQ(gpu::cudaStreamWaitEvent(owner, done, 0), cudaSuccess);
        ASSERT_EQ(gpu::cudaFreeAsync(block, owner), cudaSuccess);
        ASSERT_EQ(gpu::cudaStreamSynchronize(owner), cudaSuccess);
    });
}

TEST_F(Hazard, UseAfterTheFreeOnTheSameStream) {
    expect_report("use-after-free-async", [&] {
        const cudaStream_t owner = stream();
        char* block = asynchronous(1000, owner);
        call(10);
        ASSERT_EQ(gpu::cudaFreeAsync(block, owner), cudaSuccess);
        set_in(owner, block, 1000, 20);
    });
}

TEST_F(Hazard, FreeAsyncOnAStreamThatDidNotWaitForTheUser) {
    expect_report("free-in-flight", [&] {
        const cudaStream_t owner = stream(), user = stream();
        char* block = asynchronous(1000, owner);
        ASSERT_EQ(gpu::cudaStreamSynchronize(owner), cudaSuccess);
        set_in(user, block, 1000, 10);
        call(20);
        ASSERT_EQ(gpu::cudaFreeAsync(block, owner), cudaSuccess);
        ASSERT_EQ(gpu::cudaStreamSynchronize(owner), cudaSuccess);
    });
}

TEST_F(Hazard, ManyRoundsOfAPoolInStreamOrder) {
    expect_quiet([&] {
        const cudaStream_t owner = stream();
        for (CallNumber round = 1; round < 40; ++round) {
            char* block = asynchronous(1000 + 300 * (round % 5), owner);
            set_in(owner, block, 1000, round);
            ASSERT_EQ(gpu::cudaFreeAsync(block, owner), cudaSuccess);
            if (round % 7 == 0) {
                ASSERT_EQ(gpu::cudaStreamSynchronize(owner), cudaSuccess);
            }
        }
    });
}

TEST_F(Hazard, BlocksOfOneStreamNeverMeetThoseOfAnother) {
    expect_quiet([&] {
        const cudaStream_t streams[] = {stream(), stream(), stream()};
        for (CallNumber round = 1; round < 60; ++round) {
            const cudaStream_t owner = streams[round % 3];
            char* block = asynchronous(700, owner);
            set_in(owner, block, 700, round);
            ASSERT_EQ(gpu::cudaFreeAsync(block, owner), cudaSuccess);
        }
    });
}

}  // namespace
}  // namespace vram::virtual_gpu
