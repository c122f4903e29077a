#include "grader/checks/pool/pool_speed.h"

#include <cuda_runtime.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "grader/checks/pool/peers.h"
#include "grader/checks/pool/pool_in_use.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {
namespace {

double thread_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Sizes log-uniform from 256 bytes to 64 KiB, the same ones in every run.
class Sizes {
  public:
    std::size_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        const auto power = static_cast<unsigned>(8 + (state_ >> 33) % 8);
        return (std::size_t{1} << power) + (state_ >> 40) % (std::size_t{1} << power);
    }
    std::size_t below(std::size_t end) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>((state_ >> 33) % end);
    }

  private:
    std::uint64_t state_ = 12345;
};

/// A pool with many live blocks, of which now one, now another is freed and replaced.
class Load {
  public:
    explicit Load(std::size_t live_blocks) : blocks_(live_blocks, nullptr) {
        for (std::size_t block = 0; block < live_blocks; ++block) {
            first_sizes_.push_back(sizes_.next());
        }
        const std::size_t total =
            std::accumulate(first_sizes_.begin(), first_sizes_.end(), std::size_t{0});
        config_ = {2 * total, total / 8, 0};
    }
    ~Load() {
        learner([&] { return pool_destroy(pool_, nullptr); });
    }
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    /// Allocates all blocks, or as many as a search allows in its time.
    [[nodiscard]] bool fill() {
        constexpr double longest = 0.25e9;
        constexpr std::size_t look_at_the_clock_after = 256;
        std::size_t live = 0;
        const double start = thread_nanoseconds();
        const bool went_well = learner([&] {
            bool all = pool_create(&config_, &pool_) == PoolStatus::ok;
            while (
                all && live < blocks_.size() &&
                (live % look_at_the_clock_after != 0 || thread_nanoseconds() - start < longest)) {
                all = pool_allocate(pool_, first_sizes_[live], &blocks_[live]) == PoolStatus::ok;
                live += all;
            }
            return all;
        });
        blocks_.resize(live);
        return judge(went_well && live > 0);
    }

    std::size_t live_blocks() const { return blocks_.size(); }

    /// Replaces blocks all over the pool; nanoseconds of the learner's code for a pair.
    [[nodiscard]] bool round(double* nanoseconds_per_pair) {
        const double start = thread_nanoseconds();
        const bool went_well = learner([&] {
            bool all = true;
            for (std::size_t pair = 0; pair < pairs; ++pair) {
                void*& block = blocks_[sizes_.below(blocks_.size())];
                all &= pool_free(pool_, block) == PoolStatus::ok;
                all &= pool_allocate(pool_, sizes_.next(), &block) == PoolStatus::ok;
            }
            return all;
        });
        *nanoseconds_per_pair = (thread_nanoseconds() - start) / static_cast<double>(pairs);
        return judge(went_well);
    }

    static constexpr std::size_t pairs = 500;

  private:
    bool judge(bool went_well) const {
        if (!went_well && !failed()) {
            fail(Story("request-refused", "A busy pool refused a request or a free.")
                     .step(std::to_string(blocks_.size()) +
                           " blocks of 256 bytes to 64 KiB, in an arena twice as large")
                     .expected("ok from each call: the pool may grow without limit"));
        }
        return went_well;
    }

    Pool* pool_ = nullptr;
    PoolConfig config_;
    Sizes sizes_;
    std::vector<std::size_t> first_sizes_;
    std::vector<void*> blocks_;
};

/// Looks at blocks of which none fits, as a pool does that searches: the yardstick for one that does.
class Search {
  public:
    explicit Search(std::size_t blocks) : sizes_(blocks, 256) {}

    /// Nanoseconds for a look at one block.
    double round() {
        constexpr int searches = 16;
        const double start = thread_nanoseconds();
        for (int search = 0; search < searches; ++search) {
            const std::size_t wanted = 512 + static_cast<std::size_t>(search);
            const auto fits = std::find_if(sizes_.begin(), sizes_.end(),
                                           [&](std::size_t size) { return size >= wanted; });
            found_ = fits != sizes_.end();
        }
        return (thread_nanoseconds() - start) / (searches * static_cast<double>(sizes_.size()));
    }

