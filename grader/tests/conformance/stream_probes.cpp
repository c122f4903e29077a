// Streams, events and host functions.
#include <atomic>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

constexpr long long long_time = 200'000'000;  // clock cycles, about 0.1 s on an H200

PROBE(stream_creation) {
    fact("cudaStreamCreate into null", cudaStreamCreate(nullptr));
    cudaStream_t stream = nullptr;
    for (const unsigned flags : {0u, 1u, 2u, 3u, 8u}) {
        const cudaError_t result = cudaStreamCreateWithFlags(&stream, flags);
        unsigned seen = 99;
        if (result == cudaSuccess) {
            cudaStreamGetFlags(stream, &seen);
            cudaStreamDestroy(stream);
        }
        fact("cudaStreamCreateWithFlags of " + std::to_string(flags), {result, seen});
    }
    int least = 99;
    int greatest = 99;
    fact("stream priorities",
         {cudaDeviceGetStreamPriorityRange(&least, &greatest), least, greatest});
    fact("stream priorities without places", cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    for (const int priority : {-100, -5, -3, 0, 1, 100}) {
        int seen = 99;
        const cudaError_t result = cudaStreamCreateWithPriority(&stream, 0, priority);
        if (result == cudaSuccess) {
            cudaStreamGetPriority(stream, &seen);
            cudaStreamDestroy(stream);
        }
        fact("priority of a stream made with " + std::to_string(priority), {result, seen});
    }
}

PROBE(stream_questions) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    unsigned flags = 99;
    int number = 99;
    unsigned long long id = 0;
    unsigned long long other = 0;
    fact("cudaStreamQuery of a new stream", cudaStreamQuery(stream));
    fact("cudaStreamSynchronize of a new stream", cudaStreamSynchronize(stream));
    fact("cudaStreamQuery of the null stream", cudaStreamQuery(nullptr));
    fact("cudaStreamQuery of cudaStreamLegacy", cudaStreamQuery(cudaStreamLegacy));
    fact("cudaStreamQuery of cudaStreamPerThread", cudaStreamQuery(cudaStreamPerThread));
    fact("flags of the null stream", {cudaStreamGetFlags(nullptr, &flags), flags});
    fact("flags of cudaStreamLegacy", {cudaStreamGetFlags(cudaStreamLegacy, &flags), flags});
    fact("flags of cudaStreamPerThread", {cudaStreamGetFlags(cudaStreamPerThread, &flags), flags});
    fact("priority of the null stream", {cudaStreamGetPriority(nullptr, &number), number});
    fact("cudaStreamGetFlags without a place", cudaStreamGetFlags(stream, nullptr));
    fact("cudaStreamGetPriority without a place", cudaStreamGetPriority(stream, nullptr));
    fact("cudaStreamGetId",
         {cudaStreamGetId(stream, &id), cudaStreamGetId(nullptr, &other), id != other});
    fact("cudaStreamGetId without a place", cudaStreamGetId(stream, nullptr));
    cudaStreamCaptureStatus status = static_cast<cudaStreamCaptureStatus>(9);
    fact("cudaStreamIsCapturing", {cudaStreamIsCapturing(stream, &status), status});
    fact("cudaStreamIsCapturing of the null stream", cudaStreamIsCapturing(nullptr, &status));
    fact("cudaStreamDestroy", cudaStreamDestroy(stream));
    fact("cudaStreamDestroy of the null stream", cudaStreamDestroy(nullptr));
    fact("cudaStreamDestroy of cudaStreamLegacy", cudaStreamDestroy(cudaStreamLegacy));
    fact("cudaStreamDestroy of cudaStreamPerThread", cudaStreamDestroy(cudaStreamPerThread));
    cudaStream_t again = nullptr;
    cudaStreamCreate(&again);
    fact("a destroyed stream's handle comes back at once", again == stream);
    cudaStreamDestroy(again);
}

PROBE(stream_busy) {
    cudaStream_t stream = nullptr;
    cudaStream_t other = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    launch_spin(long_time, stream);
    fact("cudaStreamQuery of a busy stream", cudaStreamQuery(stream));
    fact("error slot after it", cudaGetLastError());
    fact("cudaStreamQuery of another stream meanwhile", cudaStreamQuery(other));
    fact("cudaStreamSynchronize of a busy stream", cudaStreamSynchronize(stream));
    fact("cudaStreamQuery after the wait", cudaStreamQuery(stream));
    launch_spin(long_time, stream);
    fact("cudaStreamDestroy of a busy stream", cudaStreamDestroy(stream));
    fact("cudaDeviceSynchronize after it", cudaDeviceSynchronize());
    cudaStreamDestroy(other);
}

