#include "grader/bench/pool/contestants.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>

#include "grader/bench/pool/backing.h"
#include "grader/bench/pool/live_map.h"

namespace vram::bench {
namespace {

class PoolUnderTest {
  public:
    PoolUnderTest(const PoolFunctions& functions, const PoolConfig& config)
        : functions_(functions) {
        if (functions_.create(&config, &pool_) != PoolStatus::ok) {
            pool_ = nullptr;
        }
    }
    ~PoolUnderTest() { functions_.destroy(pool_, nullptr); }
    PoolUnderTest(const PoolUnderTest&) = delete;
    PoolUnderTest& operator=(const PoolUnderTest&) = delete;

    void* allocate(std::size_t bytes) {
        void* block = nullptr;
        return functions_.allocate(pool_, bytes, &block) == PoolStatus::ok ? block : nullptr;
    }
    void free(void* block) { (void)functions_.free(pool_, block); }

  private:
    const PoolFunctions& functions_;
    Pool* pool_ = nullptr;
};

constexpr std::size_t growth_parts = 64;

class PoolContestant final : public Contestant {
  public:
    PoolContestant(std::string name, const PoolFunctions& functions)
        : name_(std::move(name)), functions_(functions) {}
    std::string name() const override { return name_; }
    Replay run(const Trace& trace) const override {
        reset_backing_figures();
        PoolUnderTest pool(functions_,
                           {trace.most_live_bytes, trace.most_live_bytes / growth_parts, 0});
        return replay(trace, pool);
    }
    bool has_limit() const override { return true; }
    bool fits(const Trace& trace, std::size_t bytes) const override {
        PoolUnderTest pool(functions_, {bytes, 0, bytes});
        return replay(trace, pool).refused == 0;
    }

  private:
    std::string name_;
    PoolFunctions functions_;
};

class RuntimeCalls {
  public:
    void* allocate(std::size_t bytes) {
        void* block = nullptr;
        return cudaMalloc(&block, bytes) == cudaSuccess ? block : nullptr;
    }
    void free(void* block) { cudaFree(block); }
};

class RuntimeContestant final : public Contestant {
  public:
    std::string name() const override { return "cudaMalloc"; }
    Replay run(const Trace& trace) const override {
        reset_backing_figures();
        RuntimeCalls calls;
        return replay(trace, calls);
    }
};

class StreamOrderedCalls {
  public:
    void* allocate(std::size_t bytes) {
        void* block = nullptr;
        return cudaMallocAsync(&block, bytes, nullptr) == cudaSuccess ? block : nullptr;
    }
    void free(void* block) { cudaFreeAsync(block, nullptr); }
};

class StreamOrderedContestant final : public Contestant {
  public:
    StreamOrderedContestant() {
        std::uint64_t keep_everything = UINT64_MAX;
        cudaDeviceGetDefaultMemPool(&pool_, 0);
        cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_everything);
    }
    std::string name() const override { return "cudaMallocAsync"; }
    Replay run(const Trace& trace) const override {
        std::uint64_t nothing = 0;
        cudaMemPoolTrimTo(pool_, 0);
        cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &nothing);
        reset_backing_figures();
        StreamOrderedCalls calls;
        const Replay result = replay(trace, calls);
        cudaDeviceSynchronize();
        cudaMemPoolTrimTo(pool_, 0);
        return result;
    }
    std::size_t peak_reserved_bytes() const override {
        std::uint64_t bytes = 0;
        cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &bytes);
        return bytes;
    }

  private:
    cudaMemPool_t pool_ = nullptr;
};

}  // namespace

std::size_t Contestant::peak_reserved_bytes() const {
    return backing_figures().peak_reserved_bytes;
}

bool Contestant::fits(const Trace& /*trace*/, std::size_t /*bytes*/) const {
    return false;
}

std::unique_ptr<Contestant> pool_contestant(std::string name, const PoolFunctions& functions) {
    return std::make_unique<PoolContestant>(std::move(name), functions);
}
std::unique_ptr<Contestant> runtime_contestant() {
    return std::make_unique<RuntimeContestant>();
}
std::unique_ptr<Contestant> stream_ordered_contestant() {
    return std::make_unique<StreamOrderedContestant>();
}

std::vector<std::string> first_wrong_operation(const Trace& trace, const PoolFunctions& functions) {
    const PoolConfig config{trace.most_live_bytes, trace.most_live_bytes / growth_parts, 0};
    PoolUnderTest pool(functions, config);
    LiveMap live;
    std::vector<void*> blocks(trace.slots, nullptr);
    std::size_t number = 0;
    for (const Operation& operation : trace.operations) {
        ++number;
        void*& block = blocks[operation.slot];
        if (operation.kind == Operation::Kind::free) {
            live.remove(reinterpret_cast<std::uintptr_t>(block));
            pool.free(block);
            continue;
        }
        const std::string request =
            "operation " + std::to_string(number) + ", a request of " + bytes_text(operation.bytes);
        block = pool.allocate(operation.bytes);
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        const Stretch stretch{address, operation.bytes, "operation " + std::to_string(number)};
        if (block == nullptr) {
            return {request + ", was refused although the pool may grow without limit"};
        }
        if (address % pool_alignment != 0) {
            return {request + ", got " + address_text(address) + ", which is no multiple of 256"};
        }
        const auto arena = allocation_around(block);
        if (!arena || !arena->contains(stretch)) {
            return {request + ", got " + address_text(address) + ", which lies in no arena"};
        }
        if (const auto other = live.overlapping(stretch)) {
            std::vector<std::string> lines = {request + ", shares bytes with the block of " +
                                              other->name};
            for (std::string& line : live.picture(*arena, stretch)) {
                lines.push_back("  " + std::move(line));
            }
            return lines;
        }
        live.add(stretch);
    }
    return {};
}

}  // namespace vram::bench
