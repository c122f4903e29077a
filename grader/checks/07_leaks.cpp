// Checks of lab 07: a recorder that may not hold more and more.
//
// A leak is judged as a live set that grows from one run to the next, so a cache that is filled
// once is none. Each check looks at the growth of its own calls alone: one bug costs the points of
// one check.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "grader/checks/support/failure_sweep.h"
#include "grader/checks/support/host_buffer.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"
#include "recorder.h"

namespace vram::checks {
namespace {

using runtime::AllocationRecord;
using runtime::CallRecord;
using runtime::HandleRecord;
using Pixels = std::vector<std::uint8_t>;

constexpr int width = 97;
constexpr int height = 61;

Pixels pattern(int columns, int rows, std::uint32_t seed) {
    Pixels pixels(static_cast<std::size_t>(columns) * rows);
    std::uint32_t state = seed * 2654435761u + 12345;
    for (std::uint8_t& pixel : pixels) {
        state = state * 1664525u + 1013904223u;
        pixel = static_cast<std::uint8_t>(state >> 24);
    }
    return pixels;
}

/// A configuration that owns its overlays' pixels. What the learner's code gets to see of them lasts
/// for one call: see SettingsInUse.
class Settings {
  public:
    Settings(int columns, int rows, int history) : config_{columns, rows, history, nullptr, 0} {}

    Settings& overlay(int columns, int rows, int x, int y, std::uint32_t seed) {
        pixels_.push_back(pattern(columns, rows, seed));
        overlays_.push_back({nullptr, columns, rows, x, y});
        return *this;
    }

    int columns() const { return config_.width; }
    int rows() const { return config_.height; }
    int history() const { return config_.history; }
    const std::vector<Overlay>& overlays() const { return overlays_; }
    const std::vector<Pixels>& overlay_pixels() const { return pixels_; }

    /// The frame as the recorder is to keep it.
    Pixels drawn(const Pixels& frame) const {
        Pixels picture = frame;
        for (std::size_t index = 0; index < overlays_.size(); ++index) {
            const Overlay& overlay = overlays_[index];
            for (int row = 0; row < overlay.height; ++row) {
                std::copy_n(pixels_[index].begin() + row * overlay.width, overlay.width,
                            picture.begin() + (overlay.y + row) * config_.width + overlay.x);
            }
        }
        return picture;
    }

  private:
    RecorderConfig config_;
    std::vector<Overlay> overlays_;
    std::vector<Pixels> pixels_;
};

/// Settings as they are handed to the learner's code: the host memory is overwritten at the end.
class SettingsInUse {
  public:
    explicit SettingsInUse(const Settings& settings)
        : overlays_(settings.overlays()), pixels_(settings.overlay_pixels()) {
        for (std::size_t index = 0; index < overlays_.size(); ++index) {
            overlays_[index].pixels = pixels_[index].data();
        }
        config_ = {settings.columns(), settings.rows(), settings.history(),
                   overlays_.empty() ? nullptr : overlays_.data(),
                   static_cast<int>(overlays_.size())};
    }
    ~SettingsInUse() {
        for (Pixels& pixels : pixels_) {
            std::fill(pixels.begin(), pixels.end(), std::uint8_t{0xee});
        }
    }
    SettingsInUse(const SettingsInUse&) = delete;
    SettingsInUse& operator=(const SettingsInUse&) = delete;

    const RecorderConfig* get() const { return &config_; }

