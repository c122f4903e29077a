#include <cstdlib>
#include <memory>
#include <thread>

#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

class CLibraryReleases : public LedgerTest {};

bool is_kept(const void* pointer, const char* call = "free() or delete") {
    return session().keeps_from_c_library(pointer, call, __builtin_frame_address(0));
}

TEST_F(CLibraryReleases, OfABlockOfTheRuntimeAreKeptBackAndNameTheRightCall) {
    void* pinned = nullptr;
    ASSERT_EQ(cudaMallocHost(&pinned, 100), cudaSuccess);
    EXPECT_TRUE(is_kept(pinned));
    EXPECT_TRUE(is_kept(allocate(200), "realloc()"));
    ASSERT_EQ(misuse_ids(), "free-by-c-library free-by-c-library");
    EXPECT_STREQ(
        misuses()[0].first_line,
        "free() or delete was given a 100-byte block from cudaMallocHost; what releases it "
        "is cudaFreeHost.");
    EXPECT_STREQ(
        misuses()[1].first_line,
        "realloc() was given a 200-byte block from cudaMalloc; what releases it is cudaFree.");
    EXPECT_EQ(live().size(), 2u);
}

TEST_F(CLibraryReleases, AreToldWithTheirPlaceAndTheCallThatMadeTheBlock) {
    void* device = allocate(100);
    ASSERT_TRUE(is_kept(device));
    ASSERT_EQ(misuses().size(), 1u);
    const Misuse misuse = misuses()[0];
    EXPECT_NE(misuse.frames[0], 0u);
    EXPECT_EQ(misuse.address, reinterpret_cast<std::uint64_t>(device));
    EXPECT_EQ(misuse.other_call, session().allocation(misuse.allocation).made_by);
}

TEST_F(CLibraryReleases, BelongToTheTimeAfterTheLastCall) {
    void* device = allocate(100);
    const CallNumber before = session().last_call();
    ASSERT_TRUE(is_kept(device));
    EXPECT_EQ(session().misuses_after(before).size(), 1u);
    cudaFree(device);
    EXPECT_TRUE(session().misuses_after(session().last_call()).empty());
}

TEST_F(CLibraryReleases, OfEveryFamilyThatIsMemoryAreKeptBack) {
    void* pitched = nullptr;
    void* managed = nullptr;
    void* async = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&pitched, &pitch, 100, 2), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed, 100), cudaSuccess);
    ASSERT_EQ(cudaMallocAsync(&async, 100, nullptr), cudaSuccess);
    EXPECT_TRUE(is_kept(pitched));
    EXPECT_TRUE(is_kept(managed));
    EXPECT_TRUE(is_kept(async));
}

TEST_F(CLibraryReleases, OfMemoryOfTheProgramArePassedOn) {
    constexpr std::size_t page = 4096;
    const std::unique_ptr<void, decltype(&std::free)> plain(std::aligned_alloc(page, page),
                                                            &std::free);
    EXPECT_FALSE(is_kept(plain.get()));
    ASSERT_EQ(cudaHostRegister(plain.get(), page, cudaHostRegisterDefault), cudaSuccess);
    EXPECT_FALSE(is_kept(plain.get()));
    EXPECT_EQ(cudaHostUnregister(plain.get()), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(CLibraryReleases, OfABlockThatIsNoLongerTheRuntimesArePassedOn) {
    void* device = allocate(100);
    cudaFree(device);
    EXPECT_FALSE(is_kept(device));
    EXPECT_FALSE(is_kept(nullptr));
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(CLibraryReleases, OfTheHarnessArePassedOn) {
    void* device = allocate(100);
    session().leave_learner();
    EXPECT_FALSE(is_kept(device));
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(CLibraryReleases, AreSeenInAThreadThatMadeNoCallBefore) {
    void* device = allocate(100);
    std::thread([&] { EXPECT_TRUE(is_kept(device)); }).join();
    ASSERT_EQ(misuse_ids(), "free-by-c-library");
    EXPECT_NE(misuses()[0].frames[0], 0u);
}

}  // namespace
}  // namespace vram::runtime
