// Kernels as courses teach them, alone and on several threads.
#include <sys/wait.h>
#include <unistd.h>

#include "grader/tests/ptx/kernel_test.h"

namespace vram::virtual_gpu::ptx {
namespace {

class Kernels : public KernelTestOfBothFlavours {
  protected:
    void SetUp() override { load_kernels("blocks"); }

    static std::vector<float> numbers(int count) {
        std::vector<float> values(count);
        for (int i = 0; i < count; ++i) {
            values[i] = static_cast<float>(i % 17);
        }
        return values;
    }
};
FOR_BOTH_FLAVOURS(Kernels);

TEST_P(Kernels, Saxpy) {
    const std::vector<float> x = numbers(1001);
    const std::uint64_t y = memory.upload(numbers(1001));
    const LaunchOutcome outcome = run("saxpy", {4}, {256}, 1001, 3.0f, memory.upload(x), y);
    const std::vector<float> result = memory.download<float>(y, 1001);
    for (int i = 0; i < 1001; ++i) {
        ASSERT_EQ(result[i], 4 * x[i]);
    }
    EXPECT_EQ(outcome.counters.load_bytes, 8008u);
    EXPECT_EQ(outcome.counters.store_bytes, 4004u);
}

TEST_P(Kernels, Reduction) {
    const std::vector<float> in = numbers(1000);
    const std::uint64_t out = memory.allocate(8);
    run("reduce", {2}, {256}, memory.upload(in), out, 1000);
    const std::vector<float> sums = memory.download<float>(out, 2);
    float expected = 0;
    for (float value : in) {
        expected += value;
    }
    EXPECT_EQ(sums[0] + sums[1], expected);
}

TEST_P(Kernels, ScanInDynamicSharedMemory) {
    std::vector<int> values(100);
    for (int i = 0; i < 100; ++i) {
        values[i] = i;
    }
    const std::uint64_t data = memory.upload(values);
    shape_options.dynamic_shared_bytes = 128 * sizeof(int);
    run("scan", {1}, {128}, data, 100);
    const std::vector<int> sums = memory.download<int>(data, 100);
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(sums[i], i * (i + 1) / 2);
    }
    shape_options.dynamic_shared_bytes = 100 * sizeof(int);
    EXPECT_EQ(launch("scan", {1}, {128}, data, 100).error, 700);
}

TEST_P(Kernels, Transpose) {
    const int width = 70, height = 45;
    std::vector<float> in(width * height);
    for (int i = 0; i < width * height; ++i) {
        in[i] = static_cast<float>(i);
    }
    const std::uint64_t out = memory.allocate(in.size() * 4);
    run("transpose", {3, 2}, {32, 8}, memory.upload(in), out, width, height);
    const std::vector<float> result = memory.download<float>(out, in.size());
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            ASSERT_EQ(result[x * height + y], in[y * width + x]);
        }
    }
}

TEST_P(Kernels, Histogram) {
    std::vector<unsigned char> data(3000);
    std::vector<unsigned> expected(256);
    for (int i = 0; i < 3000; ++i) {
        data[i] = static_cast<unsigned char>(i * 31);
        ++expected[data[i]];
    }
    const std::uint64_t bins = memory.upload(std::vector<unsigned>(256));
    run("histogram", {3}, {256}, memory.upload(data), 3000, bins);
    EXPECT_EQ(memory.download<unsigned>(bins, 256), expected);
}

TEST_P(Kernels, TiledMultiplication) {
    const int n = 50;
    const std::vector<float> a = numbers(n * n), b = numbers(n * n);
    const std::uint64_t c = memory.allocate(n * n * 4);
    run("multiply_tiled", {4, 4}, {16, 16}, memory.upload(a), memory.upload(b), c, n);
    const std::vector<float> result = memory.download<float>(c, n * n);
    for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int k = 0; k < n; ++k) {
                sum += a[row * n + k] * b[k * n + column];
            }
            ASSERT_EQ(result[row * n + column], sum);
        }
    }
}

TEST_P(Kernels, VariablesOfTheModule) {
    const auto address = [this](const std::string& name) {
        for (const Variable& variable : variables(*module)) {
            if (variable.name == name) {
                return variable.address;
            }
        }
        return std::uint64_t{0};
    };
    for (int i = 0; i < 16; ++i) {
        const float weight = static_cast<float>(i);
        std::memcpy(memory.host(address("weights")) + i * 4, &weight, 4);
    }
    const std::uint64_t in = memory.upload(std::vector<float>(100, 1.0f));
    const std::uint64_t out = memory.allocate(400);
    run("use_variables", {1}, {128}, in, out, 100);
    const std::vector<float> result = memory.download<float>(out, 100);
    EXPECT_EQ(result[0], 122);
    EXPECT_EQ(result[1], 123);
    EXPECT_EQ(result[99], 7);
    EXPECT_EQ(memory.download<int>(address("counter"), 1)[0], 100);
    EXPECT_EQ(memory.download<int>(address("last"), 1)[0], 5);
}

