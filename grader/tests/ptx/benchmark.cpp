// How fast kernels run: lane-instructions a second on one thread, what access checks cost, what a
// second thread gains, and the cost of a launch. A benchmark, not a test.
#include <chrono>
#include <cstdio>
#include <functional>

#include "grader/tests/ptx/kernel_test.h"

namespace vram::virtual_gpu::ptx {
namespace {

class Benchmark : public KernelTest {
  public:
    void TestBody() override {
        load_file("blocks.optimised.ptx");
        const int n = 1 << 20;
        const std::uint64_t a = memory.allocate(n * 16), b = memory.allocate(n * 16);
        const std::uint64_t c = memory.allocate(n * 4);
        const std::size_t pitch = 4096;
        measure("saxpy", [&] { return launch("saxpy", {n / 256}, {256}, n, 2.0f, a, b); });
        measure("reduce", [&] { return launch("reduce", {n / 512}, {256}, a, b, n); });
        measure("transpose", [&] {
            return launch("transpose", {32, 32}, {32, 8}, a, b, 1024, 1024);
        });
        measure("stencil", [&] {
            return launch("stencil", {64, 128}, {16, 8}, a, b, pitch, 1024, 1024);
        });
        measure("multiply_tiled", [&] {
            return launch("multiply_tiled", {16, 16}, {16, 16}, a, b, c, 256);
        });
        measure_launch(a, b);
    }

  private:
    using Clock = std::chrono::steady_clock;

    double best_time(const std::function<LaunchOutcome()>& run, std::uint64_t& lanes) {
        double best = 1e9;
        for (int repetition = 0; repetition < 9; ++repetition) {
            const auto start = Clock::now();
            lanes = run().counters.lane_instructions;
            best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
        }
        return best;
    }

    void measure(const char* name, const std::function<LaunchOutcome()>& run) {
        std::uint64_t lanes = 0;
        options = ExecutionOptions{};
        options.workers = 1;
        const double one = best_time(run, lanes);
        options.workers = 2;
        const double two = best_time(run, lanes);
        options.workers = 1;
        options.check_accesses = options.track_ranges = options.count = false;
        const double unchecked = best_time(run, lanes);
        std::printf(
            "%-16s %6.2fe9 lane-instructions/s on one thread, checks cost %4.2fx, two "
            "threads %4.2fx as fast\n",
            name, lanes / one / 1e9, one / unchecked, one / two);
    }

    void measure_launch(std::uint64_t a, std::uint64_t b) {
        options = ExecutionOptions{};
        const Kernel& saxpy = *kernel("saxpy");
        Arguments arguments(32, 2.0f, a, b);
        const std::vector<std::byte> packed = pack_arguments(saxpy, arguments.get());
        LaunchShape shape;
        shape.block[0] = 32;
        const int launches = 20000;
        const auto start = Clock::now();
        for (int i = 0; i < launches; ++i) {
            execute(saxpy, shape, packed, memory, options);
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        std::printf("a tiny launch    %6.2f us\n", seconds / launches * 1e6);
    }
};

}  // namespace
}  // namespace vram::virtual_gpu::ptx

int main() {
    vram::virtual_gpu::ptx::Benchmark().TestBody();
}
