// Which addresses are whose: what an allocator handed out, kept by somebody else than the
// allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vram::bench {

/// Addresses [begin, begin + bytes).
struct Stretch {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::string name;  ///< "block 12"

    std::uintptr_t end() const { return begin + bytes; }
    bool overlaps(const Stretch& other) const { return begin < other.end() && other.begin < end(); }
    bool contains(const Stretch& other) const {
        return begin <= other.begin && other.end() <= end();
    }
};

/// Live blocks, none of which overlap.
class LiveMap {
  public:
    /// The lowest live block that shares bytes with `stretch`.
    std::optional<Stretch> overlapping(const Stretch& stretch) const;
    /// `stretch` must overlap no other.
    void add(const Stretch& stretch) { blocks_[stretch.begin] = stretch; }
    void remove(std::uintptr_t begin) { blocks_.erase(begin); }
    bool empty() const { return blocks_.empty(); }
    std::size_t size() const { return blocks_.size(); }

    /// The neighbourhood of `stretch` within `arena` as lines of text, lowest address first: up to
    /// three blocks on either side, the gaps between them, and a mark at `stretch` itself.
    std::vector<std::string> picture(const Stretch& arena, const Stretch& stretch) const;

  private:
    std::map<std::uintptr_t, Stretch> blocks_;
};

/// "64 KiB", "1.5 MiB", "300 bytes": exact for whole units, one decimal otherwise.
std::string bytes_text(std::size_t bytes);
/// "0x7f0000000400".
std::string address_text(std::uintptr_t address);

}  // namespace vram::bench
