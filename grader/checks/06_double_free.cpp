// Checks of lab 06: a frame store whose blocks are to be freed exactly once, on every path.
//
// Each check tolerates the free mistakes that another check is about, so that one bug costs the
// points of one check.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "frame_store.h"
#include "grader/checks/frame_store/expected_store.h"
#include "grader/checks/support/device_access.h"
#include "grader/checks/support/failure_sweep.h"
#include "grader/checks/support/host_buffer.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {
namespace {

using runtime::AllocationRecord;
using runtime::AllocationState;
using runtime::CallRecord;
using runtime::Family;
using runtime::Misuse;
using runtime::MisuseKind;

constexpr int width = 331;
constexpr int height = 247;
constexpr std::size_t picture_bytes = static_cast<std::size_t>(width) * height;

/// The free mistakes that this lab begins with are judged by the checks themselves. The others, an
/// address of a variable say, fail any check.
void judge_frees_here() {
    for (MisuseKind kind : {MisuseKind::double_free, MisuseKind::free_wrong_family,
                            MisuseKind::free_unknown, MisuseKind::work_after_sticky}) {
        tolerate(kind);
    }
}

FrameStore zeroed_store() {
    FrameStore store;
    std::memset(&store, 0, sizeof store);
    return store;
}

std::vector<std::uint8_t> picture(std::uint32_t seed) {
    return noise(width, height, seed).pixels;
}

cudaError_t release(FrameStore* store) {
    return learner([&] { return release_store(store); });
}

bool push(FrameStore* store, const std::vector<std::uint8_t>& pixels) {
    const Moment start;
    const cudaError_t status = learner([&] { return push_frame(store, pixels.data()); });
    return judge_status(status, cudaSuccess, "push_frame()", start);
}

bool keep(FrameStore* store, int slot) {
    const Moment start;
    const cudaError_t status = learner([&] { return keep_front(store, slot); });
    return judge_status(status, cudaSuccess, "keep_front()", start);
}

/// Puts a picture into the front frame without the learner's help.
void paint_front(const FrameStore& store, const std::vector<std::uint8_t>& pixels) {
    if (!write_device(store.front.pixels, pixels.data(), pixels.size())) {
        const Moment start;
        fail(Story("lost-picture", "The front frame of the store is no device memory of " +
                                       std::to_string(pixels.size()) + " bytes."));
    }
}

/// The learner's calls since then that gave something back, null aside.
std::vector<CallRecord> frees_since(const Moment& since) {
    std::vector<CallRecord> frees;
    for (const CallRecord& call : since.calls()) {
        if (runtime::releases(call.entry) && call.pointers[0].place != runtime::Place::null) {
            frees.push_back(call);
        }
    }
    return frees;
}

std::vector<Misuse> misuses_since(const Moment& since, MisuseKind kind) {
    std::vector<Misuse> chosen;
    for (const Misuse& misuse : session().misuses_after(since.call())) {
        if (misuse.kind == kind) {
            chosen.push_back(misuse);
        }
    }
    return chosen;
}

/// No block was freed twice since then. `first_line` is what to tell otherwise.
bool judge_no_double_free(const Moment& since, const std::string& diagnosis,
                          const std::string& first_line, const std::string& why) {
    const auto twice = misuses_since(since, MisuseKind::double_free);
    if (twice.empty()) {
        return true;
    }
    const Misuse& first = twice.front();
    fail(Story(diagnosis, first_line)
             .life_of(first.allocation)
             .step(first.call)
             .show("the address is no longer the store's")
             .expected("one free for each block")
             .found(twice.size() == 1 ? "1 free of a freed address"
                                      : std::to_string(twice.size()) + " frees of freed addresses")
             .why(why));
    return false;
}

bool is_pinned(const AllocationRecord& allocation) {
    return allocation.family == Family::pinned || allocation.family == Family::registered;
}

/// The learner's live frames made since then; the staging buffer is judged elsewhere.
std::vector<AllocationRecord> live_frames(const Moment& since) {
    std::vector<AllocationRecord> frames = since.still_live();
    frames.erase(std::remove_if(frames.begin(), frames.end(), is_pinned), frames.end());
    return frames;
}

bool judge_no_live_frames(const Moment& since, const std::string& diagnosis,
                          const std::string& first_line, const std::string& expected) {
    const auto frames = live_frames(since);
    if (frames.empty()) {
        return true;
    }
    Story story(diagnosis, first_line);
    story.step(frames.front().made_by).show("still allocated");
    fail(story.expected(expected).found(std::to_string(frames.size()) + " still allocated"));
    return false;
}

/// A store that works, of this size, with black frames.
bool judge_made(const FrameStore& store, int columns, int rows, const Moment& since) {
    const std::vector<std::uint8_t> black(static_cast<std::size_t>(columns) * rows, 0);
    if (store.front.width != columns || store.front.height != rows || store.back.width != columns ||
        store.back.height != rows || store.staging == nullptr) {
        fail(Story("not-made", "The store lacks a frame, its size or its staging buffer.")
                 .steps_after(since.call())
                 .expected("front and back of " + std::to_string(columns) + " x " +
                           std::to_string(rows) + ", and a staging buffer"));
        return false;
    }
    return judge_pixels(store.front.pixels, black, "front", since) &&
           judge_pixels(store.back.pixels, black, "back", since);
}

bool make(FrameStore* store) {
    const Moment start;
    const cudaError_t status = learner([&] { return make_store(store, width, height); });
    return judge_status(status, cudaSuccess, "make_store()", start) &&
           judge_made(*store, width, height, start);
}

/// Which member keeps the store from being empty; "" when it is.
std::string what_is_left(const FrameStore& store) {
    if (!is_empty(store.front)) {
        return "front";
    }
    if (!is_empty(store.back)) {
        return "back";
    }
    if (!is_empty(store.previous)) {
        return "previous";
    }
    for (int slot = 0; slot < slot_count; ++slot) {
        if (!is_empty(store.slots[slot])) {
            return "slots[" + std::to_string(slot) + "]";
        }
    }
    if (store.staging != nullptr) {
        return "staging";
    }
    return store.kept != 0 ? "kept" : "";
}

bool judge_emptied(const FrameStore& store, const std::string& after_what, const Moment& since) {
    const std::string left = what_is_left(store);
    if (left.empty()) {
        return true;
    }
    fail(Story("not-emptied", "After " + after_what + ", the member '" + left +
                                  "' of the store still holds something.")
             .steps_after(since.call())
             .expected("null pointers, zero sizes, kept 0")
             .why("whoever looks at the store next can't tell that this memory is gone"));
    return false;
}

/// The member that holds the address of a freed block; "" when none does.
std::string holder_of_freed_address(const FrameStore& store) {
    const auto is_freed = [](const void* address) {
        return session().classify(address).place == runtime::Place::freed_base;
    };
    if (is_freed(store.front.pixels)) {
        return "front";
    }
    if (is_freed(store.back.pixels)) {
        return "back";
    }
    return is_freed(store.staging) ? "staging" : "";
}

// ---- Release -----------------------------------------------------------------------------------

TEST(Release, SecondCallDoesNothing) {
    judge_frees_here();
    FrameStore store = zeroed_store();
    if (!make(&store) || !push(&store, picture(1))) {
        return;
    }
    release(&store);

    const Moment second;
    const cudaError_t status = release(&store);
    const auto frees = frees_since(second);
    if (!frees.empty()) {
        const CallRecord& again = frees.front();
        fail(Story("double-free",
                   "The second release_store() freed an address that the first one "
                   "had freed already.")
                 .life_of(again.pointers[0].allocation)
                 .step(again)
                 .show("freed before, still stored here")
                 .expected("the second release_store() frees nothing and returns cudaSuccess")
                 .found(std::to_string(frees.size()) + " frees in the second call")
                 .why("once freed, an address can belong to somebody else: the next free is "
                      "theirs"));
        return;
    }
    if (!judge_status(status, cudaSuccess, "the second release_store()", second)) {
        return;
    }
    if (!judge_emptied(store, "release_store()", second)) {
        return;
    }

    FrameStore never_filled = zeroed_store();
    const Moment empty;
    const cudaError_t empty_status = release(&never_filled);
    EXPECT_TRUE(
        judge_status(empty_status, cudaSuccess, "release_store() of an empty store", empty));
}

TEST(Release, ReturnsTheStagingBuffer) {
    judge_frees_here();
    FrameStore store = zeroed_store();
    const Moment start;
    if (!make(&store)) {
        return;
    }
    const cudaError_t resized = learner([&] { return resize_store(&store, width + 9, height); });
    const runtime::ClassifiedPointer staging = session().classify(store.staging);
    const Moment releasing;
    const cudaError_t status = release(&store);

    for (const Misuse& misuse : misuses_since(start, MisuseKind::free_wrong_family)) {
        const Family family = session().allocation(misuse.allocation).family;
        fail(story_of(misuse)
                 .expected("memory from " + std::string(runtime::family_name(family)) +
                           " goes back through " + runtime::releasing_call(family))
                 .why("the wrong call returns an error, and the memory stays allocated"));
        return;
    }
    if (!judge_status(resized, cudaSuccess, "resize_store()", start)) {
        return;
    }
    if (!is_pinned(session().allocation(staging.allocation))) {
        fail(Story("not-pinned", "The staging buffer is no pinned memory.")
                 .steps_after(start.call())
                 .expected("pinned host memory")
                 .found(runtime::place_name(staging.place)));
        return;
    }
    for (const AllocationRecord& allocation : start.still_live()) {
        if (is_pinned(allocation)) {
            fail(Story("leak", "A pinned staging buffer is never freed.")
                     .step(allocation.made_by)
                     .show("still allocated")
                     .expected("resize_store() and release_store() free it"));
            return;
        }
    }
    EXPECT_TRUE(judge_status(status, cudaSuccess, "release_store()", releasing));
}

// ---- View --------------------------------------------------------------------------------------

bool judge_closing_frees_nothing(const FrameStore& store, int x, int y) {
    View view;
    const Moment opening;
    const cudaError_t opened =
        learner([&] { return open_view(&store, x, y, width - x, height - y, &view); });
    if (!judge_status(opened, cudaSuccess, "open_view()", opening)) {
        return false;
    }
    const Moment closing;
    learner([&] { close_view(&view); });
    const auto frees = frees_since(closing);
    if (!frees.empty()) {
        const bool whole = frees.front().pointers[0].offset == 0;
        fail(Story("view-freed",
                   whole ? "close_view() freed the front frame itself: a view at (0, 0) has its "
                           "address."
                         : "close_view() passed cudaFree an address inside the front frame.")
                 .life_of(frees.front().pointers[0].allocation)
                 .step(frees.front())
                 .show("the view's address is the store's memory")
                 .expected("close_view() frees nothing")
                 .why("a view looks at memory that somebody else owns"));
        return false;
    }
    if (view.pixels != nullptr) {
        fail(Story("not-emptied", "After close_view() the view still holds an address.")
                 .expected("view.pixels is null"));
        return false;
    }
    return true;
}

/// A window that leaves the frame, or has no pixel, is refused and leaves the view alone.
bool judge_refused_windows(const FrameStore& store) {
    struct Window {
        int x, y, width, height;
    };
    constexpr int most = std::numeric_limits<int>::max();
    const Window refused[] = {{-1, 0, 1, 1},         {0, -1, 1, 1},        {0, 0, 0, 1},
                              {0, 0, 1, 0},          {0, 0, width + 1, 1}, {0, 0, 1, height + 1},
                              {width, 0, 1, 1},      {0, height, 1, 1},    {3, 0, width - 2, 1},
                              {0, 3, 1, height - 2}, {most, 0, 1, 1},      {0, most, 1, 1},
                              {1, 0, most, 1},       {0, 1, 1, most}};
    for (const Window& window : refused) {
        View view;
        std::memset(&view, 0x5a, sizeof view);
        const View untouched = view;
        const std::string text = "open_view(" + std::to_string(window.x) + ", " +
                                 std::to_string(window.y) + ", " + std::to_string(window.width) +
                                 ", " + std::to_string(window.height) + ") of a frame of " +
                                 std::to_string(width) + " x " + std::to_string(height);
        const Moment opening;
        const cudaError_t status = learner([&] {
            return open_view(&store, window.x, window.y, window.width, window.height, &view);
        });
        if (!judge_status(status, cudaErrorInvalidValue, text, opening)) {
            return false;
        }
        if (std::memcmp(&view, &untouched, sizeof view) != 0) {
            fail(Story("view-changed", text + " was refused and changed the view all the same.")
                     .expected("a refused call changes nothing"));
            return false;
        }
    }
    return true;
}

TEST(View, IsNeverFreed) {
    judge_frees_here();
    tolerate(MisuseKind::free_interior);
    FrameStore store = zeroed_store();
    const Moment start;
    if (!make(&store)) {
        return;
    }
    const auto pixels = picture(1);
    paint_front(store, pixels);
    if (!judge_closing_frees_nothing(store, 17, 5) || !judge_closing_frees_nothing(store, 0, 0) ||
        !judge_pixels(store.front.pixels, pixels, "front", start)) {
        return;
    }

    View view;
    learner([&] { open_view(&store, 3, 2, 5, 7, &view); });
    HostArray<std::uint8_t> window(5 * 7, "window");
    const Moment reading;
    const cudaError_t status = learner([&] { return read_view(&view, window.data()); });
    if (!judge_status(status, cudaSuccess, "read_view()", reading)) {
        return;
    }
    std::vector<std::uint8_t> wanted;
    for (int row = 2; row < 2 + 7; ++row) {
        const auto begin = pixels.begin() + row * width + 3;
        wanted.insert(wanted.end(), begin, begin + 5);
    }
    if (!judge_contents(window.data(), wanted.data(), wanted.size(), 1, "the window", reading)) {
        return;
    }

    if (!judge_refused_windows(store)) {
        return;
    }

    release(&store);
    const Moment late;
    learner([&] {
        close_view(&view);
        close_view(&view);
        close_view(nullptr);
    });
    const auto frees = frees_since(late);
    if (!frees.empty()) {
        fail(Story("view-freed", "close_view() freed an address of a store that was released.")
                 .step(frees.front())
                 .show("")
                 .expected("close_view() frees nothing"));
    }
}

// ---- Each block once ---------------------------------------------------------------------------

/// A store in the middle of its work.
bool make_busy(FrameStore* store) {
    return make(store) && push(store, picture(1)) && push(store, picture(2)) && keep(store, 0) &&
           push(store, picture(3)) && keep(store, 2);
}

/// A store made, used and released again and again: the runtime hands out the same addresses anew.
bool judge_stores_in_turn() {
    const Moment start;
    // The virtual GPU hands out a freed address at once, or late, as the seed decides.
    for (std::uint64_t seed : {0, 0, 1, 1, 2, 2}) {
        session().vary(seed);
        FrameStore store = zeroed_store();
        if (!make_busy(&store)) {
            return false;
        }
        release(&store);
        if (!judge_no_live_frames(
                start, "leak",
                "After several stores, made and released in turn, a frame is "
                "still allocated.",
                "each release_store() frees its store's blocks, whatever an older "
                "store's addresses were")) {
            return false;
        }
    }
    return true;
}

TEST(Release, FreesEachBlockOnce) {
    judge_frees_here();
    FrameStore other = zeroed_store();
    const auto shown = picture(20);
    if (!make(&other) || !push(&other, shown)) {
        return;
    }
    FrameStore store = zeroed_store();
    const Moment start;
    if (!make_busy(&store)) {
        return;
    }
    release(&store);
    const bool empties = what_is_left(store).empty();
    if (!judge_no_double_free(start, "two-owners",
                              "release_store() freed one block under two names.",
                              "two members with one address are one block, with one owner") ||
        !judge_no_live_frames(start, "leak", "After release_store() a frame is still allocated.",
                              "front, back and every kept picture are freed") ||
        !judge_pixels(other.front.pixels, shown, "the front frame of another store", start)) {
        return;
    }
    const auto next = picture(21);
    if (!push(&other, next) ||
        !judge_pixels(other.front.pixels, next, "the front frame of another store", start)) {
        return;
    }

    if (!judge_stores_in_turn()) {
        return;
    }

    SweepOptions failing_frees;
    failing_frees.errors = {cudaErrorInvalidValue};
    failing_frees.eligible = runtime::releases;
    sweep_failures(
        [empties](FailureCase& failure) {
            judge_frees_here();
            FrameStore store = zeroed_store();
            const Moment start;
            if (!make_busy(&store)) {
                return;
            }
            const Moment releasing;
            failure.arm();
            const cudaError_t status = release(&store);
            if (!failure.disarm()) {
                return;
            }
            if (judge_no_live_frames(start, "release-stops-early",
                                     "One free failed, and blocks after it were never freed.",
                                     "release_store() goes on with the other blocks") &&
                (!empties ||
                 judge_emptied(store, "a release_store() in which a free failed", releasing)) &&
                failure.failed_call().pointers[0].place != runtime::Place::null) {
                EXPECT_TRUE(
                    judge_reports_failure(status, "release_store()", releasing,
                                          "a free that fails is the first sign of a double free"));
            }
        },
        failing_frees);
}

// ---- Slots -------------------------------------------------------------------------------------

cudaError_t drop(FrameStore* store, int slot) {
    return learner([&] { return drop_slot(store, slot); });
}

bool judge_kept(const FrameStore& store, int wanted, const std::string& after_what) {
    if (store.kept == wanted) {
        return true;
    }
    fail(Story("wrong-count", "After " + after_what + ", 'kept' is wrong.")
             .expected("kept is " + std::to_string(wanted))
             .found("kept is " + std::to_string(store.kept)));
    return false;
}

/// The block that the slot held is freed now.
bool judge_slot_freed(const AllocationRecord& block, const Moment& since, const std::string& call) {
    if (session().allocation(block.id).state != AllocationState::live) {
        return true;
    }
    for (const CallRecord& made : since.calls()) {
        if (runtime::releases(made.entry) && made.pointers[0].place == runtime::Place::null) {
            fail(Story("nulled-before-free",
                       call + " freed a null pointer; the picture is still allocated.")
                     .step(block.made_by)
                     .step(made)
                     .show("the address was overwritten before this line")
                     .expected("the slot's address is freed, then forgotten")
                     .why("freeing null is legal and does nothing, so nobody complains"));
            return false;
        }
    }
    fail(Story("leak", call + " left the picture of the slot allocated.")
             .step(block.made_by)
             .show("still allocated")
             .steps_after(since.call())
             .expected("the block is freed once"));
    return false;
}

TEST(Slot, DroppingFreesItsPicture) {
    judge_frees_here();
    FrameStore store = zeroed_store();
    const Moment start;
    if (!make(&store)) {
        return;
    }
    const auto first = picture(4);
    paint_front(store, first);
    if (!keep(&store, 0) || !keep(&store, 3)) {
        return;
    }
    const AllocationRecord block = allocation_at(store.slots[3].pixels);

    const Moment dropping;
    const cudaError_t status = drop(&store, 3);
    if (!judge_slot_freed(block, dropping, "drop_slot()") ||
        !judge_status(status, cudaSuccess, "drop_slot()", dropping) ||
        !judge_pixels(store.front.pixels, first, "front", dropping) ||
        !judge_pixels(store.slots[0].pixels, first, "slots[0]", dropping)) {
        return;
    }

    const Moment again;
    const cudaError_t second_status = drop(&store, 3);
    if (!judge_no_double_free(
            again, "double-free",
            "A second drop_slot() freed the picture that the first one had freed.",
            "once freed, an address can belong to somebody else") ||
        !judge_status(second_status, cudaSuccess, "drop_slot() of an empty slot", again)) {
        return;
    }
    if (!is_empty(store.slots[3])) {
        fail(Story("not-emptied", "After drop_slot() the slot still holds something.")
                 .steps_after(dropping.call())
                 .expected("a null pointer and zero sizes"));
        return;
    }
    if (!judge_kept(store, 1, "dropping one of two pictures")) {
        return;
    }

    const AllocationRecord replaced = allocation_at(store.slots[0].pixels);
    const Moment keeping;
    const auto second = picture(5);
    paint_front(store, second);
    if (keep(&store, 0) && judge_pixels(store.slots[0].pixels, second, "slots[0]", keeping) &&
        judge_kept(store, 1, "keeping a picture in a full slot") &&
        store.slots[0].pixels != reinterpret_cast<std::uint8_t*>(replaced.base)) {
        EXPECT_TRUE(judge_slot_freed(replaced, keeping, "keep_front() into a full slot"));
    }
}

TEST(Slot, RestoringMovesItsPicture) {
    judge_frees_here();
    FrameStore store = zeroed_store();
    const Moment start;
    if (!make(&store)) {
        return;
    }
    const auto kept = picture(6);
    paint_front(store, kept);
    if (!keep(&store, 2)) {
        return;
    }
    const auto newer = picture(7);
    paint_front(store, newer);

    const Moment restoring;
    const cudaError_t status = learner([&] { return restore_slot(&store, 2); });
    if (!judge_status(status, cudaSuccess, "restore_slot()", restoring)) {
        return;
    }
    if (store.front.pixels != nullptr && store.front.pixels == store.slots[2].pixels) {
        fail(Story("two-owners",
                   "After restore_slot() front and slots[2] hold the same block: "
                   "both will free it.")
                 .step(allocation_at(store.front.pixels).made_by)
                 .steps_after(restoring.call())
                 .expected("front has the block, slots[2] is empty")
                 .why("copying a struct copies the address, not the memory"));
        return;
    }
    if (!judge_pixels(store.front.pixels, kept, "front", restoring)) {
        return;
    }
    if (!is_empty(store.slots[2])) {
        fail(Story("not-emptied", "After restore_slot() the slot still holds something.")
                 .steps_after(restoring.call())
                 .expected("slots[2] is empty"));
        return;
    }
    if (!judge_kept(store, 0, "restoring the only picture")) {
        return;
    }
    const auto frames = live_frames(start);
    if (frames.size() > 2) {
        fail(Story("leak", "After restore_slot() the store has lost a block.")
                 .step(frames.front().made_by)
                 .show("still allocated")
                 .steps_after(restoring.call())
                 .expected("front and back are allocated, and no other frame")
                 .found(std::to_string(frames.size()) + " frames"));
        return;
    }

    const Moment refusing;
    const cudaError_t refused = learner([&] { return restore_slot(&store, 2); });
    if (!judge_status(refused, cudaErrorInvalidValue, "restore_slot() of an empty slot",
                      refusing) ||
        !judge_pixels(store.front.pixels, kept, "front", refusing)) {
        return;
    }
    const Moment releasing;
    release(&store);
    judge_no_double_free(releasing, "double-free",
                         "After restore_slot(), release_store() freed one block twice.",
                         "a block that moved has one owner");
}

// ---- A day's work ------------------------------------------------------------------------------

/// The learner's store, told to do one thing after the other, and compared with what it has to hold.
/// Each function returns false when the check has failed.
class WorkingStore {
  public:
    bool make(int columns, int rows) {
        expected_.made(columns, rows);
        return succeeds("make_store(" + sizes(columns, rows) + ")",
                        [&] { return make_store(&store_, columns, rows); });
    }

