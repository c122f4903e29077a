// What a frame store has to hold after each of its operations, kept in host memory beside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/checks/support/learner.h"
#include "labs/06-double-free/frame_store.h"

namespace vram::checks {

struct Picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;

    std::size_t bytes() const { return static_cast<std::size_t>(width) * height; }
    std::string size_text() const;
};

/// Pixels that depend on the place, the size and `seed`.
Picture noise(int width, int height, std::uint32_t seed);

class ExpectedStore {
  public:
    // What the learner's store was told to do, and did.
    void made(int width, int height);
    void pushed(const Picture& picture);
    /// The pixels of the front frame were set by somebody else.
    void painted(const Picture& picture) { front_ = picture; }
    void kept_front(int slot) { slots_[slot] = front_; }
    void dropped(int slot) { slots_[slot].reset(); }
    void restored(int slot);
    void resized(int width, int height);

    /// The store holds what it has to: sizes, pixels, who shares memory with whom, the count of kept
    /// pictures and the staging buffer. `after_what` names the call that was made at `since`.
    /// Fails the running check otherwise. Diagnoses: "wrong-size", "lost-picture",
    /// "wrong-contents", "two-owners", "not-emptied", "wrong-count", "wrong-previous".
    [[nodiscard]] bool judge(const FrameStore& store, const std::string& after_what,
                             const Moment& since, const std::string& why = "") const;

  private:
    int kept() const;
    bool judge_buffers(const FrameStore& store, const std::string& after_what, const Moment& since,
                       const std::string& why) const;
    bool judge_previous(const FrameStore& store, const std::string& after_what, const Moment& since,
                        const std::string& why) const;
    bool judge_slots(const FrameStore& store, const std::string& after_what, const Moment& since,
                     const std::string& why) const;

    Picture front_;
    bool back_is_black_ = false;
    std::optional<Picture> previous_;
    std::array<std::optional<Picture>, slot_count> slots_;
};

/// Null pixels and zero sizes.
bool is_empty(const Frame& frame);

/// `pixels` is device memory of at least `bytes` bytes. Diagnosis: "lost-picture".
[[nodiscard]] bool judge_block(const std::uint8_t* pixels, std::size_t bytes,
                               const std::string& name, const Moment& since,
                               const std::string& why = "");

/// `pixels` are device memory that holds `wanted`. Diagnoses: "lost-picture", "wrong-contents".
[[nodiscard]] bool judge_pixels(const std::uint8_t* pixels, const std::vector<std::uint8_t>& wanted,
                                const std::string& name, const Moment& since,
                                const std::string& why = "");

}  // namespace vram::checks
