#include "grader/bench/pool/generators.h"

#include <algorithm>
#include <cmath>

namespace vram::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// SplitMix64: the standard distributions differ from library to library, these numbers do not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
        return bits ^ (bits >> 31);
    }
    /// Uniform in [low, high].
    std::size_t between(std::size_t low, std::size_t high) {
        return low + static_cast<std::size_t>(next() % (high - low + 1));
    }
    /// From low to high, each power of two equally likely.
    std::size_t log_uniform(std::size_t low, std::size_t high) {
        const double position = static_cast<double>(next() >> 11) / 9007199254740992.0;
        const double ratio = static_cast<double>(high) / static_cast<double>(low);
        return static_cast<std::size_t>(static_cast<double>(low) * std::pow(ratio, position));
    }

  private:
    std::uint64_t state_;
};

using Slots = std::vector<std::uint32_t>;

std::uint32_t take_any(Slots& slots, Random& random) {
    std::swap(slots[random.between(0, slots.size() - 1)], slots.back());
    const std::uint32_t slot = slots.back();
    slots.pop_back();
    return slot;
}

/// Keeps about `size.live_blocks` blocks: a request follows each free of a random block, and now
/// and then the number sinks by a fifth and rises again, as load does.
template <class DrawSize>
Trace random_lifetimes(const char* name, const TraceSize& size, DrawSize draw_size) {
    Random random(size.seed);
    TraceBuilder trace(name);
    Slots live;
    std::size_t wanted = size.live_blocks;
    while (trace.operations() + live.size() < size.operations) {
        while (live.size() < wanted) {
            live.push_back(trace.allocate(draw_size(random)));
        }
        while (live.size() > wanted) {
            trace.free(take_any(live, random));
        }
        for (std::size_t turn = 0; turn < size.live_blocks / 2; ++turn) {
            trace.free(take_any(live, random));
            live.push_back(trace.allocate(draw_size(random)));
        }
        wanted = size.live_blocks - random.between(0, size.live_blocks / 5);
    }
    return trace.finish();
}

}  // namespace

Trace training_steps(const TraceSize& size) {
    constexpr std::size_t kept_per_layer = 8;
    constexpr std::size_t weights_per_layer = 12;
    constexpr std::size_t hidden = 512;
    constexpr std::size_t batch = 4;
    Random random(size.seed);
    TraceBuilder trace("training");
    const std::size_t layers =
        std::max<std::size_t>(1, size.live_blocks / (kept_per_layer + weights_per_layer));
    for (std::size_t weight = 0; weight < layers * weights_per_layer; ++weight) {
        // Matrices with their gradients and moments, then the small vectors between them.
        trace.allocate(weight % 3 == 2 ? hidden * 4 : hidden * hidden * (1 + weight % 4) * 4);
    }
    while (trace.operations() + trace.live_blocks() < size.operations) {
        const std::size_t tokens = batch * 64 * random.between(2, 32);
        Slots kept;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            const std::uint32_t scores = trace.allocate(tokens * 8 * 4);
            for (std::size_t tensor = 0; tensor < kept_per_layer; ++tensor) {
                const std::size_t width = tensor == 3 || tensor == 4 ? 4 * hidden
                                          : tensor == 7              ? 2
                                                                     : hidden;
                kept.push_back(trace.allocate(tokens * width * 2));
                if (tensor == 2) {
                    trace.free(scores);
                }
            }
        }
        while (!kept.empty()) {
            const std::uint32_t gradient = trace.allocate(tokens * hidden * 2);
            trace.free(kept.back());
            kept.pop_back();
            trace.free(gradient);
        }
    }
    return trace.finish();
}