    bool push(std::uint32_t seed) {
        const Picture pushed = noise(store_.front.width, store_.front.height, seed);
        expected_.pushed(pushed);
        return succeeds("push_frame()", [&] { return push_frame(&store_, pushed.pixels.data()); });
    }

    bool keep(int slot) {
        expected_.kept_front(slot);
        return succeeds("keep_front(" + std::to_string(slot) + ")",
                        [&] { return keep_front(&store_, slot); });
    }

    bool drop(int slot) {
        expected_.dropped(slot);
        return succeeds("drop_slot(" + std::to_string(slot) + ")",
                        [&] { return drop_slot(&store_, slot); });
    }

    bool restore(int slot) {
        expected_.restored(slot);
        return succeeds("restore_slot(" + std::to_string(slot) + ")",
                        [&] { return restore_slot(&store_, slot); });
    }

    bool resize(int columns, int rows) {
        expected_.resized(columns, rows);
        return succeeds("resize_store(" + sizes(columns, rows) + ")",
                        [&] { return resize_store(&store_, columns, rows); });
    }

    /// The call is answered with cudaErrorInvalidValue, without a runtime call and without a change.
    template <class Call>
    bool refuses(const std::string& text, const Call& call) {
        const Moment start;
        const cudaError_t status = learner([&] { return call(&store_); });
        return judge_status(status, cudaErrorInvalidValue, text, start) &&
               judge_no_calls(start, text) && expected_.judge(store_, text, start);
    }

