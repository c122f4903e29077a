// Launches that take long say so.
#include "grader/virtual_gpu/ptx/long_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "grader/virtual_gpu/observer.h"

namespace vram::virtual_gpu::ptx {
namespace {

class Listener : public Observer {
  public:
    Listener() { set_observer(this); }
    ~Listener() override { set_observer(nullptr); }
    void on_report(const Report&) override {}
    void on_long_kernel(const LongKernel& kernel) override { words.push_back(kernel); }
    CallNumber current_call() const override { return 0; }

    std::vector<LongKernel> words;
};

const std::string name = "spin";

class LongRunTest : public testing::Test {
  protected:
    void advance_at(int seconds) { run_.advance(start_ + std::chrono::seconds(seconds)); }

    Listener listener_;
    LongRun run_{name, 1000};

  private:
    LongRun::Clock::time_point start_ = LongRun::Clock::now();
};

TEST_F(LongRunTest, TellsWhoRunsHowLongAndWhenItWillEnd) {
    advance_at(0);
    advance_at(4);
    ASSERT_EQ(listener_.words.size(), 1u);
    EXPECT_EQ(listener_.words[0].name, "spin");
    EXPECT_EQ(listener_.words[0].seconds, 4u);
    EXPECT_EQ(listener_.words[0].warp_instructions, 2 * LongRun::stride);
    EXPECT_EQ(listener_.words[0].instruction_limit, 1000u);
}

TEST_F(LongRunTest, SaysNothingOfAShortOne) {
    advance_at(0);
    advance_at(2);
    EXPECT_TRUE(listener_.words.empty());
}

TEST_F(LongRunTest, IsSilentUntilTheTimeHasDoubled) {
    advance_at(0);
    advance_at(4);
    advance_at(7);
    EXPECT_EQ(listener_.words.size(), 1u);
    advance_at(8);
    EXPECT_EQ(listener_.words.size(), 2u);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
