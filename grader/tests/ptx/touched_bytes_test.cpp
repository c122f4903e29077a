// The set of touched bytes is exact, whatever the order of marks and wherever they lie.
#include "grader/virtual_gpu/ptx/touched_bytes.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <set>
#include <utility>

namespace vram::virtual_gpu::ptx {
namespace {

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t chunk = TouchedChunk::bytes;

Ranges ranges_of(const TouchedBytes& touched) {
    Ranges result;
    for (const TouchedRange& range : touched.ranges()) {
        result.emplace_back(range.begin, range.end);
    }
    return result;
}

TEST(TouchedBytes, NeighboursMergeAndOthersStayApart) {
    TouchedBytes touched;
    touched.mark(100, 104);
    touched.mark(108, 112);
    touched.mark(104, 106);
    EXPECT_EQ(ranges_of(touched), (Ranges{{100, 106}, {108, 112}}));
}

TEST(TouchedBytes, ARangeMayCrossWordsPagesAndChunks) {
    for (const std::uint64_t border : {std::uint64_t{64}, page, chunk, 5 * chunk}) {
        TouchedBytes touched;
        touched.mark(border - 3, border + 5);
        EXPECT_EQ(ranges_of(touched), (Ranges{{border - 3, border + 5}})) << border;
    }
}

TEST(TouchedBytes, ALongRangeIsOne) {
    TouchedBytes touched;
    touched.mark(chunk - 1, 4 * chunk + 1);
    EXPECT_EQ(ranges_of(touched), (Ranges{{chunk - 1, 4 * chunk + 1}}));
}

TEST(TouchedBytes, ChunksThatShareARecentPlaceAreToldApart) {
    TouchedBytes touched;
    touched.mark(8, 16);
    touched.mark(64 * chunk + 8, 64 * chunk + 16);
    touched.mark(16, 20);
    EXPECT_EQ(ranges_of(touched), (Ranges{{8, 20}, {64 * chunk + 8, 64 * chunk + 16}}));
}

TEST(TouchedBytes, MergingIsTheUnion) {
    TouchedBytes one;
    TouchedBytes other;
    one.mark(0, 8);
    other.mark(8, 12);
    other.mark(page, page + 4);
    other.mark(3 * chunk, 3 * chunk + 1);
    one.merge(other);
    EXPECT_EQ(ranges_of(one), (Ranges{{0, 12}, {page, page + 4}, {3 * chunk, 3 * chunk + 1}}));
}

TEST(TouchedBytes, NothingIsLeftAfterClear) {
    TouchedBytes touched;
    touched.mark(page - 2, page + 2);
    touched.clear();
    EXPECT_TRUE(touched.ranges().empty());
    touched.mark(page + 8, page + 9);
    EXPECT_EQ(ranges_of(touched), (Ranges{{page + 8, page + 9}}));
}

std::uint64_t most_resident_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

TEST(TouchedBytes, AByteHereAndThereTakesLittleMemory) {
    constexpr std::uint64_t places = 16384;
    constexpr std::uint64_t bits_of_all = places * chunk / 8;
    const std::uint64_t before = most_resident_bytes();
    TouchedBytes touched;
    for (std::uint64_t place = 0; place < places; ++place) {
        touched.mark(place * chunk, place * chunk + 1);
    }
    EXPECT_EQ(touched.ranges().size(), places);
    EXPECT_LT(most_resident_bytes() - before, bits_of_all / 8);
}

TEST(TouchedBytes, AgreesWithASetOfBytes) {
    TouchedBytes touched;
    std::set<std::uint64_t> bytes;
    std::uint64_t random = 1;
    for (int mark = 0; mark < 2000; ++mark) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t begin = (random >> 33) % (2 * chunk);
        const std::uint64_t end = begin + 1 + (random >> 20) % 128;
        touched.mark(begin, end);
        for (std::uint64_t byte = begin; byte < end; ++byte) {
            bytes.insert(byte);
        }
    }
    Ranges expected;
    for (const std::uint64_t byte : bytes) {
        if (!expected.empty() && expected.back().second == byte) {
            ++expected.back().second;
        } else {
            expected.emplace_back(byte, byte + 1);
        }
    }
    EXPECT_EQ(ranges_of(touched), expected);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