TEST_P(Kernels, StructsAndGenericPointers) {
    struct Settings {
        float step;
        int n;
        double direction[3];
    };
    const std::uint64_t out = memory.allocate(32 * 4);
    run("take_struct", {1}, {1}, Settings{0.5f, 10, {1, 2, 3}}, out, 2);
    EXPECT_EQ(memory.download<float>(out, 1)[0], 8);
    const std::uint64_t global = memory.upload(std::vector<float>(32, 9.0f));
    run("choose_space", {1}, {32}, global, out, 2);
    EXPECT_EQ(memory.download<float>(out, 32), std::vector<float>(32, 2.0f));
    run("choose_space", {1}, {32}, global, out, 5);
    EXPECT_EQ(memory.download<float>(out, 32), std::vector<float>(32, 9.0f));
}

// ---- several threads ----------------------------------------------------------------------------

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Ranges pairs(const std::vector<TouchedRange>& ranges) {
    Ranges result;
    for (const TouchedRange& range : ranges) {
        result.emplace_back(range.begin, range.end);
    }
    return result;
}

TEST_P(Kernels, TheNumberOfWorkersChangesNothing) {
    const std::vector<float> in = numbers(100000);
    const std::uint64_t a = memory.upload(in);
    const std::uint64_t out = memory.allocate(400);
    options.workers = 1;
    const LaunchOutcome one = run("reduce", {100}, {256}, a, out, 50001);
    const std::vector<float> sums = memory.download<float>(out, 100);
    options.workers = 4;
    const LaunchOutcome four = run("reduce", {100}, {256}, a, out, 50001);
    EXPECT_EQ(memory.download<float>(out, 100), sums);
    EXPECT_EQ(std::memcmp(&one.counters, &four.counters, sizeof one.counters), 0);
    EXPECT_EQ(pairs(one.read), pairs(four.read));
    EXPECT_EQ(pairs(one.written), pairs(four.written));
}

TEST_P(Kernels, TwoWorkersGiveWhatOneGives) {
    const int n = 160;
    const std::uint64_t a = memory.upload(numbers(n * n)), b = memory.upload(numbers(n * n));
    std::vector<unsigned char> data(30000);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<unsigned char>(i * i);
    }
    const std::uint64_t bytes = memory.upload(data);
    const auto with_workers = [&](unsigned workers, auto run_kernel) {
        options.workers = workers;
        const std::uint64_t out = memory.upload(std::vector<float>(n * n));
        const LaunchOutcome outcome = run_kernel(out);
        Ranges ranges = pairs(outcome.read);
        for (auto [begin, end] : pairs(outcome.written)) {
            ranges.emplace_back(begin - out, end - out);
        }
        for (auto [begin, end] : pairs(outcome.atomic)) {
            ranges.emplace_back(begin - out, end - out);
        }
        return std::tuple(memory.download<unsigned>(out, n * n), ranges, outcome.counters);
    };
    const auto expect_same = [&](auto run_kernel) {
        const auto [results, ranges, counters] = with_workers(1, run_kernel);
        const auto [other_results, other_ranges, other_counters] = with_workers(2, run_kernel);
        EXPECT_EQ(results, other_results);
        EXPECT_EQ(ranges, other_ranges);
        EXPECT_EQ(std::memcmp(&counters, &other_counters, sizeof counters), 0);
    };
    expect_same([&](std::uint64_t out) { return run("transpose", {5, 5}, {32, 8}, a, out, n, n); });
    expect_same([&](std::uint64_t out) {
        return run("multiply_tiled", {10, 10}, {16, 16}, a, b, out, n);
    });
    expect_same(
        [&](std::uint64_t out) { return run("histogram", {40}, {128}, bytes, 30000, out); });
}

TEST_P(Kernels, TheFirstFaultInBlockOrderIsReported) {
    const std::uint64_t x = memory.allocate(50000 * 4), y = memory.allocate(50000 * 4);
    options.workers = 4;
    for (int attempt = 0; attempt < 5; ++attempt) {
        EXPECT_EQ(launch("saxpy", {400}, {256}, 400 * 256, 1.0f, x, y).error, 700);
        ASSERT_EQ(keeper.reports.size(), 1u);
        EXPECT_EQ(keeper.reports[0].block[0], 50000u / 256);
        EXPECT_EQ(keeper.reports[0].thread[0], 50000u % 256);
    }
}

TEST_P(Kernels, WorkersSurviveAFork) {
    const std::uint64_t x = memory.allocate(100000 * 4), y = memory.allocate(100000 * 4);
    options.workers = 2;
    run("saxpy", {391}, {256}, 100000, 1.0f, x, y);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(launch("saxpy", {391}, {256}, 100000, 1.0f, x, y).error == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
