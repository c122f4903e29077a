#include "grader/bench/device/measurement.h"

#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "grader/bench/device/kernels.h"
#include "grader/runtime/session.h"

namespace vram::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int cells = 1 << 20;
constexpr int side = 1 << 10;
constexpr int matrix_side = 256;

void must(cudaError_t error) {
    if (error != cudaSuccess) {
        throw std::runtime_error(cudaGetErrorString(error));
    }
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    constexpr double nanosecond = 1e-9;
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * nanosecond;
}

std::uint64_t hash_of(const void* data, std::size_t bytes) {
    std::uint64_t hash = 14695981039346656037u;
    for (const auto* byte = static_cast<const unsigned char*>(data); bytes > 0; --bytes, ++byte) {
        hash = (hash ^ *byte) * 1099511628211u;
    }
    return hash;
}

/// Device memory for a megacell of floats.
class Floats {
  public:
    explicit Floats(std::size_t count) : count_(count) {
        must(cudaMalloc(reinterpret_cast<void**>(&values_), count * sizeof(float)));
        std::vector<float> host(count);
        for (std::size_t i = 0; i < count; ++i) {
            host[i] = static_cast<float>(i % 1013) * 0.5f - 200.0f;
        }
        must(cudaMemcpy(values_, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    }
    ~Floats() { cudaFree(values_); }
    Floats(const Floats&) = delete;

    float* get() const { return values_; }
    std::uint64_t hash() const {
        std::vector<float> host(count_);
        must(cudaMemcpy(host.data(), values_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
        return hash_of(host.data(), count_ * sizeof(float));
    }

  private:
    float* values_ = nullptr;
    std::size_t count_;
};

class Measuring {
  public:
    Measuring(runtime::Session& session, int repetitions)
        : session_(session), repetitions_(repetitions) {}

    KernelRun measure(const char* name, const Floats& result, const std::function<void()>& launch) {
        KernelRun run;
        std::strncpy(run.name, name, sizeof run.name - 1);
        const auto before = session_.kernel_counters();
        launch();
        must(cudaDeviceSynchronize());
        const auto after = session_.kernel_counters();
        run.result = result.hash();
        run.lane_instructions = after.lane_instructions - before.lane_instructions;
        run.counters = hash_of_difference(before, after);
        run.time = best_time(launch);
        return run;
    }

    BestTime launch_time() {
        constexpr int launches = 100;
        BestTime of_all = best_time([] {
            for (int i = 0; i < launches; ++i) {
                launch_nothing();
            }
        });
        return {of_all.wall_seconds / launches, of_all.processor_seconds / launches};
    }

  private:
    BestTime best_time(const std::function<void()>& launch) {
        BestTime best;
        for (int i = 0; i < repetitions_; ++i) {
            const auto start = Clock::now();
            const double processor_start = processor_seconds();
            launch();
            must(cudaDeviceSynchronize());
            best.wall_seconds = std::min(best.wall_seconds, seconds_since(start));
            best.processor_seconds =
                std::min(best.processor_seconds, processor_seconds() - processor_start);
        }
        return best;
    }

    static std::uint64_t hash_of_difference(const runtime::Session::KernelCounters& before,
                                            const runtime::Session::KernelCounters& after) {
        const std::uint64_t differences[] = {
            after.launches - before.launches,
            after.load_requests - before.load_requests,
            after.load_sectors - before.load_sectors,
            after.store_requests - before.store_requests,
            after.store_sectors - before.store_sectors,
            after.atomic_requests - before.atomic_requests,
            after.atomic_sectors - before.atomic_sectors,
            after.shared_requests - before.shared_requests,
            after.shared_waves - before.shared_waves,
            after.warp_instructions - before.warp_instructions,
            after.lane_instructions - before.lane_instructions,
        };
        return hash_of(differences, sizeof differences);
    }

    runtime::Session& session_;
    int repetitions_;
};

DeviceRun run_here(runtime::Session& session, int repetitions) {
    // As a program under test does, but without a record of each call.
    session.enter_learner();
    session.set_recording(false);
    Measuring measuring(session, repetitions);
    const Floats a(cells);
    const Floats b(cells);
    const Floats c(cells);
    DeviceRun run;
    run.kernels.push_back(
        measuring.measure("saxpy", b, [&] { launch_saxpy(2.0f, a.get(), b.get(), cells); }));
    run.kernels.push_back(
        measuring.measure("reduction", c, [&] { launch_reduction(a.get(), c.get(), cells); }));
    run.kernels.push_back(
        measuring.measure("transpose", c, [&] { launch_transpose(a.get(), c.get(), side, side); }));
    run.kernels.push_back(measuring.measure(
        "stencil", c, [&] { launch_stencil(a.get(), c.get(), side * sizeof(float), side, side); }));
    run.kernels.push_back(measuring.measure("tiled matrix product", c, [&] {
        launch_matrix_product(a.get(), b.get(), c.get(), matrix_side);
    }));
    run.launch = measuring.launch_time();
    return run;
}

/// Writes or reads all of an object; false when the other end is gone.
template <typename Object, typename Transfer>
bool whole(Transfer transfer, int descriptor, Object& object) {
    auto* place = reinterpret_cast<char*>(&object);
    for (std::size_t done = 0; done < sizeof object;) {
        const ssize_t moved = transfer(descriptor, place + done, sizeof object - done);
        if (moved <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(moved);
    }
    return true;
}

void send(DeviceRun run, int descriptor) {
    std::size_t count = run.kernels.size();
    bool sent = whole(write, descriptor, count) && whole(write, descriptor, run.launch);
    for (KernelRun& kernel : run.kernels) {
        sent = sent && whole(write, descriptor, kernel);
    }
}

bool receive(DeviceRun& run, int descriptor) {
    std::size_t count = 0;
    if (!whole(read, descriptor, count) || !whole(read, descriptor, run.launch)) {
        return false;
    }
    run.kernels.resize(count);
    return std::all_of(run.kernels.begin(), run.kernels.end(),
                       [&](KernelRun& kernel) { return whole(read, descriptor, kernel); });
}

[[noreturn]] void be_the_fork(runtime::Session& session, const Setting& setting, int repetitions,
                              int descriptor) {
    int status = EXIT_FAILURE;
    try {
        setenv("VRAM_WORKERS", std::to_string(setting.workers).c_str(), 1);
        setenv("VRAM_CHECK_ACCESSES", setting.check_accesses ? "1" : "0", 1);
        send(run_here(session, repetitions), descriptor);
        status = EXIT_SUCCESS;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "vram bench device: %s\n", problem.what());
    }
    _exit(status);
}

}  // namespace

DeviceRun run_with(const Setting& setting, int repetitions) {
    static runtime::Session* const session = vram_claim_session();
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::runtime_error("no pipe");
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_the_fork(*session, setting, repetitions, ends[1]);
    }
    close(ends[1]);
    DeviceRun run;
    const bool received = child > 0 && receive(run, ends[0]);
    close(ends[0]);
    int status = 0;
    if (child > 0) {
        waitpid(child, &status, 0);
    }
    if (!received || status != 0) {
        throw std::runtime_error("a measuring process did not come to its end");
    }
    return run;
}

}  // namespace vram::bench
