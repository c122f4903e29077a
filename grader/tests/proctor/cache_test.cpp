#include "grader/proctor/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

namespace vram::proctor {
namespace {

namespace fs = std::filesystem;

class CacheFolder : public testing::Test {
  protected:
    CacheFolder() : folder_(fs::temp_directory_path()), cache_(folder_.path() / "cache", 1000) {}

    fs::path publish(const std::string& key, const std::string& contents) {
        const ScratchFolder prepared = cache_.scratch();
        write_file(prepared.path() / "program", contents);
        return cache_.publish(key, prepared);
    }

    /// As if nobody had used the entry for an hour.
    static void age(const fs::path& entry, std::chrono::minutes minutes) {
        fs::last_write_time(entry, fs::file_time_type::clock::now() - minutes);
    }

    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(cache_.folder()), {}));
    }

    ScratchFolder folder_;
    Cache cache_;
};

TEST_F(CacheFolder, FindsWhatWasPublishedByItsWholeKey) {
    EXPECT_FALSE(cache_.find("key"));
    publish("key", "contents");
    const auto entry = cache_.find("key");
    ASSERT_TRUE(entry);
    EXPECT_EQ(read_file(*entry / "program"), "contents");
    EXPECT_FALSE(cache_.find("key "));
}

TEST_F(CacheFolder, TellsKeysWithTheSameShortHashApart) {
    const fs::path entry = publish("one", "contents");
    write_file(entry / "key", "another key that lands in the same place");
    EXPECT_FALSE(cache_.find("one"));
    publish("one", "new contents");
    const auto found = cache_.find("one");
    ASSERT_TRUE(found);
    EXPECT_EQ(read_file(*found / "program"), "new contents");
}

TEST_F(CacheFolder, FirstOfTwoPublishersWins) {
    publish("key", "first");
    EXPECT_EQ(read_file(publish("key", "second") / "program"), "first");
    EXPECT_EQ(entries(), 1u) << "nothing is left of the second";
}

TEST_F(CacheFolder, ServesManyAtOnce) {
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int key = 0; key < 20; ++key) {
                const std::string name = "key " + std::to_string(key);
                publish(name, name);
                const auto entry = cache_.find(name);
                good += entry && read_file(*entry / "program") == name ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(good, 8 * 20);
    EXPECT_EQ(entries(), 20u);
}

TEST_F(CacheFolder, DropsTheLongestUnusedFirst) {
    age(publish("oldest", std::string(400, 'a')), std::chrono::minutes(60));
    age(publish("older", std::string(400, 'b')), std::chrono::minutes(40));
    age(publish("old", std::string(400, 'c')), std::chrono::minutes(20));
    cache_.shrink();
    EXPECT_FALSE(cache_.find("oldest"));
    EXPECT_TRUE(cache_.find("older"));
    EXPECT_TRUE(cache_.find("old"));
}

TEST_F(CacheFolder, KeepsWhatIsInUseEvenWhenFull) {
    age(publish("old", std::string(900, 'a')), std::chrono::minutes(60));
    EXPECT_TRUE(cache_.find("old")) << "this marks it as used";
    publish("new", std::string(900, 'b'));
    cache_.shrink();
    EXPECT_TRUE(cache_.find("old"));
    EXPECT_TRUE(cache_.find("new"));
}

TEST_F(CacheFolder, RemovesWhatAKilledGraderLeft) {
    const fs::path left = cache_.folder() / "scratch-abcdef";
    fs::create_directory(left);
    age(left, std::chrono::minutes(60));
    cache_.shrink();
    EXPECT_FALSE(fs::exists(left));
}

TEST(OpenCache, SaysWhenTheChosenFolderCannotBeWritten) {
    setenv("VRAM_CACHE", "/proc/no-cache-here", 1);
    EXPECT_THROW(open_cache("/tmp"), FileError);
    unsetenv("VRAM_CACHE");
}

TEST(OpenCache, FallsBackToAPrivateFolder) {
    unsetenv("VRAM_CACHE");
    const Cache cache = open_cache("/proc/no-cache-here");
    struct stat status {};
    ASSERT_EQ(stat(cache.folder().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
}

}  // namespace
}  // namespace vram::proctor
