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

LongRun::Clock::time_point ago(int seconds) {
    return LongRun::Clock::now() - std::chrono::seconds(seconds);
}

const std::string name = "spin";

TEST(LongRunTest, TellsWhoRunsHowLongAndWhenItWillEnd) {
    Listener listener;
    LongRun run(name, 1000, ago(4));
    run.advance();
    ASSERT_EQ(listener.words.size(), 1u);
    EXPECT_EQ(listener.words[0].name, "spin");
    EXPECT_GE(listener.words[0].seconds, 4u);
    EXPECT_EQ(listener.words[0].warp_instructions, LongRun::stride);
    EXPECT_EQ(listener.words[0].instruction_limit, 1000u);
}

TEST(LongRunTest, SaysNothingOfAShortOne) {
    Listener listener;
    LongRun run(name, 1000, LongRun::Clock::now() + std::chrono::hours(1));
    run.advance();
    EXPECT_TRUE(listener.words.empty());
}

TEST(LongRunTest, IsSilentUntilTheTimeHasDoubled) {
    Listener listener;
    LongRun run(name, 1000, ago(1'000'000));
    run.advance();
    run.advance();
    EXPECT_EQ(listener.words.size(), 1u);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