  private:
    std::vector<Overlay> overlays_;
    std::vector<Pixels> pixels_;
    RecorderConfig config_{};
};

Settings plain(int history) {
    return Settings(width, height, history);
}

Settings with_overlays(int history, std::uint32_t seed = 50) {
    Settings settings(width, height, history);
    settings.overlay(31, 9, 3, 2, seed).overlay(20, 7, 13, 5, seed + 1);
    return settings;
}

// ---- The learner's functions, called and judged
// --------------------------------------------------

Recorder* open(const Settings& settings) {
    Recorder* recorder = nullptr;
    const Moment start;
    const SettingsInUse in_use(settings);
    const cudaError_t status = learner([&] { return open_recorder(in_use.get(), &recorder); });
    if (!judge_status(status, cudaSuccess, "open_recorder()", start)) {
        return nullptr;
    }
    if (recorder == nullptr) {
        fail(Story("wrong-status", "open_recorder() returned cudaSuccess and no recorder.")
                 .steps_after(start.call())
                 .expected("*out is the recorder"));
    }
    return recorder;
}

void close(Recorder* recorder) {
    learner([&] { close_recorder(recorder); });
}

/// The frame's host memory is overwritten as soon as the call has returned.
cudaError_t record_status(Recorder* recorder, const Pixels& frame, long long timestamp) {
    HostArray<std::uint8_t> memory(frame.size(), "the frame");
    std::copy(frame.begin(), frame.end(), memory.begin());
    const cudaError_t status =
        learner([&] { return record_frame(recorder, memory.data(), timestamp); });
    memory.fill_bytes(0xee);
    return status;
}

bool record(Recorder* recorder, const Pixels& frame, long long timestamp) {
    const Moment start;
    return judge_status(record_status(recorder, frame, timestamp), cudaSuccess, "record_frame()",
                        start);
}

/// Frames with the timestamps first .. last, each with a picture of its own.
bool record_frames(Recorder* recorder, int first, int last) {
    for (int timestamp = first; timestamp <= last; ++timestamp) {
        if (!record(recorder, pattern(width, height, timestamp), timestamp)) {
            return false;
        }
    }
    return true;
}

cudaError_t configure_status(Recorder* recorder, const Settings& settings) {
    const SettingsInUse in_use(settings);
    return learner([&] { return configure_recorder(recorder, in_use.get()); });
}

bool configure(Recorder* recorder, const Settings& settings) {
    const Moment start;
    const cudaError_t status = configure_status(recorder, settings);
    return judge_status(status, cudaSuccess, "configure_recorder()", start);
}

bool judge_picture(Recorder* recorder, int age, const Pixels& wanted, const std::string& why = "") {
    HostArray<std::uint8_t> out(wanted.size(), "out");
    out.fill_bytes(0xcd);
    const Moment start;
    const cudaError_t status = learner([&] { return read_picture(recorder, age, out.data()); });
    return judge_status(status, cudaSuccess, "read_picture()", start, why) &&
           judge_contents(out.data(), wanted.data(), wanted.size(), 1,
                          "the picture of age " + std::to_string(age), start, why);
}

/// The pictures that record_frames() left, the newest with the timestamp `newest`.
bool judge_history(Recorder* recorder, const Settings& settings, int newest, int count) {
    for (int age = 0; age < count; ++age) {
        const Pixels wanted = settings.drawn(pattern(width, height, newest - age));
        if (!judge_picture(recorder, age, wanted)) {
            return false;
        }
    }
    return true;
}

// ---- The live set
// --------------------------------------------------------------------------------

/// What the learner's code holds at one moment: memory of every family, streams and events.
struct LiveSet {
    long blocks = 0;
    long bytes = 0;
    long handles = 0;

