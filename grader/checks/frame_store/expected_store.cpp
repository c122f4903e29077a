#include "grader/checks/frame_store/expected_store.h"

#include <algorithm>
#include <utility>

#include "grader/checks/support/device_access.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/story.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {

namespace {

std::string size_text(int width, int height) {
    return std::to_string(width) + " x " + std::to_string(height);
}

std::string slot_name(int slot) {
    return "slots[" + std::to_string(slot) + "]";
}

bool has_size(const Frame& frame, const Picture& picture) {
    return frame.width == picture.width && frame.height == picture.height;
}

bool judge_size(const Frame& frame, const Picture& picture, const std::string& name,
                const std::string& after_what, const Moment& since, const std::string& why) {
    if (has_size(frame, picture)) {
        return true;
    }
    fail(Story("wrong-size", "After " + after_what + ", " + name + " has the wrong size.")
             .steps_after(since.call())
             .expected(name + " is " + picture.size_text())
             .found(name + " is " + size_text(frame.width, frame.height))
             .why(why));
    return false;
}

/// The staging buffer has room for `bytes` bytes. Memory that the ledger does not know by name is
/// nobody's mistake.
bool judge_staging(const std::uint8_t* staging, std::size_t bytes, const std::string& after_what,
                   const Moment& since, const std::string& why) {
    using runtime::Place;
    const runtime::ClassifiedPointer place = session().classify(staging);
    const std::size_t block = session().allocation(place.allocation).bytes;
    const bool gone = place.place == Place::freed_base || place.place == Place::null;
    const bool too_small = (place.place == Place::base || place.place == Place::interior) &&
                           block - place.offset < bytes;
    if (!gone && !too_small) {
        return true;
    }
    Story story("wrong-size", "After " + after_what +
                                  (gone ? ", there is no staging buffer: its address is that of a "
                                          "freed block, or null."
                                        : ", the staging buffer is smaller than the front frame."));
    story.life_of(place.allocation).steps_after(since.call());
    fail(story.expected("a staging buffer of " + std::to_string(bytes) + " bytes")
             .found(gone ? std::string(runtime::place_name(place.place))
                         : std::to_string(block - place.offset) + " bytes")
             .why(why));
    return false;
}

}  // namespace

std::string Picture::size_text() const {
    return checks::size_text(width, height);
}

Picture noise(int width, int height, std::uint32_t seed) {
    Picture picture{width, height, {}};
    picture.pixels.resize(picture.bytes());
    std::uint32_t state = seed * 2654435761u + static_cast<std::uint32_t>(width);
    for (std::uint8_t& pixel : picture.pixels) {
        state = state * 1664525u + 1013904223u;
        pixel = static_cast<std::uint8_t>(state >> 24);
    }
    return picture;
}

bool is_empty(const Frame& frame) {
    return frame.pixels == nullptr && frame.width == 0 && frame.height == 0;
}

bool judge_block(const std::uint8_t* pixels, std::size_t bytes, const std::string& name,
                 const Moment& since, const std::string& why) {
    if (!read_device_array<std::uint8_t>(pixels, bytes).empty()) {
        return true;
    }
    const runtime::ClassifiedPointer place = session().classify(pixels);
    const bool too_small =
        place.place == runtime::Place::base || place.place == runtime::Place::interior;
    Story story("lost-picture",
                too_small ? "The block of " + name + " is smaller than its picture of " +
                                std::to_string(bytes) + " bytes."
                          : "The pixels of " + name + " are gone: its address " +
                                (pixels == nullptr ? "is null"
                                                   : std::string("points to ") +
                                                         runtime::place_name(place.place)) +
                                ".");
    story.life_of(place.allocation);
    if (place.allocation == 0) {
        story.steps_after(since.call());
    } else {
        story.show(name + " still points to it");
    }
    fail(story.expected(name + " keeps its picture").why(why));
    return false;
}

bool judge_pixels(const std::uint8_t* pixels, const std::vector<std::uint8_t>& wanted,
                  const std::string& name, const Moment& since, const std::string& why) {
    if (!judge_block(pixels, wanted.size(), name, since, why)) {
        return false;
    }
    const auto actual = read_device_array<std::uint8_t>(pixels, wanted.size());
    return judge_contents(actual.data(), wanted.data(), wanted.size(), 1, name, since, why);
}

void ExpectedStore::made(int width, int height) {
    *this = ExpectedStore();
    resized(width, height);
}

void ExpectedStore::pushed(const Picture& picture) {
    previous_ = std::exchange(front_, picture);
    back_is_black_ = false;
}

void ExpectedStore::restored(int slot) {
    front_ = *std::exchange(slots_[slot], std::nullopt);
}