  private:
    std::vector<std::size_t> sizes_;
    volatile bool found_ = false;
};

constexpr double a_lot = std::numeric_limits<double>::max();

/// Each time is the least of some rounds.
struct Costs {
    double few_live = a_lot;   ///< nanoseconds a pair
    double many_live = a_lot;  ///< nanoseconds a pair
    double look = a_lot;       ///< nanoseconds for a look at one block
    std::size_t few = 0;       ///< blocks live
    std::size_t many = 0;
    double calls_per_pair = 0;             ///< runtime calls that reach the device
    double call_nanoseconds_per_pair = 0;  ///< what they take on the virtual clock

    /// How many blocks a pair looks at for each further block that is live: about 0 for a pool that
    /// finds its place directly.
    double looks_per_block() const {
        return (many_live - few_live) / static_cast<double>(many - few) / look;
    }
};

std::uint64_t calls_so_far() {
    std::uint64_t calls = 0;
    for (const char* name : {"cudaMalloc", "cudaFree", "cudaMallocAsync", "cudaFreeAsync",
                             "cudaMallocManaged", "cudaMemset", "cudaMemsetAsync", "cudaMemcpy",
                             "cudaMemcpyAsync", "cudaMemGetInfo", "cudaDeviceSynchronize",
                             "cudaStreamSynchronize", "cudaEventRecord", "cudaEventSynchronize"}) {
        calls += session().count(runtime::entry_of(name));
    }
    return calls;
}

/// A pool that searches its blocks looks at most of them, or at every other one.
constexpr double surely_no_search = 0.25;
constexpr double surely_a_search = 0.75;

bool is_between(double looks) {
    return looks > surely_no_search && looks < surely_a_search;
}

