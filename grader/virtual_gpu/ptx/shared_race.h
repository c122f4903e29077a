// Finds pairs of accesses to shared memory that nothing orders. Opt-in.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace vram::virtual_gpu::ptx {

/// A strong access is atomic, volatile or one of the memory model's relaxed, acquire or release
/// accesses: other threads are meant to see it.
enum class SharedAccess : std::uint8_t { read, write, strong_read, strong_write, atomic };

/// Watches one block. Two accesses to a byte by different threads collide if at least one writes,
/// they are not both strong, and nothing orders them. What orders:
/// - a barrier of the block;
/// - bar.warp.sync, for the threads of a warp;
/// - strong accesses: a thread that reads a word strongly comes after all that other threads did
///   before they wrote that word strongly. Whether it saw their value is not asked, so that a flag
///   or a lock never leads to a false report.
class SharedRaceDetector {
  public:
    SharedRaceDetector(std::uint32_t shared_bytes, std::uint32_t threads);

    struct Collision {
        std::uint32_t other_thread = 0;
        bool other_wrote = false;
    };
    /// The collision of this access with an earlier one, if there is one.
    std::optional<Collision> access(std::uint32_t thread, std::uint32_t offset, unsigned size,
                                    SharedAccess access);
    /// Notes a strong access to any memory; `address` tells words apart.
    void synchronise(std::uint32_t thread, std::uint64_t address, SharedAccess access);
    void block_barrier();
    void warp_barrier(std::uint32_t warp);

  private:
    /// For each thread, up to which of its times all that it did is known to come before.
    using Clock = std::vector<std::uint32_t>;

    struct Mark {
        std::uint32_t block_epoch = 0;  ///< 0: never
        std::uint32_t time = 0;         ///< of the thread
        std::uint32_t thread = 0;
        bool strong = false;
    };
    struct Cell {
        Mark writer;
        Mark reader;
        Mark other_reader;  ///< a reader from another thread than `reader`
    };

    bool collides(const Mark& mark, std::uint32_t thread, bool strong) const;
    Mark mark_of(std::uint32_t thread, bool strong) const;
    /// Adds what `from` knows to `to`.
    static void join(Clock& to, const Clock& from);
    /// The clock with room for all threads.
    Clock& own(Clock& clock) const;

    std::vector<Cell> cells_;
    std::uint32_t threads_;
    std::vector<std::uint32_t> times_;                  ///< of each thread, from 1
    std::vector<Clock> known_;                          ///< of each thread; empty: nothing
    std::unordered_map<std::uint64_t, Clock> of_word_;  ///< known to who reads it strongly
    std::uint32_t block_epoch_ = 1;
};

}  // namespace vram::virtual_gpu::ptx
