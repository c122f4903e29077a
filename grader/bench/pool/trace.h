// What a program asked of its allocator, in order: the input of every measurement of a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vram::bench {

/// One request or one free. A free has no size.
struct Operation {
    enum class Kind : std::uint8_t { allocate, free };
    Kind kind = Kind::allocate;
    /// Which of the trace's slots holds the block. A slot is used again once its block was freed.
    std::uint32_t slot = 0;
    std::size_t bytes = 0;  ///< of an allocation; at least 1
};

struct Trace {
    std::string name;
    std::vector<Operation> operations;
    std::uint32_t slots = 0;  ///< slots are numbered from 0
    std::size_t most_live_blocks = 0;
    std::size_t most_live_bytes = 0;  ///< of the sizes asked for
    std::size_t largest_request = 0;
    std::size_t pairs = 0;  ///< frees, each of which belongs to an allocation before it
};

/// Appends operations and keeps the figures of the trace right.
class TraceBuilder {
  public:
    explicit TraceBuilder(std::string name) { trace_.name = std::move(name); }

    /// Returns the slot. `bytes` is at least 1.
    std::uint32_t allocate(std::size_t bytes);
    void free(std::uint32_t slot);
    std::size_t operations() const { return trace_.operations.size(); }
    std::size_t live_blocks() const { return live_blocks_; }
    std::size_t live_bytes() const { return live_bytes_; }

    /// Frees what is still live, the oldest slot first, and hands the trace over.
    Trace finish();
    /// Hands the trace over with what is still live.
    Trace finish_as_it_is();

  private:
    Trace trace_;
    std::vector<std::size_t> bytes_of_slot_;  ///< 0: the slot is unused
    std::vector<std::uint32_t> unused_slots_;
    std::size_t live_blocks_ = 0;
    std::size_t live_bytes_ = 0;
};

}  // namespace vram::bench