PROBE_ALONE(stream_destroyed_twice) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    fact("a second cudaStreamDestroy", cudaStreamDestroy(stream));
}

PROBE_ALONE(stream_used_after_destruction) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    fact("cudaStreamSynchronize of a destroyed stream", cudaStreamSynchronize(stream));
}

PROBE_ALONE(launch_on_destroyed_stream) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    launch_nothing(stream);
    fact("a launch on a destroyed stream", cudaGetLastError());
}

PROBE(event_creation) {
    fact("cudaEventCreate into null", cudaEventCreate(nullptr));
    for (const unsigned flags : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 16u}) {
        cudaEvent_t event = nullptr;
        const cudaError_t result = cudaEventCreateWithFlags(&event, flags);
        fact("cudaEventCreateWithFlags of " + std::to_string(flags), result);
        if (result == cudaSuccess) {
            cudaEventDestroy(event);
        }
    }
}

PROBE(event_never_recorded) {
    cudaEvent_t event = nullptr;
    cudaEvent_t recorded = nullptr;
    cudaEventCreate(&event);
    cudaEventCreate(&recorded);
    cudaEventRecord(recorded);
    cudaDeviceSynchronize();
    float milliseconds = -1;
    fact("cudaEventQuery, never recorded", cudaEventQuery(event));
    fact("cudaEventSynchronize, never recorded", cudaEventSynchronize(event));
    fact("cudaStreamWaitEvent, never recorded", cudaStreamWaitEvent(nullptr, event, 0));
    fact("cudaEventElapsedTime, neither recorded",
         cudaEventElapsedTime(&milliseconds, event, event));
    fact("cudaEventElapsedTime, start never recorded",
         cudaEventElapsedTime(&milliseconds, event, recorded));
    fact("cudaEventElapsedTime, end never recorded",
         cudaEventElapsedTime(&milliseconds, recorded, event));
    fact("error slot after it", cudaGetLastError());
    fact("cudaEventDestroy, never recorded", cudaEventDestroy(event));
    cudaEventDestroy(recorded);
}

PROBE(event_arguments) {
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    float milliseconds = -1;
    fact("cudaEventRecord of a null event", cudaEventRecord(nullptr));
    fact("cudaEventQuery of a null event", cudaEventQuery(nullptr));
    fact("cudaEventSynchronize of a null event", cudaEventSynchronize(nullptr));
    fact("cudaEventDestroy of a null event", cudaEventDestroy(nullptr));
    fact("cudaStreamWaitEvent for a null event", cudaStreamWaitEvent(nullptr, nullptr, 0));
    fact("cudaStreamWaitEvent with flags 2", cudaStreamWaitEvent(nullptr, event, 2));
    fact("cudaEventElapsedTime of null events",
         cudaEventElapsedTime(&milliseconds, nullptr, nullptr));
    cudaEventRecord(event);
    cudaEventSynchronize(event);
    fact("cudaEventElapsedTime without a place", cudaEventElapsedTime(nullptr, event, event));
    fact("cudaEventElapsedTime of one event with itself",
         {cudaEventElapsedTime(&milliseconds, event, event), milliseconds == 0.0f});
    fact("cudaEventRecordWithFlags of flags 2", cudaEventRecordWithFlags(event, nullptr, 2));
    fact("cudaEventRecordWithFlags of flags 1 outside a capture",
         cudaEventRecordWithFlags(event, nullptr, 1));
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
}

PROBE(event_timing) {
    cudaEvent_t start = nullptr;
    cudaEvent_t end = nullptr;
    cudaEvent_t untimed = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    float milliseconds = -1;
    cudaEventRecord(start);
    launch_spin(long_time);
    cudaEventRecord(end);
    fact("cudaEventQuery of a busy event", cudaEventQuery(end));
    fact("cudaEventElapsedTime of a busy event", cudaEventElapsedTime(&milliseconds, start, end));
    fact("error slot after those", cudaGetLastError());
    fact("cudaEventSynchronize", cudaEventSynchronize(end));
    fact("cudaEventQuery after the wait", cudaEventQuery(end));
    fact("cudaEventElapsedTime is positive",
         {cudaEventElapsedTime(&milliseconds, start, end), milliseconds > 0});
    fact("cudaEventElapsedTime backwards is negative",
         {cudaEventElapsedTime(&milliseconds, end, start), milliseconds < 0});
    cudaEventRecord(untimed);
    cudaEventSynchronize(untimed);
    fact("cudaEventElapsedTime of an event without timing",
         cudaEventElapsedTime(&milliseconds, start, untimed));
    launch_spin(long_time);
    cudaEventRecord(start);
    fact("cudaEventDestroy of a busy event", cudaEventDestroy(start));
    cudaDeviceSynchronize();
    cudaEventDestroy(end);
    cudaEventDestroy(untimed);
}