Trace growing_caches(const TraceSize& size) {
    constexpr std::size_t bytes_per_token = 2 * kib;
    constexpr std::size_t tokens_per_step = 64;
    struct Request {
        std::uint32_t cache;
        std::uint32_t scratch;
        std::size_t tokens;
        std::size_t last_token;
    };
    Random random(size.seed);
    TraceBuilder trace("inference");
    std::vector<Request> running;
    const std::size_t requests = std::max<std::size_t>(1, size.live_blocks / 2);
    while (trace.operations() + trace.live_blocks() < size.operations) {
        while (running.size() < requests) {
            const std::size_t prompt = random.log_uniform(16, 1024);
            Request request{};
            request.tokens = prompt;
            request.last_token = prompt + random.log_uniform(32, 1024);
            request.cache = trace.allocate(prompt * bytes_per_token);
            request.scratch = trace.allocate(4 * kib * random.between(1, 16));
            running.push_back(request);
        }
        for (std::size_t turn = 0; turn < requests && !running.empty(); ++turn) {
            const std::size_t chosen = random.between(0, running.size() - 1);
            Request& request = running[chosen];
            request.tokens += tokens_per_step;
            if (request.tokens < request.last_token) {
                const std::uint32_t larger = trace.allocate(request.tokens * bytes_per_token);
                trace.free(request.cache);
                request.cache = larger;
                continue;
            }
            trace.free(request.cache);
            trace.free(request.scratch);
            request = running.back();
            running.pop_back();
        }
    }
    return trace.finish();
}

Trace next_batches(const TraceSize& size) {
    Random random(size.seed);
    TraceBuilder trace("batches");
    const std::size_t buffers = std::max<std::size_t>(1, size.live_blocks / 2);
    std::vector<std::size_t> usual_bytes(buffers);
    for (std::size_t& bytes : usual_bytes) {
        bytes = random.log_uniform(4 * kib, 8 * mib);
    }
    Slots current;
    while (trace.operations() + 2 * buffers < size.operations) {
        const std::size_t percent = random.between(90, 110);
        Slots next;
        for (const std::size_t bytes : usual_bytes) {
            next.push_back(trace.allocate(bytes * percent / 100));
            if (!current.empty() && next.size() > buffers / 2) {
                trace.free(take_any(current, random));
            }
        }
        while (!current.empty()) {
            trace.free(take_any(current, random));
        }
        current.swap(next);
    }
    return trace.finish();
}

Trace etl_columns(const TraceSize& size) {
    return random_lifetimes("etl", size,
                            [](Random& random) { return random.log_uniform(256, 4 * mib); });
}

Trace combs(const TraceSize& size) {
    Random random(size.seed);
    TraceBuilder trace("comb");
    const std::size_t teeth = std::max<std::size_t>(2, size.live_blocks);
    while (trace.operations() + teeth < size.operations) {
        const std::size_t tooth = random.log_uniform(kib, 256 * kib);
        Slots row;
        for (std::size_t index = 0; index < teeth; ++index) {
            row.push_back(trace.allocate(index % 2 == 0 ? tooth : tooth / 4 + 1));
        }
        for (std::size_t index = 0; index < teeth; index += 2) {
            trace.free(row[index]);
        }
        Slots larger;
        for (std::size_t index = 0; index < teeth / 8; ++index) {
            larger.push_back(trace.allocate(tooth + random.between(1, tooth / 2)));
        }
        for (const std::uint32_t slot : larger) {
            trace.free(slot);
        }
        for (std::size_t index = 1; index < teeth; index += 2) {
            trace.free(row[index]);
        }
    }
    return trace.finish();
}

Trace uniform_mix(const TraceSize& size) {
    return random_lifetimes("uniform", size,
                            [](Random& random) { return random.between(mib, 64 * mib); });
}

Trace hot_pair(const TraceSize& size) {
    Random random(size.seed);
    TraceBuilder trace("hot pair");
    Slots around;
    for (std::size_t index = 0; index < size.live_blocks; ++index) {
        around.push_back(trace.allocate(random.log_uniform(256, mib)));
    }
    for (std::size_t index = 0; index < size.live_blocks / 4; ++index) {
        trace.free(take_any(around, random));
    }
    while (trace.operations() + around.size() < size.operations) {
        trace.free(trace.allocate(64 * kib));
    }
    return trace.finish();
}

std::vector<Trace> general_traces(const TraceSize& size) {
    return {training_steps(size), growing_caches(size), next_batches(size),
            etl_columns(size),    combs(size),          uniform_mix(size)};
}

}  // namespace vram::bench
