// What the documentation leaves open differs from seed to seed; what it promises does not.

#include <set>

#include "grader/tests/virtual_gpu/virtual_runtime.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::uint64_t tried_seeds = 50;

class Seeds : public VirtualGpu {
  protected:
    template <typename Program>
    void with_every_seed(Program program) {
        for (std::uint64_t seed = 1; seed <= tried_seeds; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            fresh_card(seed);
            program();
        }
    }
};

TEST_F(Seeds, AddressesAreAlignedTo256AndNoMore) {
    with_every_seed([&] {
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{4000}, 3 * mebibyte})
            EXPECT_EQ(address(device(bytes)) % 512, 256u);
        EXPECT_EQ(address(asynchronous(100, stream())) % 512, 256u);
    });
}

TEST_F(Seeds, PitchesAreLargerThanTheRowAndDiffer) {
    std::set<std::size_t> pitches;
    with_every_seed([&] {
        for (int i = 0; i < 3; ++i) {
            void* rows = nullptr;
            std::size_t pitch = 0;
            ASSERT_EQ(gpu::cudaMallocPitch(&rows, &pitch, 1024, 10), cudaSuccess);
            EXPECT_GT(pitch, 1024u);
            EXPECT_EQ(pitch % 256, 0u);
            pitches.insert(pitch);
        }
    });
    EXPECT_GT(pitches.size(), 3u);
}

TEST_F(Seeds, NeighboursLieUpwardsDownwardsAndFarApart) {
    int upwards = 0, downwards = 0, far_apart = 0;
    with_every_seed([&] {
        const auto distance = device(4096) - device(4096);
        if (distance == -4096)
            ++upwards;
        else if (distance == 4096)
            ++downwards;
        else
            ++far_apart;
    });
    EXPECT_GT(upwards, 0);
    EXPECT_GT(downwards, 0);
    EXPECT_GT(far_apart, 0);
}

TEST_F(Seeds, FreedAddressesComeBackAtOnceOrNotForAWhile) {
    int at_once = 0, later = 0;
    with_every_seed([&] {
        device(4096);
        char* block = device(4096);
        gpu::cudaFree(block);
        (device(4096) == block ? at_once : later)++;
    });
    EXPECT_GT(at_once, 0);
    EXPECT_GT(later, 0);
}

TEST_F(Seeds, FailedAllocationsLeaveNullOrNothing) {
    void* const poison = reinterpret_cast<void*>(0x1234);
    int nulled = 0, untouched = 0;
    with_every_seed([&] {
        void* pointer = poison;
        ASSERT_EQ(gpu::cudaMalloc(&pointer, std::size_t{1} << 50), cudaErrorMemoryAllocation);
        (pointer == poison ? untouched : nulled)++;
    });
    EXPECT_GT(nulled, 0);
    EXPECT_GT(untouched, 0);
}

TEST_F(Seeds, LiveBlocksNeverOverlapAndAllMemoryComesBack) {
    with_every_seed([&] {
        reset();
        ASSERT_TRUE(set_capacity(256 * mebibyte));
        const std::size_t before = free_memory();
        std::vector<std::pair<char*, std::size_t>> live;
        std::uint64_t state = seed() * 7919 + 1;
        const auto random = [&](std::uint64_t bound) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return (state >> 33) % bound;
        };
        for (int step = 0; step < 120; ++step) {
            if (live.size() > 20 || (!live.empty() && random(3) == 0)) {
                const std::size_t victim = random(live.size());
                ASSERT_EQ(gpu::cudaFree(live[victim].first), cudaSuccess);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
                continue;
            }
            const std::size_t bytes = 1 + (random(8) == 0 ? random(3 * mebibyte) : random(9000));
            char* block = device(bytes);
            for (const auto& [other, other_bytes] : live)
                ASSERT_TRUE(block + bytes <= other || other + other_bytes <= block);
            live.push_back({block, bytes});
        }
        for (const auto& [block, bytes] : live)
            ASSERT_EQ(gpu::cudaFree(block), cudaSuccess);
        EXPECT_EQ(free_memory(), before);
    });
}

TEST_F(Seeds, ALoopOfPairsNeverRunsOutOfMemory) {
    with_every_seed([&] {
        reset();
        ASSERT_TRUE(set_capacity(8 * mebibyte));
        char* kept = device(100);
        for (int i = 0; i < 1500; ++i)
            ASSERT_EQ(gpu::cudaFree(device(4000)), cudaSuccess);
        EXPECT_EQ(gpu::cudaFree(kept), cudaSuccess);
    });
}

}  // namespace
}  // namespace vram::virtual_gpu