PROBE_ALONE(event_destroyed_twice) {
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    cudaEventDestroy(event);
    fact("a second cudaEventDestroy", cudaEventDestroy(event));
}

PROBE_ALONE(event_used_after_destruction) {
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    cudaEventRecord(event);
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    fact("cudaEventQuery of a destroyed event", cudaEventQuery(event));
}

PROBE(default_stream_waits) {
    cudaStream_t blocking = nullptr;
    cudaStream_t free_running = nullptr;
    cudaStreamCreate(&blocking);
    cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking);
    launch_spin(long_time, blocking);
    launch_nothing();
    fact("the null stream waits for a blocking stream", cudaStreamQuery(nullptr));
    cudaDeviceSynchronize();
    launch_spin(long_time, nullptr);
    launch_nothing(blocking);
    fact("a blocking stream waits for the null stream", cudaStreamQuery(blocking));
    cudaDeviceSynchronize();
    launch_spin(long_time, free_running);
    launch_nothing(cudaStreamPerThread);
    launch_spin(long_time, cudaStreamPerThread);
    fact("the per-thread stream's work is seen by itself", cudaStreamQuery(cudaStreamPerThread));
    cudaDeviceSynchronize();
    launch_spin(long_time, blocking);
    cudaStreamSynchronize(nullptr);
    fact("cudaStreamSynchronize of an empty null stream waits for a blocking stream",
         cudaStreamQuery(blocking));
    cudaDeviceSynchronize();
    cudaStreamDestroy(blocking);
    cudaStreamDestroy(free_running);
}

struct Called {
    std::atomic<int> times{0};
    cudaError_t inside = cudaSuccess;
    cudaError_t status = cudaSuccess;
};

void count_call(void* data) {
    ++static_cast<Called*>(data)->times;
}

void count_callback(cudaStream_t, cudaError_t status, void* data) {
    static_cast<Called*>(data)->status = status;
    ++static_cast<Called*>(data)->times;
}

PROBE(host_functions) {
    Called called;
    fact("cudaLaunchHostFunc of null", cudaLaunchHostFunc(nullptr, nullptr, nullptr));
    fact("cudaLaunchHostFunc", {cudaLaunchHostFunc(nullptr, count_call, &called),
                                cudaDeviceSynchronize(), called.times.load()});
    fact("cudaStreamAddCallback of null", cudaStreamAddCallback(nullptr, nullptr, nullptr, 0));
    fact("cudaStreamAddCallback with flags 1",
         cudaStreamAddCallback(nullptr, count_callback, &called, 1));
    fact("cudaStreamAddCallback", {cudaStreamAddCallback(nullptr, count_callback, &called, 0),
                                   cudaDeviceSynchronize(), called.times.load(), called.status});
}

void make_call(void* data) {
    auto* called = static_cast<Called*>(data);
    void* p = nullptr;
    called->inside = cudaMalloc(&p, 16);
    ++called->times;
}

PROBE_ALONE(call_in_host_function) {
    Called called;
    cudaLaunchHostFunc(nullptr, make_call, &called);
    fact("cudaMalloc inside a host function", {cudaDeviceSynchronize(), called.inside});
}

void query_call(void* data) {
    auto* called = static_cast<Called*>(data);
    called->inside = cudaStreamQuery(nullptr);
    ++called->times;
}

PROBE_ALONE(query_in_host_function) {
    Called called;
    cudaLaunchHostFunc(nullptr, query_call, &called);
    fact("cudaStreamQuery inside a host function", {cudaDeviceSynchronize(), called.inside});
}

PROBE_ALONE(capture) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaGraph_t graph = nullptr;
    fact("cudaStreamBeginCapture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status = static_cast<cudaStreamCaptureStatus>(9);
    fact("cudaStreamIsCapturing in a capture", {cudaStreamIsCapturing(stream, &status), status});
    fact("cudaStreamEndCapture", cudaStreamEndCapture(stream, &graph));
}

PROBE_ALONE(capture_of_null_stream) {
    fact("cudaStreamBeginCapture of the null stream",
         cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    cudaGraph_t graph = nullptr;
    fact("cudaStreamEndCapture that was never begun", cudaStreamEndCapture(nullptr, &graph));
}

}  // namespace
}  // namespace vram::conformance
