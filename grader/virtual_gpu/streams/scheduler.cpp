#include "grader/virtual_gpu/streams/scheduler.h"

#include <driver_types.h>

#include <algorithm>

namespace vram::virtual_gpu {
namespace {

constexpr std::uint64_t stream_handles_from = 0x5100'0000'0000;
constexpr std::uint64_t event_handles_from = 0x5200'0000'0000;
/// Hardware queues are finite too; beyond this the oldest work runs.
constexpr std::size_t most_pending = 1024;

thread_local bool running_host_function = false;

}  // namespace

bool in_host_function() {
    return running_host_function;
}

Scheduler::Scheduler(std::mutex& card_mutex, HazardDetector& hazards, Variation& variation)
    : card_mutex_(card_mutex),
      hazards_(hazards),
      variation_(variation),
      stream_handles_(stream_handles_from),
      event_handles_(event_handles_from) {
    legacy_ = new_stream(Stream::Kind::legacy);
}

// ---- streams and events

std::shared_ptr<Stream> Scheduler::new_stream(Stream::Kind kind) {
    FreeTimeline place{timelines_, 0};
    const auto quiet = std::find_if(
        free_timelines_.begin(), free_timelines_.end(), [&](const FreeTimeline& candidate) {
            return host_clock_.covers(Epoch{candidate.timeline, candidate.last_tick});
        });
    // A timeline is used again only when all its work is known to be over: else the new stream
    // would seem to be ordered after the old one.
    if (quiet != free_timelines_.end()) {
        place = *quiet;
        free_timelines_.erase(quiet);
    } else {
        ++timelines_;
    }
    auto stream =
        std::make_shared<Stream>(kind, place.timeline, place.last_tick, ++last_stream_id_);
    all_streams_.push_back(stream);
    return stream;
}

std::shared_ptr<Stream> Scheduler::per_thread() {
    std::shared_ptr<Stream>& stream = per_thread_[std::this_thread::get_id()];
    if (!stream)
        stream = new_stream(Stream::Kind::per_thread);
    return stream;
}

std::shared_ptr<Stream> Scheduler::create_stream(unsigned flags, int priority) {
    auto stream = new_stream(flags & cudaStreamNonBlocking ? Stream::Kind::non_blocking
                                                           : Stream::Kind::blocking);
    stream->flags = flags;
    stream->priority = priority;
    stream->handle = stream_handles_.add(stream, variation_.reuses_handles());
    return stream;
}

std::shared_ptr<Stream> Scheduler::find_stream(std::uint64_t handle) const {
    return stream_handles_.find(handle);
}

void Scheduler::destroy_stream(const std::shared_ptr<Stream>& stream) {
    stream_handles_.remove(stream->handle);
    stream->destroyed = true;
    bury_idle_streams();
}

void Scheduler::bury_idle_streams() {
    std::erase_if(all_streams_, [&](const std::shared_ptr<Stream>& stream) {
        const bool over = stream->destroyed && stream->idle();
        // Later work on the legacy stream still has to come after what a buried stream did.
        if (over && stream->ordered_with_legacy())
            buried_clock_.join(stream->clock);
        if (over)
            free_timelines_.push_back({stream->timeline, stream->last_tick});
        return over;
    });
}

std::shared_ptr<Event> Scheduler::create_event(unsigned flags) {
    auto event = std::make_shared<Event>();
    event->flags = flags;
    event->handle = event_handles_.add(event, variation_.reuses_handles());
    return event;
}

std::shared_ptr<Event> Scheduler::find_event(std::uint64_t handle) const {
    return event_handles_.find(handle);
}

void Scheduler::destroy_event(const std::shared_ptr<Event>& event) {
    event_handles_.remove(event->handle);
}

void Scheduler::record(const std::shared_ptr<Event>& event, const std::shared_ptr<Stream>& stream,
                       std::shared_ptr<const Origin> origin) {
    Operation mark;
    mark.origin = std::move(origin);
    const std::uint64_t tick = stream->last_tick + 1;
    mark.execute = [event, stream, tick] {
        if (event->stream == stream && event->tick == tick)
            event->nanoseconds = stream->free_at;
        return Execution{};
    };
    event->recorded = true;
    event->stream = stream;
    event->tick = tick;
    event->clock = enqueue(stream, std::move(mark)).clock;
}

void Scheduler::wait_in_stream(const std::shared_ptr<Stream>& stream, const Event& event,
                               std::shared_ptr<const Origin> origin) {
    if (!event.recorded)
        return;
    Operation wait;
    wait.origin = std::move(origin);
    wait.execute = [] { return Execution{}; };
    wait.clock = event.clock;
    wait.dependencies.push_back({event.stream, event.tick});
    enqueue(stream, std::move(wait));
}

void Scheduler::destroy_all() {
    for (const auto& stream : std::vector(all_streams_))
        if (stream->handle && !stream->destroyed)
            destroy_stream(stream);
    for (const auto& event : event_handles_.all())
        destroy_event(event);
}

// ---- work

StreamPoint Scheduler::enqueue(const std::shared_ptr<Stream>& stream, Operation operation) {
    operation.clock.join(stream->clock);
    operation.clock.join(host_clock_);
    const auto order_after = [&](const std::shared_ptr<Stream>& other) {
        operation.clock.join(other->clock);
        if (!other->idle())
            operation.dependencies.push_back({other, other->last_tick});
    };
    if (stream == legacy_) {
        operation.clock.join(buried_clock_);
        for (const auto& other : all_streams_)
            if (other != stream && other->ordered_with_legacy())
                order_after(other);
    } else if (stream->ordered_with_legacy()) {
        order_after(legacy_);
    }
    operation.epoch = {stream->timeline, ++stream->last_tick};
    operation.clock.join(operation.epoch);
    operation.enqueued_at = host_nanoseconds_;
    operation.serial = ++last_serial_;
    stream->clock = operation.clock;
    StreamPoint point{stream, stream->last_tick, operation.clock};
    stream->pending.push_back(std::move(operation));
    ++pending_;
    limit_pending();
    if (after_enqueue)
        after_enqueue();
    return point;
}

void Scheduler::limit_pending() {
    while (pending_ > most_pending) {
        std::shared_ptr<Stream> oldest;
        for (const auto& stream : all_streams_)
            if (!stream->pending.empty() && !stream->running &&
                (!oldest || stream->pending.front().serial < oldest->pending.front().serial))
                oldest = stream;
        if (!oldest)
            return;
        run_up_to(oldest, oldest->done_tick + 1);
    }
}

StreamPoint Scheduler::last_point(const std::shared_ptr<Stream>& stream) const {
    return {stream, stream->last_tick, stream->clock};
}

void Scheduler::run_up_to(const std::shared_ptr<Stream>& stream, std::uint64_t tick) {
    while (stream->done_tick < tick) {
        if (stream->running) {
            host_function_done_.wait(card_mutex_);
            continue;
        }
        const std::vector<Dependency> dependencies = stream->pending.front().dependencies;
        const std::uint64_t next = stream->done_tick + 1;
        for (const Dependency& dependency : dependencies)
            run_up_to(dependency.stream, dependency.tick);
        // The lock may have been given up on the way, and somebody else may have run it.
        if (!stream->running && stream->done_tick + 1 == next)
            run_front(stream);
    }
}

void Scheduler::run_front(const std::shared_ptr<Stream>& stream) {
    Operation operation = std::move(stream->pending.front());
    stream->running = true;
    std::uint64_t start = std::max(operation.enqueued_at, stream->free_at);
    for (const Dependency& dependency : operation.dependencies)
        start = std::max(start, dependency.stream->free_at);
    stream->free_at = start;
    Execution result;
    if (sticky_error_ == 0) {
        if (before_execution)
            before_execution();
        if (operation.calls_host) {
            card_mutex_.unlock();
            running_host_function = true;
            result = operation.execute();
            running_host_function = false;
            card_mutex_.lock();
        } else {
            result = operation.execute();
        }
        const auto& accesses = operation.known_accesses ? operation.accesses : result.accesses;
        hazards_.record(operation, accesses, true);
        if (after_execution)
            after_execution(operation, accesses);
        if (result.error != 0 && sticky_error_ == 0)
            sticky_error_ = result.error;
    }
    stream->free_at = start + result.nanoseconds;
    stream->pending.pop_front();
    --pending_;
    ++stream->done_tick;
    stream->running = false;
    host_function_done_.notify_all();
}

// ---- waiting

void Scheduler::join_host(const VectorClock& clock, std::uint64_t reached_at) {
    host_clock_.join(clock);
    host_nanoseconds_ = std::max(host_nanoseconds_, reached_at);
    bury_idle_streams();
    hazards_.forget_covered(host_clock_);
    if (after_wait)
        after_wait();
}

void Scheduler::wait_for(const StreamPoint& point) {
    run_up_to(point.stream, point.tick);
    join_host(point.clock, point.stream->free_at);
}

void Scheduler::wait_for_stream(const std::shared_ptr<Stream>& stream) {
    wait_for(last_point(stream));
    if (stream != legacy_)
        return;
    for (const auto& other : streams())
        if (other->ordered_with_legacy())
            wait_for(last_point(other));
    join_host(buried_clock_, 0);
}

void Scheduler::wait_for_event(const Event& event) {
    if (!event.recorded)
        return;
    const StreamPoint point{event.stream, event.tick, event.clock};
    run_up_to(point.stream, point.tick);
    join_host(point.clock, event.nanoseconds);
}

std::vector<std::shared_ptr<Stream>> Scheduler::streams() const {
    std::vector<std::shared_ptr<Stream>> shuffled = all_streams_;
    for (std::size_t i = shuffled.size(); i > 1; --i)
        std::swap(shuffled[i - 1], shuffled[i - 1 - variation_.pick(i)]);
    return shuffled;
}

void Scheduler::run_everything() {
    for (const auto& stream : streams())
        run_up_to(stream, stream->last_tick);
}

void Scheduler::wait_for_everything() {
    VectorClock all;
    std::uint64_t end = host_nanoseconds_;
    for (const auto& stream : streams()) {
        const StreamPoint point = last_point(stream);
        run_up_to(stream, point.tick);
        all.join(point.clock);
        end = std::max(end, stream->free_at);
    }
    for (const FreeTimeline& buried : free_timelines_)
        all.join(Epoch{buried.timeline, buried.last_tick});
    join_host(all, end);
}

bool Scheduler::front_is_free_of_host(const std::shared_ptr<Stream>& stream, std::uint64_t tick,
                                      int depth) {
    constexpr int deepest = 64;
    if (stream->done_tick >= tick)
        return true;
    if (depth > deepest || stream->running)
        return false;
    std::uint64_t remaining = tick - stream->done_tick;
    for (const Operation& operation : stream->pending) {
        if (remaining-- == 0)
            break;
        if (operation.calls_host)
            return false;
        for (const Dependency& dependency : operation.dependencies)
            if (!front_is_free_of_host(dependency.stream, dependency.tick, depth + 1))
                return false;
    }
    return true;
}

void Scheduler::run_without_waiting() {
    for (const auto& stream : streams())
        while (!stream->idle() && front_is_free_of_host(stream, stream->done_tick + 1, 0))
            run_up_to(stream, stream->done_tick + 1);
}

void Scheduler::run_work_on(std::uint64_t begin, std::uint64_t end) {
    const auto may_touch = [&](const Operation& operation) {
        return !operation.known_accesses ||
               std::any_of(
                   operation.accesses.begin(), operation.accesses.end(),
                   [&](const Access& access) { return access.begin < end && begin < access.end; });
    };
    for (const auto& stream : streams()) {
        std::uint64_t last = 0;
        for (const Operation& operation : stream->pending)
            if (may_touch(operation))
                last = operation.epoch.tick;
        while (stream->done_tick < last && front_is_free_of_host(stream, stream->done_tick + 1, 0))
            run_up_to(stream, stream->done_tick + 1);
    }
}

void Scheduler::wait_in_time_only() {
    for (const auto& stream : all_streams_)
        host_nanoseconds_ = std::max(host_nanoseconds_, stream->free_at);
}

bool Scheduler::advance_once(const std::shared_ptr<Stream>& stream, std::uint64_t tick) {
    if (stream->done_tick >= tick)
        return false;
    if (stream->running)
        return true;
    const std::vector<Dependency> dependencies = stream->pending.front().dependencies;
    for (const Dependency& dependency : dependencies)
        if (advance_once(dependency.stream, dependency.tick))
            return true;
    run_front(stream);
    return true;
}

bool Scheduler::query(const std::shared_ptr<Stream>& stream) {
    bool pending = advance_once(stream, stream->last_tick);
    if (stream == legacy_)
        for (const auto& other : streams())
            if (other->ordered_with_legacy())
                pending = pending || advance_once(other, other->last_tick);
    if (pending)
        return false;
    VectorClock reached = stream->clock;
    if (stream == legacy_) {
        reached.join(buried_clock_);
        for (const auto& other : all_streams_)
            if (other->ordered_with_legacy())
                reached.join(other->clock);
    }
    join_host(reached, stream->free_at);
    return true;
}

bool Scheduler::query(const Event& event) {
    if (!event.recorded)
        return true;
    if (advance_once(event.stream, event.tick))
        return false;
    join_host(event.clock, event.nanoseconds);
    return true;
}

bool Scheduler::idle() const {
    return pending_ == 0;
}

}  // namespace vram::virtual_gpu
