// Keeps the streams and decides when their work runs: as late as the program lets it, in an order
// that only the explicit edges restrict.
//
// All functions expect the lock of the card to be held; those that run work may release it while a
// host function runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "grader/virtual_gpu/streams/event.h"
#include "grader/virtual_gpu/streams/handle_table.h"
#include "grader/virtual_gpu/streams/hazard_detector.h"
#include "grader/virtual_gpu/streams/stream.h"
#include "grader/virtual_gpu/variation.h"

namespace vram::virtual_gpu {

/// Points into a queue: everything up to and including this piece of work.
struct StreamPoint {
    std::shared_ptr<Stream> stream;
    std::uint64_t tick = 0;
    VectorClock clock;
};

class Scheduler {
  public:
    Scheduler(std::mutex& card_mutex, HazardDetector& hazards, Variation& variation);

    // --- Streams and events.
    std::shared_ptr<Stream> legacy() const { return legacy_; }
    std::shared_ptr<Stream> per_thread();
    std::shared_ptr<Stream> create_stream(unsigned flags, int priority);
    /// nullptr when no live stream has this handle.
    std::shared_ptr<Stream> find_stream(std::uint64_t handle) const;
    /// Its work goes on; the handle is dead.
    void destroy_stream(const std::shared_ptr<Stream>& stream);

    std::shared_ptr<Event> create_event(unsigned flags);
    std::shared_ptr<Event> find_event(std::uint64_t handle) const;
    void destroy_event(const std::shared_ptr<Event>& event);
    void record(const std::shared_ptr<Event>& event, const std::shared_ptr<Stream>& stream,
                std::shared_ptr<const Origin> origin);
    /// Work enqueued in `stream` from now on waits for the event's last record.
    void wait_in_stream(const std::shared_ptr<Stream>& stream, const Event& event,
                        std::shared_ptr<const Origin> origin);
    /// All handles die.
    void destroy_all();

    // --- Work.
    /// Appends work; it runs later. The returned point stays valid.
    StreamPoint enqueue(const std::shared_ptr<Stream>& stream, Operation operation);
    /// The end of the queue as it is now. For the legacy stream: of all blocking streams too.
    StreamPoint last_point(const std::shared_ptr<Stream>& stream) const;

    // --- Waiting. Each runs what it has to and orders the host after it.
    void wait_for(const StreamPoint& point);
    void wait_for_stream(const std::shared_ptr<Stream>& stream);
    void wait_for_event(const Event& event);
    void wait_for_everything();
    /// False while work is pending; each such answer lets the stream advance by one piece.
    bool query(const std::shared_ptr<Stream>& stream);
    bool query(const Event& event);

    /// Runs everything that no host function holds up, without ordering the host after it.
    void run_without_waiting();
    /// The same for the work that may touch bytes [begin, end), and what has to come before it.
    void run_work_on(std::uint64_t begin, std::uint64_t end);
    /// The host's time passes until the card is idle; nothing else changes.
    void wait_in_time_only();
    /// Everything, host functions too; no order for the host either.
    void run_everything();

    bool idle() const;
    const VectorClock& host_clock() const { return host_clock_; }
    /// 0, or the error that every call returns from now on.
    int sticky_error() const { return sticky_error_; }
    void set_sticky_error(int error) { sticky_error_ = error; }

    std::uint64_t host_nanoseconds() const { return host_nanoseconds_; }
    void spend(std::uint64_t nanoseconds) { host_nanoseconds_ += nanoseconds; }

    /// Called after each wait of the host.
    std::function<void()> after_wait;
    /// Called around each piece of work that runs, also when it calls the host.
    std::function<void()> before_execution;
    std::function<void(const Operation&, const std::vector<Access>&)> after_execution;
    /// Called after each enqueue.
    std::function<void()> after_enqueue;

  private:
    std::shared_ptr<Stream> new_stream(Stream::Kind kind);
    std::vector<std::shared_ptr<Stream>> streams() const;
    void run_up_to(const std::shared_ptr<Stream>& stream, std::uint64_t tick);
    void run_front(const std::shared_ptr<Stream>& stream);
    bool front_is_free_of_host(const std::shared_ptr<Stream>& stream, std::uint64_t tick,
                               int depth);
    bool advance_once(const std::shared_ptr<Stream>& stream, std::uint64_t tick);
    void limit_pending();
    void join_host(const VectorClock& clock, std::uint64_t reached_at);
    void bury_idle_streams();

    std::mutex& card_mutex_;
    HazardDetector& hazards_;
    Variation& variation_;
    std::shared_ptr<Stream> legacy_;
    std::unordered_map<std::thread::id, std::shared_ptr<Stream>> per_thread_;
    HandleTable<Stream> stream_handles_;
    HandleTable<Event> event_handles_;
    std::vector<std::shared_ptr<Stream>> all_streams_;  ///< destroyed ones until their work is done
    struct FreeTimeline {
        std::uint32_t timeline;
        std::uint64_t last_tick;
    };
    std::vector<FreeTimeline> free_timelines_;
    std::uint32_t timelines_ = 0;
    std::uint64_t last_stream_id_ = 0;
    std::uint64_t last_serial_ = 0;
    std::size_t pending_ = 0;
    VectorClock host_clock_;
    VectorClock buried_clock_;  ///< of destroyed streams that were ordered with the legacy stream
    std::uint64_t host_nanoseconds_ = 0;
    int sticky_error_ = 0;
    std::condition_variable_any host_function_done_;
};

/// True while this thread runs a host function of a stream: runtime calls are not permitted there.
bool in_host_function();

}  // namespace vram::virtual_gpu
