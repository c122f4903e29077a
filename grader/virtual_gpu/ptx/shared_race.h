// Finds pairs of accesses to shared memory that no barrier orders. Opt-in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vram::virtual_gpu::ptx {

enum class SharedAccess : std::uint8_t { read, write, atomic };

/// Watches one block. Two accesses to a byte by different threads collide if at least one writes,
/// they are not both atomic, and no barrier of the block lies between them. Threads of one warp
/// are ordered by bar.warp.sync too. Writing the value that is there already collides with nothing.
class SharedRaceDetector {
  public:
    explicit SharedRaceDetector(std::uint32_t shared_bytes, std::uint32_t warps);

    struct Collision {
        std::uint32_t other_thread = 0;
        bool other_wrote = false;
    };
    /// The collision of this access with an earlier one, if there is one.
    std::optional<Collision> access(std::uint32_t thread, std::uint32_t offset, unsigned size,
                                    SharedAccess access);
    void block_barrier() { ++block_epoch_; }
    void warp_barrier(std::uint32_t warp) { ++warp_epochs_[warp]; }

  private:
    struct Mark {
        std::uint32_t block_epoch = 0;  ///< 0: never
        std::uint32_t warp_epoch = 0;
        std::uint32_t thread = 0;
        bool atomic = false;
    };
    struct Cell {
        Mark writer;
        Mark reader;
        Mark other_reader;  ///< a reader from another thread than `reader`
    };

    bool collides(const Mark& mark, std::uint32_t thread, bool atomic) const;
    Mark mark_of(std::uint32_t thread, bool atomic) const;

    std::vector<Cell> cells_;
    std::vector<std::uint32_t> warp_epochs_;
    std::uint32_t block_epoch_ = 1;
};

}  // namespace vram::virtual_gpu::ptx
