#include "grader/proctor/call_sites.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

constexpr const char* output =
    "0x0000000000000fff\n"
    "vram::checks::call(int)\n"
    "/src/grader/checks/support/learner.cpp:12\n"
    "0x0000000000001fff\n"
    "cudaMalloc<float>(float**, unsigned long)\n"
    "/usr/local/cuda/include/cuda_runtime.h:700\n"
    "(anonymous namespace)::make_plane(FrameStore*) [clone .part.0]\n"
    "/tmp/cache/scratch-a/frame_store.cu:31 (discriminator 2)\n"
    "release(FrameStore*)\n"
    "/tmp/cache/scratch-a/frame_store.cu:58\n"
    "0x0000000000002fff\n"
    "??\n"
    "??:0\n";

const CallSites sites(parse_addr2line(output), "frame_store.cu");

TEST(CallSites, AreTheFirstPlaceInTheLearnersFile) {
    const Site site = sites.of({0x1000, 0x3000, 0x2000});
    EXPECT_EQ(place_text(site), "frame_store.cu:31");
    EXPECT_EQ(site.function, "make_plane");
}

TEST(CallSites, AreUnknownOutsideOfIt) {
    EXPECT_FALSE(sites.of({0x1000, 0x3000, 0x4000}).known());
    EXPECT_FALSE(sites.of({}).known());
}

TEST(CallSites, ReplaceTokensInTexts) {
    EXPECT_EQ(sites.with_sites("freed at {site:2000} and {site:0x1000}."),
              "freed at frame_store.cu:31 and outside of frame_store.cu.");
    EXPECT_EQ(sites.with_sites("{site:zzz} {site:20"), "{site:zzz} {site:20");
}

TEST(ShortFunction, LeavesTheName) {
    EXPECT_EQ(short_function("release(FrameStore*)"), "release");
    EXPECT_EQ(short_function("main"), "main");
    EXPECT_EQ(short_function("(anonymous namespace)::Pool::trim(int) [clone .cold]"), "Pool::trim");
    EXPECT_EQ(short_function("cudaError (anonymous namespace)::allocate<float*>(float*&, unsigned "
                             "long)"),
              "allocate<float*>");
    EXPECT_EQ(short_function("std::vector<int, std::allocator<int> > make<unsigned long>(int)"),
              "make<unsigned long>");
    EXPECT_EQ(short_function("Block::operator bool() const"), "Block::operator bool");
    EXPECT_EQ(short_function("Deleter::operator()(float*) const"), "Deleter::operator()");
}

TEST(ReturnAddresses, ComeFromStepsAndTexts) {
    protocol::CheckResult result;
    result.findings.resize(1);
    result.findings[0].note = "at {site:30}";
    result.findings[0].steps = {{"cudaFree {site:20}", {0x10, 0x20, 0}, "", 0}};
    EXPECT_EQ(return_addresses_in({result}), (std::vector<std::uint64_t>{0x10, 0x20, 0x30}));
}

}  // namespace
}  // namespace vram::proctor
