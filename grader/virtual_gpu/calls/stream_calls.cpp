// Streams, events and host functions.

#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/clock/cost_table.h"

namespace vram::virtual_gpu {
namespace {

constexpr int lowest_priority = 0;
constexpr int highest_priority = -5;

cudaStream_t as_stream(std::uint64_t handle) {
    return reinterpret_cast<cudaStream_t>(handle);
}

std::shared_ptr<Event> event_of(Card& card, cudaEvent_t handle) {
    return card.scheduler.find_event(reinterpret_cast<std::uint64_t>(handle));
}

cudaError_t make_stream(cudaStream_t* out, unsigned flags, int priority) {
    CallScope call(cost::create_handle);
    if (flags & ~unsigned{cudaStreamNonBlocking})
        return cudaErrorInvalidValue;
    if (call.refused())
        return call.refused();
    if (!out)
        return cudaErrorInvalidValue;
    const int clamped = priority < highest_priority  ? highest_priority
                        : priority > lowest_priority ? lowest_priority
                                                     : priority;
    *out = as_stream(call.card().scheduler.create_stream(flags, clamped)->handle);
    return cudaSuccess;
}

cudaError_t make_event(cudaEvent_t* out, unsigned flags) {
    CallScope call(cost::create_handle);
    if (call.refused())
        return call.refused();
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    const bool interprocess = flags & cudaEventInterprocess;
    if (!out || (flags & ~known) || (interprocess && !(flags & cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    *out = reinterpret_cast<cudaEvent_t>(call.card().scheduler.create_event(flags)->handle);
    return cudaSuccess;
}

cudaError_t record_event(cudaEvent_t handle, cudaStream_t stream_handle, const char* name) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    const auto event = event_of(card, handle);
    const auto stream = stream_of(card, stream_handle);
    if (!event || !stream)
        return cudaErrorInvalidResourceHandle;
    card.scheduler.record(event, stream, origin_of(name));
    return cudaSuccess;
}

cudaError_t enqueue_host_function(cudaStream_t stream_handle, std::function<void()> function,
                                  const char* name) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    const auto stream = stream_of(card, stream_handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    Operation operation;
    operation.origin = origin_of(name);
    operation.calls_host = true;
    operation.execute = [function = std::move(function)] {
        function();
        return Execution{};
    };
    card.scheduler.enqueue(stream, std::move(operation));
    return cudaSuccess;
}

}  // namespace

VIRTUAL_CALL(cudaError_t, cudaStreamCreate, cudaStream_t* out) {
    return make_stream(out, cudaStreamDefault, lowest_priority);
}

VIRTUAL_CALL(cudaError_t, cudaStreamCreateWithFlags, cudaStream_t* out, unsigned int flags) {
    return make_stream(out, flags, lowest_priority);
}

VIRTUAL_CALL(cudaError_t, cudaStreamCreateWithPriority, cudaStream_t* out, unsigned int flags,
             int priority) {
    return make_stream(out, flags, priority);
}

VIRTUAL_CALL(cudaError_t, cudaStreamDestroy, cudaStream_t handle) {
    CallScope call(cost::create_handle);
    if (!handle)
        return cudaErrorInvalidResourceHandle;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    if (handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    const auto stream = stream_of(card, handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    card.scheduler.destroy_stream(stream);
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaStreamSynchronize, _ptsz, (cudaStream_t handle), (handle)) {
    CallScope call(cost::synchronise);
    if (call.refused())
        return call.refused();
    const auto stream = stream_of(call.card(), handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    call.card().scheduler.wait_for_stream(stream);
    return outcome(call.card());
}

VIRTUAL_STREAM_CALL(cudaStreamQuery, _ptsz, (cudaStream_t handle), (handle)) {
    CallScope call(cost::synchronise);
    if (call.refused())
        return call.refused();
    const auto stream = stream_of(call.card(), handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    const bool done = call.card().scheduler.query(stream);
    if (outcome(call.card()))
        return outcome(call.card());
    return done ? cudaSuccess : cudaErrorNotReady;
}

VIRTUAL_STREAM_CALL(cudaStreamWaitEvent, _ptsz,
                    (cudaStream_t stream_handle, cudaEvent_t event_handle, unsigned int flags),
                    (stream_handle, event_handle, flags)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    const auto stream = stream_of(card, stream_handle);
    const auto event = event_of(card, event_handle);
    if (!stream || !event)
        return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal)
        return cudaErrorInvalidValue;
    card.scheduler.wait_in_stream(stream, *event, origin_of("cudaStreamWaitEvent"));
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaStreamGetFlags, _ptsz, (cudaStream_t handle, unsigned int* flags),
                    (handle, flags)) {
    CallScope call;
    if (!flags)
        return cudaErrorInvalidValue;
    if (call.refused())
        return call.refused();
    const auto stream = stream_of(call.card(), handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    *flags = stream->flags;
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaStreamGetPriority, _ptsz, (cudaStream_t handle, int* priority),
                    (handle, priority)) {
    CallScope call;
    if (!priority)
        return cudaErrorInvalidValue;
    if (call.refused())
        return call.refused();
    const auto stream = stream_of(call.card(), handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    *priority = stream->priority;
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaStreamGetId, _ptsz, (cudaStream_t handle, unsigned long long* id),
                    (handle, id)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    const auto stream = stream_of(call.card(), handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!id)
        return cudaErrorInvalidValue;
    *id = stream->id;
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaStreamGetDevice, _ptsz, (cudaStream_t handle, int* device),
                    (handle, device)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!stream_of(call.card(), handle))
        return cudaErrorInvalidResourceHandle;
    if (!device)
        return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaStreamIsCapturing, _ptsz,
                    (cudaStream_t handle, cudaStreamCaptureStatus* status), (handle, status)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    if (!stream_of(call.card(), handle))
        return cudaErrorInvalidResourceHandle;
    if (!status)
        return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;  // capturing is refused, so it never happens
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaStreamAttachMemAsync, _ptsz,
                    (cudaStream_t handle, void* pointer, size_t length, unsigned int flags),
                    (handle, pointer, length, flags)) {
    CallScope call;
    if (call.refused())
        return call.refused();
    Card& card = call.card();
    if (!stream_of(card, handle))
        return cudaErrorInvalidResourceHandle;
    const Block* block = card.space.find_live(reinterpret_cast<std::uint64_t>(pointer));
    constexpr unsigned known = cudaMemAttachGlobal | cudaMemAttachHost | cudaMemAttachSingle;
    const bool fits = block && block->kind == MemoryKind::managed &&
                      (length == 0 || length == block->end - block->begin);
    return fits && flags && !(flags & ~known) ? cudaSuccess : cudaErrorInvalidValue;
}

VIRTUAL_STREAM_CALL(cudaLaunchHostFunc, _ptsz,
                    (cudaStream_t handle, cudaHostFn_t function, void* data),
                    (handle, function, data)) {
    if (!function)
        return cudaErrorInvalidValue;
    return enqueue_host_function(
        handle, [=] { function(data); }, "cudaLaunchHostFunc");
}

VIRTUAL_STREAM_CALL(cudaStreamAddCallback, _ptsz,
                    (cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                     unsigned int flags),
                    (handle, callback, data, flags)) {
    if (!callback || flags != 0)
        return cudaErrorInvalidValue;
    return enqueue_host_function(
        handle, [=] { callback(handle, cudaSuccess, data); }, "cudaStreamAddCallback");
}

VIRTUAL_CALL(cudaError_t, cudaEventCreate, cudaEvent_t* out) {
    return make_event(out, cudaEventDefault);
}

VIRTUAL_CALL(cudaError_t, cudaEventCreateWithFlags, cudaEvent_t* out, unsigned int flags) {
    return make_event(out, flags);
}

VIRTUAL_CALL(cudaError_t, cudaEventDestroy, cudaEvent_t handle) {
    CallScope call;
    if (!handle)
        return cudaErrorInvalidResourceHandle;
    if (call.refused())
        return call.refused();
    const auto event = event_of(call.card(), handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    call.card().scheduler.destroy_event(event);
    return cudaSuccess;
}

VIRTUAL_STREAM_CALL(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
                    (event, stream)) {
    return record_event(event, stream, "cudaEventRecord");
}

VIRTUAL_STREAM_CALL(cudaEventRecordWithFlags, _ptsz,
                    (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                    (event, stream, flags)) {
    if (flags == cudaEventRecordExternal)
        return cudaErrorIllegalState;  // that is for captures
    if (flags != cudaEventRecordDefault)
        return cudaErrorInvalidValue;
    return record_event(event, stream, "cudaEventRecordWithFlags");
}

VIRTUAL_CALL(cudaError_t, cudaEventSynchronize, cudaEvent_t handle) {
    CallScope call(cost::synchronise);
    if (!handle)
        return cudaErrorInvalidResourceHandle;
    if (call.refused())
        return call.refused();
    const auto event = event_of(call.card(), handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    call.card().scheduler.wait_for_event(*event);
    return outcome(call.card());
}

VIRTUAL_CALL(cudaError_t, cudaEventQuery, cudaEvent_t handle) {
    CallScope call(cost::synchronise);
    if (!handle)
        return cudaErrorInvalidResourceHandle;
    if (call.refused())
        return call.refused();
    const auto event = event_of(call.card(), handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    const bool reached = call.card().scheduler.query(*event);
    if (outcome(call.card()))
        return outcome(call.card());
    return reached ? cudaSuccess : cudaErrorNotReady;
}

VIRTUAL_CALL(cudaError_t, cudaEventElapsedTime, float* milliseconds, cudaEvent_t start_handle,
             cudaEvent_t end_handle) {
    CallScope call;
    if (!start_handle || !end_handle)
        return cudaErrorInvalidResourceHandle;
    if (!milliseconds)
        return cudaErrorInvalidValue;
    if (call.refused())
        return call.refused();
    const auto start = event_of(call.card(), start_handle);
    const auto end = event_of(call.card(), end_handle);
    if (!start || !end)
        return cudaErrorInvalidResourceHandle;
    const bool timed = !((start->flags | end->flags) & cudaEventDisableTiming);
    if (!start->recorded || !end->recorded || !timed)
        return cudaErrorInvalidResourceHandle;
    // Asking again and again has to come to an end, so that the question lets the work go on.
    const bool start_reached = call.card().scheduler.query(*start);
    const bool end_reached = call.card().scheduler.query(*end);
    if (outcome(call.card()))
        return outcome(call.card());
    if (!start_reached || !end_reached)
        return cudaErrorNotReady;
    constexpr double nanoseconds_per_millisecond = 1e6;
    const double elapsed =
        static_cast<double>(end->nanoseconds) - static_cast<double>(start->nanoseconds);
    *milliseconds = static_cast<float>(elapsed / nanoseconds_per_millisecond);
    return cudaSuccess;
}

}  // namespace vram::virtual_gpu