    static LiveSet now() {
        LiveSet live;
        for (const AllocationRecord& allocation : live_allocations()) {
            if (!allocation.excused) {
                live.blocks += 1;
                // The runtime chooses the pitch, another one each time if it likes.
                const bool pitched = allocation.family == runtime::Family::pitched;
                live.bytes += static_cast<long>(pitched ? allocation.row_bytes * allocation.rows
                                                        : allocation.bytes);
            }
        }
        for (const HandleRecord& handle : session().handles()) {
            live.handles += handle.live && !handle.by_harness && !handle.excused;
        }
        return live;
    }
};

LiveSet operator-(const LiveSet& left, const LiveSet& right) {
    return {left.blocks - right.blocks, left.bytes - right.bytes, left.handles - right.handles};
}

std::string count_of(long count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// What kind of handle was created since then and is alive: "stream", "event".
std::string handle_noun(const Moment& since) {
    const auto handles = since.handles_still_live();
    const bool event = !handles.empty() && handles.front().kind == runtime::HandleKind::event;
    return event ? "event" : "stream";
}

/// `grown` is what came on top of what is allowed. `situation` ends the first line: "after five
/// late frames".
bool judge_growth(const LiveSet& grown, const Moment& since, const std::string& situation,
                  const std::string& expected, const std::string& why) {
    if (grown.blocks <= 0 && grown.bytes <= 0 && grown.handles <= 0) {
        return true;
    }
    const bool memory = grown.blocks > 0 || grown.bytes > 0;
    const std::string what = memory ? count_of(std::max(grown.blocks, 1L), "block") + " more (" +
                                          count_of(grown.bytes, "byte") + ")"
                                    : count_of(grown.handles, handle_noun(since)) + " more";
    Story story(memory ? "leak" : "handle-leak",
                "The program holds " + what + " " + situation + ".");
    constexpr std::size_t most_shown = 3;
    if (memory) {
        const auto blocks = since.still_live();
        for (std::size_t index = 0; index < std::min(blocks.size(), most_shown); ++index) {
            story.step(blocks[index].made_by);
            if (index == 0) {
                story.show("still allocated");
            }
        }
    } else {
        const auto handles = since.handles_still_live();
        for (std::size_t index = 0; index < std::min(handles.size(), most_shown); ++index) {
            story.step(handles[index].made_by);
            if (index == 0) {
                story.show("never destroyed");
            }
        }
    }
    fail(story.expected(expected).found(what).why(why));
    return false;
}

/// What a third run of `cycle` adds to what the first two left behind.
struct Growth {
    LiveSet amount;
    Moment since;
};

Growth growth_of_third(const std::function<void()>& cycle) {
    cycle();
    cycle();
    const LiveSet before = LiveSet::now();
    const Moment third;
    cycle();
    return {LiveSet::now() - before, third};
}

/// Opens a recorder, fills its history, does `work` with it and closes it.
void run_full_recorder(const std::function<void(Recorder*)>& work) {
    constexpr int history = 3;
    Settings settings = with_overlays(history);
    Recorder* recorder = open(settings);
    if (recorder == nullptr) {
        return;
    }
    if (record_frames(recorder, 1, history)) {
        work(recorder);
    }
    close(recorder);
}

// ---- Close
// ---------------------------------------------------------------------------------------

TEST(Close, GivesEverythingBack) {
    const Growth growth = growth_of_third([] {
        Settings settings = with_overlays(5);
        if (Recorder* recorder = open(settings); recorder != nullptr) {
            close(recorder);
        }
    });
    if (failed() ||
        !judge_growth(
            growth.amount, growth.since, "after a recorder was opened and closed once more",
            "opening and closing leaves nothing more behind each time",
            "what is left at the end of a process is harmless only if the process ends")) {
        return;
    }
    learner([] { close_recorder(nullptr); });

    Settings settings = with_overlays(5);
    Recorder* recorder = open(settings);
    if (recorder == nullptr || !record_frames(recorder, 1, 7)) {
        return;
    }
    // A second recorder comes and goes; the first one neither sees nor misses it.
    Settings smaller(width - 20, height, 2);
    Recorder* other = open(smaller);
    if (other == nullptr || !record(other, pattern(width - 20, height, 3), 1)) {
        return;
    }
    close(other);
    if (judge_history(recorder, settings, 7, 5) && record_frames(recorder, 8, 8)) {
        judge_history(recorder, settings, 8, 5);
    }
    close(recorder);
}

// ---- Late frames
// ---------------------------------------------------------------------------------

TEST(Record, LateFrameLeavesNothing) {
    Settings settings = with_overlays(3);
    Recorder* recorder = open(settings);
    if (recorder == nullptr || !record_frames(recorder, 1, 4)) {
        return;
    }
    const auto record_late = [&](long long timestamp) {
        return record(recorder, pattern(width, height, 99), timestamp);
    };
    if (!record_late(4)) {
        return;
    }
    const LiveSet before = LiveSet::now();
    const Moment since;
    for (long long timestamp : {4, 3, 1, 0, -7}) {
        if (!record_late(timestamp)) {
            return;
        }
    }
    if (!judge_growth(LiveSet::now() - before, since, "after five frames that came too late",
                      "a dropped frame leaves nothing behind",
                      "each way out of a function has to give back what was taken before it")) {
        return;
    }
    const RecorderStats stats = recorder_stats(recorder);
    if (stats.recorded != 4 || stats.dropped != 6) {
        fail(Story("wrong-stats", "The stats count late frames wrongly.")
                 .expected("recorded 4, dropped 6")
                 .found("recorded " + std::to_string(stats.recorded) + ", dropped " +
                        std::to_string(stats.dropped)));
        return;
    }
    judge_history(recorder, settings, 4, 3);
}

// ---- Read
// ----------------------------------------------------------------------------------------

/// Into page-locked memory an asynchronous copy comes late.
bool judge_pinned_target(Recorder* recorder, const Pixels& wanted) {
    void* memory = nullptr;
    if (cudaMallocHost(&memory, wanted.size()) != cudaSuccess) {
        return true;
    }
    std::memset(memory, 0xcd, wanted.size());
    const Moment start;
    const cudaError_t status =
        learner([&] { return read_picture(recorder, 0, static_cast<std::uint8_t*>(memory)); });
    const Pixels read(static_cast<std::uint8_t*>(memory),
                      static_cast<std::uint8_t*>(memory) + wanted.size());
    const bool right =
        judge_status(status, cudaSuccess, "read_picture()", start) &&
        judge_contents(read.data(), wanted.data(), wanted.size(), 1, "the picture of age 0", start,
                       "whoever called read_picture() looks at the picture when it has returned");
    cudaFreeHost(memory);
    return right;
}

TEST(Read, LeavesNothing) {
    Settings settings = with_overlays(3);
    Recorder* recorder = open(settings);
    if (recorder == nullptr || !record_frames(recorder, 1, 2) ||
        !judge_history(recorder, settings, 2, 2)) {
        return;
    }
    const LiveSet before_reading = LiveSet::now();
    const Moment reading;
    if (!judge_history(recorder, settings, 2, 2) || !judge_history(recorder, settings, 2, 2) ||
        !judge_growth(LiveSet::now() - before_reading, reading,
                      "after read_picture() was called four times",
                      "read_picture() leaves nothing behind",
                      "a stream takes memory on the device too, in no list of allocations")) {
        return;
    }

    HostArray<std::uint8_t> out(static_cast<std::size_t>(width) * height, "out");
    const LiveSet before_refusing = LiveSet::now();
    const Moment refusing;
    for (int age : {2, 3, -1, 1000}) {
        const Moment asking;
        const cudaError_t status = learner([&] { return read_picture(recorder, age, out.data()); });
        if (!judge_status(
                status, cudaErrorInvalidValue,
                "read_picture() with age " + std::to_string(age) + " when two pictures are held",
                asking)) {
            return;
        }
    }
    if (!judge_growth(LiveSet::now() - before_refusing, refusing, "after four ages were refused",
                      "a refused call leaves nothing behind", "")) {
        return;
    }

    if (!record_frames(recorder, 3, 6) || !judge_history(recorder, settings, 6, 3) ||
        !judge_status(learner([&] { return read_picture(recorder, 3, out.data()); }),
                      cudaErrorInvalidValue,
                      "read_picture() with age 3 when three pictures are held", refusing) ||
        !judge_pinned_target(recorder, settings.drawn(pattern(width, height, 6)))) {
        return;
    }

    const Growth without = growth_of_third([] { run_full_recorder([](Recorder*) {}); });
    const Growth with_reading = growth_of_third([] {
        run_full_recorder(
            [](Recorder* recorder) { judge_history(recorder, with_overlays(3), 3, 3); });
    });
    judge_growth(with_reading.amount - without.amount, with_reading.since,
                 "after a recorder whose pictures were read was closed",
                 "close_recorder() gives back what read_picture() keeps", "");
}

// ---- The frame loop
// ------------------------------------------------------------------------------

/// The time of a large frame, then of a tiny one: each is the time of that frame alone.
bool judge_milliseconds() {
    const Settings large(4096, 1024, 1);
    const Settings tiny(1, 1, 1);
    const Moment start;
    Recorder* recorder = open(large);
    if (recorder == nullptr || !record(recorder, Pixels(4096 * 1024, 7), 1) ||
        !record(recorder, Pixels(4096 * 1024, 8), 2)) {
        return false;
    }
    const float of_large = recorder_stats(recorder).milliseconds;
    if (!configure(recorder, tiny) || !record(recorder, Pixels(1, 9), 3)) {
        return false;
    }
    const float of_tiny = recorder_stats(recorder).milliseconds;
    close(recorder);
    // No link to a GPU carries a terabyte in a second.
    constexpr float least = 4096 * 1024 / 1e12f * 1e3f;
    if (of_large > least && of_tiny > 0 && of_tiny < of_large) {
        return true;
    }
    fail(Story("wrong-stats", "The milliseconds are not those of the newest recorded frame.")
             .steps_after(start.call())
             .expected("a frame of 4 MiB takes more than " + std::to_string(least) +
                       " ms, and a frame of one byte less than that frame")
             .found(std::to_string(of_large) + " ms and " + std::to_string(of_tiny) + " ms")
             .why("the time runs from before the first copy of the frame until after its last"));
    return false;
}

TEST(Record, ManyFramesHoldNoMore) {
    constexpr int history = 4;
    Settings settings = with_overlays(history);
    Recorder* recorder = open(settings);
    if (recorder == nullptr || !record_frames(recorder, 1, 2 * history)) {
        return;
    }
    const LiveSet before = LiveSet::now();
    const Moment since;
    if (!record_frames(recorder, 2 * history + 1, 4 * history) ||
        !judge_growth(LiveSet::now() - before, since,
                      "after " + std::to_string(2 * history) + " further frames",
                      "a recorder that runs for a week holds what it held after a minute",
                      "at 25 frames a second this is two million times a day") ||
        !judge_history(recorder, settings, 4 * history, history)) {
        return;
    }
    close(recorder);
    if (!judge_milliseconds()) {
        return;
    }
    const Growth growth = growth_of_third([] { run_full_recorder([](Recorder*) {}); });
    judge_growth(growth.amount, growth.since, "after a recorder with a full history was closed",
                 "close_recorder() gives back what record_frame() keeps", "");
}

// ---- Configuration
// -------------------------------------------------------------------------------

/// A configuration that is refused: nothing stays allocated for it, and nothing changes.
bool judge_refused(Recorder* recorder, const std::string& text, const RecorderConfig& config) {
    const LiveSet before = LiveSet::now();
    const Moment start;
    Recorder* out = nullptr;
    const cudaError_t opened = learner([&] { return open_recorder(&config, &out); });
    const cudaError_t changed = learner([&] { return configure_recorder(recorder, &config); });
    return judge_status(opened, cudaErrorInvalidValue, "open_recorder() with " + text, start) &&
           judge_status(changed, cudaErrorInvalidValue, "configure_recorder() with " + text,
                        start) &&
           judge_growth(LiveSet::now() - before, start, "after " + text + " was refused",
                        "a refused call leaves nothing behind", "");
}

/// The recorder has a history of 3 and the overlays of with_overlays(3, 70), and keeps them.
bool judge_refused_settings(Recorder* recorder) {
    const Pixels mark(static_cast<std::size_t>(width) * height, 1);
    const Overlay inside{mark.data(), 4, 3, 2, 1};
    const std::pair<const char*, Overlay> overlays[] = {
        {"an overlay without pixels", Overlay{nullptr, 4, 3, 2, 1}},
        {"an overlay of no width", Overlay{mark.data(), 0, 3, 2, 1}},
        {"an overlay of no height", Overlay{mark.data(), 4, 0, 2, 1}},
        {"an overlay left of the picture", Overlay{mark.data(), 4, 3, -1, 1}},
        {"an overlay above the picture", Overlay{mark.data(), 4, 3, 2, -1}},
        {"an overlay over the right edge", Overlay{mark.data(), 4, 3, width - 3, 1}},
        {"an overlay over the lower edge", Overlay{mark.data(), 4, 3, 2, height - 2}},
        {"an overlay far to the right", Overlay{mark.data(), 4, 3, INT_MAX, 1}},
    };
    for (const auto& [text, overlay] : overlays) {
        const Overlay list[] = {inside, overlay};
        if (!judge_refused(recorder, text, {width, height, 3, list, 2})) {
            return false;
        }
    }
    if (!judge_refused(recorder, "no width", {0, height, 3, nullptr, 0}) ||
        !judge_refused(recorder, "a negative height", {width, -1, 3, nullptr, 0}) ||
        !judge_refused(recorder, "no history", {width, height, 0, nullptr, 0}) ||
        !judge_refused(recorder, "-1 overlays", {width, height, 3, &inside, -1}) ||
        !judge_refused(recorder, "overlays at null", {width, height, 3, nullptr, 1})) {
        return false;
    }
    const Settings settings = with_overlays(3, 70);
    const Pixels frame = pattern(width, height, 5);
    return judge_picture(recorder, 0, settings.drawn(frame),
                         "a refused configuration changes nothing") &&
           record(recorder, frame, 6) &&
           judge_picture(recorder, 0, settings.drawn(frame),
                         "a refused configuration changes nothing");
}

TEST(Configure, NewOverlaysReplaceTheOld) {
    Settings first = with_overlays(3, 60);
    Settings second = with_overlays(3, 70);
    Recorder* recorder = open(first);
    if (recorder == nullptr || !record_frames(recorder, 1, 3) || !configure(recorder, second) ||
        !configure(recorder, first)) {
        return;
    }
    const LiveSet before = LiveSet::now();
    const Moment since;
    Settings none = plain(3);
    if (!configure(recorder, second) || !configure(recorder, none) ||
        !configure(recorder, second) || !configure(recorder, first) ||
        !judge_growth(LiveSet::now() - before, since,
                      "after the overlays were changed and changed back",
                      "old overlays go when new ones come",
                      "whoever empties a list of addresses gives up the only way to free them") ||
        !judge_history(recorder, first, 3, 3) || !record_frames(recorder, 4, 4) ||
        !judge_picture(recorder, 0, first.drawn(pattern(width, height, 4))) ||
        !configure(recorder, second) || !record_frames(recorder, 5, 5) ||
        !judge_picture(recorder, 0, second.drawn(pattern(width, height, 5)))) {
        return;
    }
    if (!judge_picture(recorder, 1, first.drawn(pattern(width, height, 4)),
                       "a change of the overlays leaves the pictures as they are") ||
        !judge_refused_settings(recorder)) {
        return;
    }
    // One over the other, up to the edges, and none.
    Settings many = with_overlays(3, 90);
    many.overlay(1, 1, 3, 2, 92)
        .overlay(width, 1, 0, height - 1, 93)
        .overlay(1, height, width - 1, 0, 94)
        .overlay(5, 40, 10, 4, 95);
    Settings whole = plain(3);
    whole.overlay(width, height, 0, 0, 96).overlay(2, 3, 1, 1, 97);
    int timestamp = 7;
    for (const Settings& settings : {many, none, whole, none, many}) {
        const Pixels frame = pattern(width, height, timestamp);
        if (!configure(recorder, settings) || !record(recorder, frame, timestamp) ||
            !judge_picture(recorder, 0, settings.drawn(frame))) {
            return;
        }
        ++timestamp;
    }

    const Growth without = growth_of_third([] { run_full_recorder([](Recorder*) {}); });
    const Growth with_change = growth_of_third([] {
        run_full_recorder([](Recorder* recorder) {
            Settings other = with_overlays(3, 80);
            configure(recorder, other);
        });
    });
    judge_growth(with_change.amount - without.amount, with_change.since,
                 "after a recorder whose overlays were changed was closed",
                 "close_recorder() gives back the overlays", "");
}

/// Changes to another size, fills the history and goes once around it. The stats go on.
bool judge_size_in_use(Recorder* recorder, const Settings& settings, long long* recorded) {
    if (!configure(recorder, settings)) {
        return false;
    }
    const std::size_t bytes = static_cast<std::size_t>(settings.columns()) * settings.rows();
    HostArray<std::uint8_t> out(bytes, "out");
    const Moment empty;
    const cudaError_t status = learner([&] { return read_picture(recorder, 0, out.data()); });
    if (!judge_status(status, cudaErrorInvalidValue, "read_picture() after a change of size", empty,
                      "the history is empty after a change of size")) {
        return false;
    }
    std::vector<Pixels> frames;
    for (int frame = 0; frame < settings.history() + 2; ++frame) {
        frames.push_back(
            pattern(settings.columns(), settings.rows(), static_cast<std::uint32_t>(*recorded)));
        if (!record(recorder, frames.back(), ++*recorded)) {
            return false;
        }
    }
    for (int age = 0; age < settings.history(); ++age) {
        if (!judge_picture(recorder, age, settings.drawn(frames[frames.size() - 1 - age]))) {
            return false;
        }
    }
    const RecorderStats stats = recorder_stats(recorder);
    if (stats.recorded == *recorded && stats.dropped == 0) {
        return true;
    }
    fail(Story("wrong-stats", "After a change of size the stats are wrong: they go on.")
             .expected("recorded " + std::to_string(*recorded) + ", dropped 0")
             .found("recorded " + std::to_string(stats.recorded) + ", dropped " +
                    std::to_string(stats.dropped)));
    return false;
}

TEST(Configure, NewSizeLetsTheOldGo) {
    Settings usual = plain(4);
    Settings wider(width + 6, height, 4);
    Settings tiny(1, 1, 1);
    Settings shorter = plain(2);
    Recorder* recorder = open(usual);
    if (recorder == nullptr) {
        return;
    }
    const auto change_to_all = [&] {
        return configure(recorder, wider) && configure(recorder, tiny) &&
               configure(recorder, shorter) && configure(recorder, usual);
    };
    if (!change_to_all()) {
        return;
    }
    const LiveSet before = LiveSet::now();
    const Moment since;
    if (!change_to_all() ||
        !judge_growth(LiveSet::now() - before, since, "after the size was changed and changed back",
                      "the pictures of the old size go when the size changes",
                      "a test with one size never sees this")) {
        return;
    }
    if (!record_frames(recorder, 1, 6) || !judge_history(recorder, usual, 6, 4) ||
        !configure(recorder, wider)) {
        return;
    }
    // Wider, turned by a quarter (as many bytes), narrower and higher, longer and shorter.
    const Settings turned(height, width, 4);
    const Settings longer(height, width, 6);
    const Settings one(3, 200, 1);
    long long recorded = 6;
    for (const Settings& settings : {wider, usual, turned, longer, one, tiny, longer, shorter}) {
        if (!judge_size_in_use(recorder, settings, &recorded)) {
            return;
        }
    }
}

// ---- The steady state
// ----------------------------------------------------------------------------

bool creates_handle(runtime::Entry entry) {
    const std::string name = runtime::entry_name(entry);
    return name.rfind("cudaStreamCreate", 0) == 0 || name.rfind("cudaEventCreate", 0) == 0;
}

TEST(Record, FullHistoryAllocatesNothing) {
    constexpr int history = 3;
    constexpr int frames = 10;
    constexpr int calls_of_reference = 7;
    Settings settings = with_overlays(history);
    Recorder* recorder = open(settings);
    if (recorder == nullptr || !record_frames(recorder, 1, history + 1)) {
        return;
    }
    const Moment steady;
    if (!record_frames(recorder, history + 2, history + frames)) {
        return;
    }
    const Moment last;
    if (!record_frames(recorder, history + frames + 1, history + frames + 1)) {
        return;
    }
    const auto is_costly = [](const CallRecord& call) {
        return runtime::allocates(call.entry) || creates_handle(call.entry);
    };
    const auto calls = steady.calls();
    const auto costly = std::count_if(calls.begin(), calls.end(), is_costly);
    if (costly > 0) {
        Story story("allocates-per-frame", count_of(costly, "allocating or creating call") +
                                               " in " + std::to_string(frames) + " frames.");
        bool shown = false;
        for (const CallRecord& call : last.calls()) {
            if (is_costly(call) || runtime::releases(call.entry)) {
                story.step(call);
                if (!shown) {
                    story.show("in each frame");
                    shown = true;
                }
            }
        }
        if (!shown) {
            const auto first = std::find_if(calls.begin(), calls.end(), is_costly);
            story.step(*first).show("after the history was full");
        }
        fail(story.expected("once the history is full, a frame allocates and creates nothing")
                 .found(std::to_string(costly) + " such calls")
                 .why("cudaMalloc and cudaFree cost more than the frame's copies, and cudaFree "
                      "waits for the device"));
        return;
    }
    const auto calls_a_frame = static_cast<int>(last.calls().size());
    if (judge_history(recorder, settings, history + frames + 1, history) &&
        calls_a_frame > calls_of_reference) {
        remark(std::to_string(calls_a_frame) +
               " runtime calls a frame with two overlays; the "
               "reference needs " +
               std::to_string(calls_of_reference));
    }
}

// ---- Failures
// ------------------------------------------------------------------------------------

/// Calls that fail leave work behind that nobody waited for; here only what stays is judged.
void judge_only_what_stays() {
    tolerate(runtime::MisuseKind::device_report);
    tolerate(runtime::MisuseKind::work_after_sticky);
}

/// A call that was made to fail left nothing behind that a good one does not leave.
bool judge_failure_leaves_nothing(FailureCase& failure, const LiveSet& of_good_run,
                                  const LiveSet& of_failed_run, const Moment& since,
                                  const std::string& call) {
    return judge_growth(of_failed_run - of_good_run, since, "after " + call + " failed",
                        "a call that fails gives back what it took before", failure.condition());
}

bool judge_no_misuse(const Moment& since) {
    for (const runtime::Misuse& misuse : session().misuses_after(since.call())) {
        if (misuse.kind == runtime::MisuseKind::double_free) {
            fail(story_of(misuse));
            return false;
        }
    }
    return true;
}

/// The pixels of one picture do not fit into an int: the runtime is asked for all of them. A request
/// of such a size is made to fail, so that no such picture is made or touched.
bool judge_picture_beyond_an_int() {
    const RecorderConfig config{65536, 65537, 1, nullptr, 0};
    runtime::Injection injection;
    injection.nth = 1;
    injection.repeat = true;
    injection.larger_than = std::size_t{256} << 20;
    FailureCase failure(1, injection);
    Recorder* recorder = nullptr;
    const Moment start;
    failure.arm();
    const cudaError_t status = learner([&] { return open_recorder(&config, &recorder); });
    const bool asked = failure.disarm();
    if (status != cudaSuccess) {
        return true;
    }
    close(recorder);
    if (asked || start.count_allocations() == 0) {
        return true;  // some recorders take their memory with the first frame
    }
    fail(Story("wrong-size",
               "open_recorder() said that it can record pictures of 65536 x 65537 "
               "pixels, and never asked for that many bytes.")
             .steps_after(start.call())
             .expected("blocks of 4295032832 bytes, or an error")
             .why("a product of two ints is an int"));
    return false;
}

TEST(Failure, OpeningLeavesNothing) {
    if (!judge_picture_beyond_an_int()) {
        return;
    }
    sweep_failures([](FailureCase& failure) {
        judge_only_what_stays();
        Settings settings = with_overlays(2);
        Recorder* good = open(settings);
        if (good == nullptr || !record_frames(good, 1, 3) ||
            !judge_picture(good, 0, settings.drawn(pattern(width, height, 3)))) {
            return;
        }
        close(good);
        const LiveSet before = LiveSet::now();
        const Moment start;
        int nothing = 0;
        auto* out = reinterpret_cast<Recorder*>(&nothing);
        const SettingsInUse in_use(settings);
        failure.arm();
        const cudaError_t status = learner([&] { return open_recorder(in_use.get(), &out); });
        if (!failure.disarm() || failure.sticky()) {
            return;
        }
        if (status == cudaSuccess) {
            if (record_frames(out, 1, 3)) {
                judge_history(out, settings, 3, 2);
            }
            close(out);
            return;
        }
        if (judge_no_misuse(start) &&
            judge_growth(LiveSet::now() - before, start, "after open_recorder() failed",
                         "a call that fails gives back what it took before", failure.condition())) {
            EXPECT_TRUE(judge_null(out, "*out", start, failure.condition()));
        }
    });
}

/// One recorder, from opening to closing, with one call in the middle that may be made to fail.
using Interrupted = std::function<void(Recorder*, FailureCase*)>;

/// `run` is a whole recorder's life, in which one call may be made to fail.
bool sweep_lives(const std::string& call, const std::function<void(FailureCase*)>& run,
                 const SweepOptions& options = {}) {
    const auto growth_of = [&](FailureCase* failure) {
        const LiveSet before = LiveSet::now();
        run(failure);
        return LiveSet::now() - before;
    };
    return sweep_failures(
        [&](FailureCase& failure) {
            judge_only_what_stays();
            growth_of(nullptr);
            const LiveSet of_good_run = growth_of(nullptr);
            const Moment start;
            const LiveSet of_failed_run = growth_of(&failure);
            if (failure.fired() && !failure.sticky() && !failed() && judge_no_misuse(start)) {
                judge_failure_leaves_nothing(failure, of_good_run, of_failed_run, start, call);
            }
        },
        options);
}

bool sweep_interrupted(const std::string& call, const Interrupted& interrupted) {
    return sweep_lives(call, [&](FailureCase* failure) {
        run_full_recorder([&](Recorder* recorder) { interrupted(recorder, failure); });
    });
}

/// Calls the learner's function with the failure armed. Returns whether it may be judged further.
bool call_interrupted(FailureCase* failure, const std::function<cudaError_t()>& call,
                      cudaError_t* status) {
    if (failure == nullptr) {
        *status = call();
        return true;
    }
    failure->arm();
    *status = call();
    return !(failure->disarm() && failure->sticky());
}

void read_interrupted(Recorder* recorder, FailureCase* failure) {
    const Pixels wanted = with_overlays(3).drawn(pattern(width, height, 2));
    HostArray<std::uint8_t> out(wanted.size(), "out");
    const Moment start;
    cudaError_t status = cudaSuccess;
    if (!call_interrupted(
            failure, [&] { return learner([&] { return read_picture(recorder, 1, out.data()); }); },
            &status)) {
        return;
    }
    if (status == cudaSuccess && !std::equal(wanted.begin(), wanted.end(), out.data())) {
        EXPECT_TRUE(judge_reports_failure(status, "read_picture()", start,
                                          failure ? failure->condition() : ""));
        return;
    }
    EXPECT_TRUE(judge_picture(recorder, 1, wanted, "a read that failed does no harm"));
}

bool is_copy_or_wait(runtime::Entry entry) {
    const std::string name = runtime::entry_name(entry);
    const auto begins = [&](const char* text) { return name.rfind(text, 0) == 0; };
    return begins("cudaMemcpy") || begins("cudaMemset") || begins("cudaEventRecord") ||
           begins("cudaEventElapsedTime") || runtime::waits_for_device(entry);
}

/// A later call of the same kind succeeded: whoever tries again may well succeed in the end. Calls
/// that are neither copies nor waits may have a substitute of any kind.
bool made_up_for(const CallRecord& failed_call, const Moment& since) {
    if (!is_copy_or_wait(failed_call.entry)) {
        return true;
    }
    const auto calls = since.calls();
    return std::any_of(calls.begin(), calls.end(), [&](const CallRecord& call) {
        const bool same_kind =
            call.entry == failed_call.entry ||
            (runtime::waits_for_device(call.entry) && runtime::waits_for_device(failed_call.entry));
        return call.number > failed_call.number && call.result == cudaSuccess && same_kind;
    });
}

void tell_dropped_error(const CallRecord& failed_call, const std::string& condition) {
    fail(Story("error-not-reported",
               "record_frame() returned cudaSuccess although one of its calls had failed.")
             .step(failed_call)
             .show("its result is dropped")
             .expected("the error of the call that failed, and the frame is not recorded")
             .found("cudaSuccess")
             .why(condition));
}

void record_interrupted(Recorder* recorder, FailureCase* failure) {
    const Settings settings = with_overlays(3);
    const Pixels frame = pattern(width, height, 4);
    const Moment start;
    cudaError_t status = cudaSuccess;
    if (!call_interrupted(
            failure, [&] { return record_status(recorder, frame, 4); }, &status)) {
        return;
    }
    const bool recorded = recorder_stats(recorder).recorded == 4;
    if (status == cudaSuccess && !recorded) {
        EXPECT_TRUE(judge_reports_failure(status, "record_frame()", start,
                                          failure ? failure->condition() : ""));
        return;
    }
    if (failure != nullptr && failure->fired() && status == cudaSuccess &&
        !made_up_for(failure->failed_call(), start)) {
        tell_dropped_error(failure->failed_call(), failure->condition());
        return;
    }
    // A frame that was not recorded may come again with its timestamp.
    const int newest = recorded ? 4 : 3;
    if (judge_picture(recorder, 0, settings.drawn(pattern(width, height, newest)),
                      failure ? failure->condition() : "") &&
        record_frames(recorder, newest + 1, newest + 1)) {
        EXPECT_TRUE(judge_picture(recorder, 0, settings.drawn(pattern(width, height, newest + 1)),
                                  "a frame that failed does no harm to the next, which may have "
                                  "the timestamp of the one that failed"));
    }
}

/// Opens a recorder and closes it; its very first frame is the one that may fail.
void record_first_frame(FailureCase* failure) {
    const Settings settings = with_overlays(2);
    Recorder* recorder = open(settings);
    if (recorder == nullptr) {
        return;
    }
    cudaError_t status = cudaSuccess;
    if (call_interrupted(
            failure, [&] { return record_status(recorder, pattern(width, height, 1), 1); },
            &status) &&
        record_frames(recorder, 2, 4)) {
        judge_history(recorder, settings, 4, 2);
    }
    close(recorder);
}

void change_interrupted(Recorder* recorder, FailureCase* failure, const Settings& next) {
    cudaError_t status = cudaSuccess;
    const bool judged = call_interrupted(
        failure, [&] { return configure_status(recorder, next); }, &status);
    if (!judged || status != cudaSuccess) {
        return;
    }
    if (record_frames(recorder, 10, 10)) {
        EXPECT_TRUE(judge_picture(recorder, 0, next.drawn(pattern(width, height, 10)),
                                  failure ? failure->condition() : ""));
    }
}

TEST(Failure, LaterCallsLeaveNothing) {
    sweep_interrupted("read_picture()", read_interrupted);
    sweep_interrupted("record_frame()", record_interrupted);
    SweepOptions plain_failures;
    plain_failures.errors = {cudaErrorMemoryAllocation, cudaErrorInvalidValue};
    sweep_lives("the first record_frame()", record_first_frame, plain_failures);
    if (sweep_interrupted("configure_recorder()", [](Recorder* recorder, FailureCase* failure) {
            change_interrupted(recorder, failure, with_overlays(3, 90));
        })) {
        sweep_interrupted("configure_recorder()", [](Recorder* recorder, FailureCase* failure) {
            change_interrupted(recorder, failure, with_overlays(5, 90));
        });
    }
}

}  // namespace
}  // namespace vram::checks