/// Measures in turns, so that whatever else the machine does meets all alike. A result between the
/// bounds is measured for longer: the least of more rounds is nearer to the truth.
[[nodiscard]] bool measure(Costs* costs) {
    constexpr std::size_t times_as_many = 10;
    Load large(20'000);
    if (!large.fill()) {
        return false;
    }
    costs->many = large.live_blocks();
    Load small(costs->many / times_as_many + 1);
    double ignored = 0;
    if (!small.fill() || !small.round(&ignored) || !large.round(&ignored)) {
        return false;
    }
    costs->few = small.live_blocks();
    Search search(costs->many);
    constexpr int rounds = 80;
    constexpr double longest = 0.25e9;
    constexpr double longest_when_between = 1.5e9;
    const double start = thread_nanoseconds();
    const std::uint64_t calls_before = calls_so_far();
    const std::uint64_t clock_before = session().virtual_nanoseconds();
    int done = 0;
    const auto go_on = [&] {
        const double spent = thread_nanoseconds() - start;
        return done < 2 || (done < rounds && spent < longest) ||
               (is_between(costs->looks_per_block()) && spent < longest_when_between);
    };
    while (go_on()) {
        double small_cost = 0;
        double large_cost = 0;
        if (!small.round(&small_cost) || !large.round(&large_cost)) {
            return false;
        }
        costs->few_live = std::min(costs->few_live, small_cost);
        costs->many_live = std::min(costs->many_live, large_cost);
        costs->look = std::min(costs->look, search.round());
        ++done;
    }
    const double pairs_done = 2.0 * static_cast<double>(Load::pairs) * done;
    costs->calls_per_pair = static_cast<double>(calls_so_far() - calls_before) / pairs_done;
    costs->call_nanoseconds_per_pair =
        static_cast<double>(session().virtual_nanoseconds() - clock_before) / pairs_done;
    return true;
}

/// What the driver's own pool takes for a pair on the virtual clock, when it has memory at hand.
double drivers_nanoseconds_per_pair() {
    constexpr int pairs = 8;
    constexpr std::size_t bytes = 4096;
    std::uint64_t least = UINT64_MAX;
    for (int pair = 0; pair < pairs; ++pair) {
        const std::uint64_t before = session().virtual_nanoseconds();
        void* block = nullptr;
        cudaMallocAsync(&block, bytes, nullptr);
        cudaFreeAsync(block, nullptr);
        least = std::min(least, session().virtual_nanoseconds() - before);
    }
    return static_cast<double>(least);
}

/// The calls are what a pool is there to save: next to none while its arenas have room. They are
/// counted; and the virtual clock knows what each of them costs.
[[nodiscard]] bool judge_calls(const Costs& costs) {
    constexpr double most_calls = 0.1;
    constexpr double most_of_drivers_pair = 0.25;
    char found[200];
    bool saved = costs.calls_per_pair <= most_calls;
    if (on_virtual_gpu()) {
        const double drivers = drivers_nanoseconds_per_pair();
        saved = saved && costs.call_nanoseconds_per_pair <= most_of_drivers_pair * drivers;
        std::snprintf(found, sizeof found,
                      "%.2f calls a pair, which take %.0f ns on the virtual clock; cudaMallocAsync "
                      "and cudaFreeAsync take %.0f ns",
                      costs.calls_per_pair, costs.call_nanoseconds_per_pair, drivers);
    } else {
        std::snprintf(found, sizeof found, "%.2f calls a pair", costs.calls_per_pair);
    }
    if (!saved) {
        fail(Story("backing-calls",
                   "The pool calls the runtime again and again while its arenas have room.")
                 .expected("next to none once the pool is large enough")
                 .found(found)
                 .why("these calls are what a pool is there to save"));
    }
    return saved;
}

std::string cost_text(const Costs& costs) {
    char text[200];
    std::snprintf(
        text, sizeof text,
        "a pair costs %.0f ns with %zu blocks live and %.0f ns with %zu; for each further "
        "block it takes as long as looking at %.1f of them",
        costs.few_live, costs.few, costs.many_live, costs.many, costs.looks_per_block());
    return text;
}

/// The share by the growth of the cost; nothing when it can't be told.
std::optional<double> share_by_growth(const Costs& costs) {
    constexpr double share_of_searching_pools = 0.5;
    const double looks = costs.looks_per_block();
    if (is_between(looks)) {
        return std::nullopt;
    }
    return looks <= surely_no_search ? 1 : share_of_searching_pools;
}

/// The share by comparison with other allocators, measured in this very run.
double share_among_peers(double pool_cost, std::string* words) {
    const PeerCosts peers = measure_peers();
    char text[160];
    std::snprintf(text, sizeof text,
                  "a pair costs %.0f ns; cub %.0f, cudaMallocAsync %.0f, cudaMalloc %.0f",
                  pool_cost, peers.cub, peers.cuda_malloc_async, peers.cuda_malloc);
    *words = text;
    if (pool_cost <= std::max(peers.cub, peers.cuda_malloc_async)) {
        return 1;
    }
    constexpr double share_before_cuda_malloc = 0.5;
    constexpr double share_behind_cuda_malloc = 0.25;
    return pool_cost <= peers.cuda_malloc ? share_before_cuda_malloc : share_behind_cuda_malloc;
}

}  // namespace

void judge_speed() {
    Costs costs;
    if (!measure(&costs)) {
        return;
    }
    if (!judge_calls(costs)) {
        return;
    }
    const std::optional<double> by_growth = share_by_growth(costs);
    if (!by_growth) {
        inconclusive("whether the pool searches can't be told: " + cost_text(costs));
        return;
    }
    double share = *by_growth;
    std::string words = cost_text(costs);
    if (!on_virtual_gpu()) {
        std::string against_peers;
        share = std::min(share, share_among_peers(costs.few_live, &against_peers));
        words += "; " + against_peers;
    }
    award(share);
    if (share < 1) {
        remark("speed: " + words);
    }
}

}  // namespace vram::checks
