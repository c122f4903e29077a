// The allocators that a trace is played against.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "grader/bench/pool/pool_library.h"
#include "grader/bench/pool/replay.h"
#include "grader/bench/pool/trace.h"

namespace vram::bench {

/// One allocator. Each call starts with a fresh one.
class Contestant {
  public:
    virtual ~Contestant() = default;
    virtual std::string name() const = 0;
    /// Plays the trace once, with the memory that the trace needs and room to grow. The backing
    /// figures are of this run alone.
    virtual Replay run(const Trace& trace) const = 0;
    /// The most memory that the last run reserved, in bytes.
    virtual std::size_t peak_reserved_bytes() const;
    /// Can be told how much it may reserve.
    virtual bool has_limit() const { return false; }
    /// Plays the trace within `bytes` reserved; true when no request was refused.
    virtual bool fits(const Trace& trace, std::size_t bytes) const;
};

/// A pool with the contract of lab 13. Starts with the trace's peak and grows by 1/64 of it.
std::unique_ptr<Contestant> pool_contestant(std::string name, const PoolFunctions& functions);
/// cub::CachingDeviceAllocator with powers of two as bins, the finest it has.
std::unique_ptr<Contestant> cub_contestant();
/// cudaMalloc and cudaFree themselves; tells something on a GPU only.
std::unique_ptr<Contestant> runtime_contestant();
/// cudaMallocAsync with the release threshold at its maximum; tells something on a GPU only.
std::unique_ptr<Contestant> stream_ordered_contestant();

/// How far the pool keeps its blocks apart, aligned and in its arenas, on a trace: the first
/// operation that went wrong, as lines of text; empty when all went well.
std::vector<std::string> first_wrong_operation(const Trace& trace, const PoolFunctions& functions);

}  // namespace vram::bench