    void release() { checks::release(&store_); }

  private:
    static std::string sizes(int columns, int rows) {
        return std::to_string(columns) + ", " + std::to_string(rows);
    }

    template <class Call>
    bool succeeds(const std::string& text, const Call& call) {
        const Moment start;
        const cudaError_t status = learner(call);
        return judge_status(status, cudaSuccess, text, start) &&
               expected_.judge(store_, text, start);
    }

    FrameStore store_ = zeroed_store();
    ExpectedStore expected_;
};

bool judge_refused_arguments(WorkingStore& store) {
    const std::uint8_t pixel = 0;
    for (int slot : {-1, slot_count}) {
        const std::string text = "(" + std::to_string(slot) + ")";
        if (!store.refuses("keep_front" + text,
                           [&](FrameStore* s) { return keep_front(s, slot); }) ||
            !store.refuses("drop_slot" + text, [&](FrameStore* s) { return drop_slot(s, slot); }) ||
            !store.refuses("restore_slot" + text,
                           [&](FrameStore* s) { return restore_slot(s, slot); })) {
            return false;
        }
    }
    return store.refuses("push_frame() of null", [&](FrameStore* s) {
        return push_frame(s, nullptr);
    }) && store.refuses("resize_store(0, 9)", [&](FrameStore* s) {
        return resize_store(s, 0, 9);
    }) && store.refuses("resize_store(9, -1)", [&](FrameStore* s) {
        return resize_store(s, 9, -1);
    }) && store.refuses("make_store() of null", [&](FrameStore*) {
        return make_store(nullptr, 9, 9);
    }) && store.refuses("release_store() of null", [&](FrameStore*) {
        return release_store(nullptr);
    }) && store.refuses("push_frame() to null", [&](FrameStore*) {
        return push_frame(nullptr, &pixel);
    }) && store.refuses("keep_front() of null", [&](FrameStore*) {
        return keep_front(nullptr, 0);
    }) && store.refuses("drop_slot() of null", [&](FrameStore*) {
        return drop_slot(nullptr, 0);
    }) && store.refuses("restore_slot() of null", [&](FrameStore*) {
        return restore_slot(nullptr, 0);
    }) && store.refuses("resize_store() of null", [&](FrameStore*) {
        return resize_store(nullptr, 9, 9);
    });
}

bool judge_first_pictures(WorkingStore& store) {
    return store.make(13, 7) && store.push(1) && store.push(2) && store.keep(0) && store.keep(3) &&
           store.push(3) && store.keep(0) && store.restore(3) && store.keep(1) && store.drop(3) &&
           store.refuses("restore_slot() of an empty slot",
                         [](FrameStore* s) { return restore_slot(s, 3); });
}

/// As many bytes as before, and another shape.
bool judge_turned_pictures(WorkingStore& store) {
    const auto restore_other_shape = [&] {
        return store.refuses("restore_slot() of a picture of another size",
                             [](FrameStore* s) { return restore_slot(s, 0); });
    };
    return store.resize(7, 13) && restore_other_shape() && store.push(4) && restore_other_shape() &&
           store.keep(0) && store.resize(13, 7) && restore_other_shape() && store.restore(1) &&
           store.push(5) && store.resize(13, 7);
}

/// Wider and lower, narrower and higher, larger and smaller. The slot follows each of them.
bool judge_changing_sizes(WorkingStore& store) {
    constexpr int sizes[][2] = {{40, 3}, {5, 3}, {4, 100}, {1, 1}, {331, 2}, {2, 331}};
    std::uint32_t seed = 6;
    for (const auto& [columns, rows] : sizes) {
        if (!store.resize(columns, rows) || !store.push(seed++) || !store.keep(2) ||
            !store.push(seed++) || !store.restore(2) || !store.keep(2)) {
            return false;
        }
    }
    return true;
}

TEST(Store, StaysInOrder) {
    judge_frees_here();
    WorkingStore store;
    EXPECT_TRUE(judge_first_pictures(store) && judge_refused_arguments(store) &&
                judge_turned_pictures(store) && judge_changing_sizes(store));
    store.release();
}

// ---- Make --------------------------------------------------------------------------------------

TEST(Make, IgnoresWhatWasThere) {
    judge_frees_here();
    FrameStore store;
    std::memset(&store, 0xa5, sizeof store);
    const Moment start;
    if (!make(&store)) {
        return;
    }
    release(&store);
    const auto foreign = misuses_since(start, MisuseKind::free_unknown);
    if (!foreign.empty()) {
        fail(Story("free-never-allocated",
                   "An address was freed that the runtime never handed out: the store was not "
                   "empty when make_store() got it.")
                 .step(foreign.front().call)
                 .show("what was in the store before make_store()")
                 .expected("only blocks of this store are freed")
                 .found(std::to_string(foreign.size()) + " frees of leftover bytes")
                 .why("a struct on the stack begins with whatever was there"));
        return;
    }
    judge_emptied(store, "release_store()", start);
}

/// One run of make_store() in which a call may fail, from a store that holds `before`.
void judge_failed_make(FailureCase& failure, FrameStore store) {
    judge_frees_here();
    const Moment start;
    failure.arm();
    const cudaError_t status = learner([&] { return make_store(&store, width, height); });
    if (!failure.disarm()) {
        EXPECT_TRUE(judge_status(status, cudaSuccess, "make_store()", start) &&
                    judge_made(store, width, height, start));
        return;
    }
    if (failure.sticky()) {
        return;
    }
    const std::string condition = failure.condition();
    if (status == cudaSuccess) {
        const std::vector<std::uint8_t> black(picture_bytes, 0);
        const auto actual = read_device_array<std::uint8_t>(store.front.pixels, picture_bytes);
        if (actual != black || store.staging == nullptr) {
            EXPECT_TRUE(judge_reports_failure(status, "make_store()", start, condition));
        }
        return;
    }
    const std::string dangling = holder_of_freed_address(store);
    if (!dangling.empty()) {
        fail(Story("dangling-address",
                   "make_store() failed, freed a block and left its address in '" + dangling + "'.")
                 .steps_after(start.call(), 5)
                 .show("its address stays in the store")
                 .expected(
                     "every pointer of the store is null: whoever releases the store next frees "
                     "the block again")
                 .why(condition));
        return;
    }
    const std::string left = what_is_left(store);
    release(&store);
    if (!judge_no_double_free(start, "double-free",
                              "After a failed make_store(), release_store() freed a block again.",
                              condition)) {
        return;
    }
    const auto live = start.still_live();
    if (!live.empty()) {
        fail(Story("leak", "make_store() failed and left a block behind.")
                 .step(live.front().made_by)
                 .show("still allocated")
                 .steps_after(start.call())
                 .expected("a failed make_store() leaves nothing allocated")
                 .why(condition));
        return;
    }
    if (!left.empty()) {
        fail(Story("not-emptied", "make_store() failed, and the member '" + left +
                                      "' of the store still holds something.")
                 .step(failure.failed_call())
                 .expected("null pointers, zero sizes, kept 0, as release_store() leaves them")
                 .why(condition));
    }
}

/// The pixels of one frame do not fit into an int: the runtime is asked for all of them. A request
/// of such a size is made to fail, so that no such store is made or touched.
void judge_store_beyond_an_int() {
    judge_frees_here();
    constexpr int columns = 65536;
    constexpr int rows = 65537;
    FrameStore store = zeroed_store();
    runtime::Injection injection;
    injection.nth = 1;
    injection.repeat = true;
    injection.larger_than = std::size_t{256} << 20;
    FailureCase failure(1, injection);
    const Moment start;
    failure.arm();
    const cudaError_t status = learner([&] { return make_store(&store, columns, rows); });
    failure.disarm();
    if (status == cudaSuccess) {
        fail(Story("wrong-size",
                   "make_store() said that it made a store of 65536 x 65537 pixels, "
                   "and never asked for that many bytes.")
                 .steps_after(start.call())
                 .expected("frames of 4295032832 bytes, or an error")
                 .why("a product of two ints is an int"));
        return;
    }
    judge_emptied(store, "a make_store() that failed", start);
}

TEST(Make, FailureLeavesAnEmptyStore) {
    const bool passed =
        sweep_failures([](FailureCase& failure) { judge_failed_make(failure, zeroed_store()); });
    if (!passed) {
        return;
    }
    SweepOptions out_of_memory;
    out_of_memory.errors = {cudaErrorMemoryAllocation};
    const bool passed_on_garbage = sweep_failures(
        [](FailureCase& failure) {
            FrameStore store;
            std::memset(&store, 0xa5, sizeof store);
            judge_failed_make(failure, store);
        },
        out_of_memory);
    if (passed_on_garbage) {
        in_fresh_process(judge_store_beyond_an_int);
    }
}

// ---- Failures ----------------------------------------------------------------------------------

/// The store can still be released: each block once, and none is left.
void judge_release_after_failure(FrameStore* store, const Moment& start, const std::string& call,
                                 const std::string& condition) {
    release(store);
    if (judge_no_double_free(start, "double-free",
                             "After a failed " + call + ", release_store() freed a block again.",
                             condition)) {
        judge_no_live_frames(start, "leak", "A block was lost when " + call + " failed.",
                             "release_store() finds every block of the store");
    }
}

/// A store of the usual size with a kept picture in slot 1 and another one in front.
bool make_with_kept_picture(FrameStore* store, ExpectedStore* expected, std::uint32_t seed) {
    const Picture kept = noise(width, height, seed);
    const Picture shown = noise(width, height, seed + 1);
    if (!make(store)) {
        return false;
    }
    paint_front(*store, kept.pixels);
    if (!keep(store, 1)) {
        return false;
    }
    paint_front(*store, shown.pixels);
    expected->made(width, height);
    expected->painted(kept);
    expected->kept_front(1);
    expected->painted(shown);
    return true;
}

void judge_failed_resize(FailureCase& failure, int columns, int rows) {
    judge_frees_here();
    FrameStore store = zeroed_store();
    const Moment start;
    ExpectedStore expected;
    if (!make_with_kept_picture(&store, &expected, 8)) {
        return;
    }

    const Moment resizing;
    failure.arm();
    const cudaError_t status = learner([&] { return resize_store(&store, columns, rows); });
    const bool fired = failure.disarm();
    if (fired && failure.sticky()) {
        return;
    }
    const std::string condition = failure.condition();
    const bool resized = store.front.width == columns && store.front.height == rows;
    const bool may_be_resized =
        status == cudaSuccess || (fired && runtime::releases(failure.failed_call().entry));
    if (status == cudaSuccess && !resized) {
        EXPECT_TRUE(judge_reports_failure(status, "resize_store()", resizing, condition));
        return;
    }
    if (resized && may_be_resized) {
        expected.resized(columns, rows);
        if (!expected.judge(store, "resize_store()", resizing, condition)) {
            return;
        }
    } else if (!expected.judge(
                   store, "a resize_store() that failed", resizing,
                   condition + "; the old size has to stay until the new one is there")) {
        return;
    }
    judge_release_after_failure(&store, start, "resize_store()", condition);
}

/// keep_front() into a slot that is empty, or full.
void judge_failed_keep(FailureCase& failure, int slot) {
    judge_frees_here();
    FrameStore store = zeroed_store();
    const Moment start;
    ExpectedStore expected;
    if (!make_with_kept_picture(&store, &expected, 10)) {
        return;
    }

    const Moment keeping;
    failure.arm();
    const cudaError_t status = learner([&] { return keep_front(&store, slot); });
    const bool fired = failure.disarm();
    if (fired && failure.sticky()) {
        return;
    }
    const std::string condition = failure.condition();
    const bool free_failed = fired && runtime::releases(failure.failed_call().entry);
    if (status == cudaSuccess) {
        expected.kept_front(slot);
        if (!expected.judge(store, "keep_front()", keeping, condition)) {
            return;
        }
    } else if (!free_failed &&
               !expected.judge(store, "a keep_front() that failed", keeping,
                               condition + "; the slot has to stay as it was until the new picture "
                                           "is there")) {
        return;
    }
    judge_release_after_failure(&store, start, "keep_front()", condition);
}

void judge_failed_push(FailureCase& failure) {
    judge_frees_here();
    FrameStore store = zeroed_store();
    const auto shown = picture(12);
    const auto pushed = picture(13);
    if (!make(&store) || !push(&store, shown)) {
        return;
    }
    const Moment pushing;
    failure.arm();
    const cudaError_t status = learner([&] { return push_frame(&store, pushed.data()); });
    if (failure.disarm() && failure.sticky()) {
        return;
    }
    EXPECT_TRUE(judge_pixels(store.front.pixels, status == cudaSuccess ? pushed : shown, "front",
                             pushing, failure.condition()));
}

TEST(Failure, KeepsThePictures) {
    // Twice as wide, and turned by a quarter: as many bytes as before.
    const bool resize_passed =
        sweep_failures(
            [](FailureCase& failure) { judge_failed_resize(failure, width * 2, height + 3); }) &&
        sweep_failures([](FailureCase& failure) { judge_failed_resize(failure, height, width); });
    constexpr int full_slot = 1;
    constexpr int empty_slot = 2;
    const bool keep_passed =
        sweep_failures([](FailureCase& failure) { judge_failed_keep(failure, full_slot); }) &&
        sweep_failures([](FailureCase& failure) { judge_failed_keep(failure, empty_slot); });
    if (resize_passed && keep_passed) {
        sweep_failures(judge_failed_push);
    }
}

}  // namespace
}  // namespace vram::checks