void ExpectedStore::resized(int width, int height) {
    front_ = Picture{width, height, {}};
    front_.pixels.assign(front_.bytes(), 0);
    previous_.reset();
    back_is_black_ = true;
}

int ExpectedStore::kept() const {
    return static_cast<int>(std::count_if(slots_.begin(), slots_.end(),
                                          [](const auto& slot) { return slot.has_value(); }));
}

bool ExpectedStore::judge(const FrameStore& store, const std::string& after_what,
                          const Moment& since, const std::string& why) const {
    if (!judge_buffers(store, after_what, since, why) ||
        !judge_previous(store, after_what, since, why) ||
        !judge_slots(store, after_what, since, why)) {
        return false;
    }
    if (store.kept != kept()) {
        fail(Story("wrong-count", "After " + after_what + ", 'kept' is wrong.")
                 .steps_after(since.call())
                 .expected("kept is " + std::to_string(kept()))
                 .found("kept is " + std::to_string(store.kept))
                 .why(why));
        return false;
    }
    return true;
}

bool ExpectedStore::judge_buffers(const FrameStore& store, const std::string& after_what,
                                  const Moment& since, const std::string& why) const {
    if (!judge_block(store.front.pixels, front_.bytes(), "front", since, why) ||
        !judge_block(store.back.pixels, front_.bytes(), "back", since, why) ||
        !judge_size(store.front, front_, "front", after_what, since, why) ||
        !judge_size(store.back, front_, "back", after_what, since, why) ||
        !judge_staging(store.staging, front_.bytes(), after_what, since, why) ||
        !judge_pixels(store.front.pixels, front_.pixels, "front", since, why)) {
        return false;
    }
    if (store.front.pixels == store.back.pixels) {
        fail(Story("two-owners", "After " + after_what + ", front and back are one block.")
                 .steps_after(since.call())
                 .expected("two blocks that swap")
                 .why(why));
        return false;
    }
    const std::vector<std::uint8_t> black(front_.bytes(), 0);
    return !back_is_black_ || judge_pixels(store.back.pixels, black, "back", since, why);
}

bool ExpectedStore::judge_previous(const FrameStore& store, const std::string& after_what,
                                   const Moment& since, const std::string& why) const {
    const Frame& previous = store.previous;
    if (!previous_) {
        if (is_empty(previous)) {
            return true;
        }
        Story story("not-emptied", "After " + after_what +
                                       ", 'previous' still holds something, and no picture "
                                       "was pushed since the frames were made.");
        story.life_of(session().classify(previous.pixels).allocation);
        fail(story.expected("'previous' is empty").why(why));
        return false;
    }
    if (previous.pixels != store.back.pixels || !has_size(previous, *previous_)) {
        Story story("wrong-previous", "After " + after_what +
                                          ", 'previous' is no longer the memory "
                                          "of 'back'.");
        story.life_of(session().classify(previous.pixels).allocation).steps_after(since.call());
        fail(story
                 .expected("'previous' is what was in front before the last push, in the memory of "
                           "'back'")
                 .found("previous.pixels is " + address_text(previous.pixels) +
                        ", back.pixels is " + address_text(store.back.pixels))
                 .why(why));
        return false;
    }
    return judge_pixels(previous.pixels, previous_->pixels, "previous", since, why);
}

bool ExpectedStore::judge_slots(const FrameStore& store, const std::string& after_what,
                                const Moment& since, const std::string& why) const {
    for (int slot = 0; slot < slot_count; ++slot) {
        const Frame& frame = store.slots[slot];
        const std::string name = slot_name(slot);
        if (!slots_[slot]) {
            if (is_empty(frame)) {
                continue;
            }
            fail(Story("not-emptied",
                       "After " + after_what + ", " + name + " still holds something.")
                     .steps_after(since.call())
                     .expected(name + " is empty: a null pointer and zero sizes")
                     .why(why));
            return false;
        }
        if (!judge_block(frame.pixels, slots_[slot]->bytes(), name, since, why) ||
            !judge_size(frame, *slots_[slot], name, after_what, since, why) ||
            !judge_pixels(frame.pixels, slots_[slot]->pixels, name, since, why)) {
            return false;
        }
        if (frame.pixels == store.front.pixels || frame.pixels == store.back.pixels) {
            fail(Story("two-owners", "After " + after_what + ", " + name + " is the block of " +
                                         (frame.pixels == store.front.pixels ? "front" : "back") +
                                         ".")
                     .steps_after(since.call())
                     .expected("a kept picture has a block of its own")
                     .why(why));
            return false;
        }
    }
    return true;
}

}  // namespace vram::checks
