// Steps with streams, events, pools, the error slot and the device.
#include <array>
#include <utility>

#include "grader/tests/differential/sequence.h"

namespace vram::differential {
namespace {

constexpr std::size_t most_streams = 6;
constexpr std::size_t most_events = 4;

void count_up(void* counter) {
    ++*static_cast<int*>(counter);
}

}  // namespace

void Sequence::make_stream() {
    if (streams_.size() >= most_streams) {
        return;
    }
    Stream stream;
    const bool blocking = random_.one_in(2);
    stream.blocking = blocking;
    const cudaError_t error =
        note(blocking ? "cudaStreamCreate" : "cudaStreamCreateWithFlags non-blocking",
             blocking ? cudaStreamCreate(&stream.handle)
                      : cudaStreamCreateWithFlags(&stream.handle, cudaStreamNonBlocking));
    if (error == cudaSuccess) {
        stream.live = true;
        streams_.push_back(stream);
    }
}

void Sequence::destroy_stream() {
    const int stream = any_stream();
    if (stream <= per_thread) {
        note("cudaStreamDestroy of " + name_of_stream(stream), cudaStreamDestroy(handle(stream)));
        return;
    }
    wait_for(stream);
    if (note("cudaStreamDestroy of " + name_of_stream(stream), cudaStreamDestroy(handle(stream))) ==
        cudaSuccess) {
        streams_[static_cast<std::size_t>(stream)].live = false;
    }
}

void Sequence::wait() {
    if (random_.one_in(2)) {
        wait_for_all();
    } else {
        wait_for(any_stream());
    }
}

void Sequence::ask_stream() {
    const int stream = any_stream();
    unsigned flags = 0;
    int priority = 0;
    switch (random_.below(4)) {
        case 0:
            wait_for_all();
            note("cudaStreamQuery " + name_of_stream(stream), cudaStreamQuery(handle(stream)));
            break;
        case 1:
            note("cudaStreamGetFlags " + name_of_stream(stream),
                 cudaStreamGetFlags(handle(stream), &flags));
            transcript_.write("flags", std::to_string(flags));
            break;
        case 2:
            note("cudaStreamGetPriority " + name_of_stream(stream),
                 cudaStreamGetPriority(handle(stream), &priority));
            transcript_.write("priority", std::to_string(priority));
            break;
        default:
            note("cudaStreamGetFlags without a place", cudaStreamGetFlags(handle(stream), nullptr));
            break;
    }
}

void Sequence::make_event() {
    if (events_.size() >= most_events) {
        return;
    }
    Event event;
    event.timed = random_.one_in(2);
    const unsigned flags = event.timed ? cudaEventDefault : cudaEventDisableTiming;
    if (note(event.timed ? "cudaEventCreate" : "cudaEventCreate without timing",
             cudaEventCreateWithFlags(&event.handle, flags)) == cudaSuccess) {
        event.live = true;
        events_.push_back(event);
    }
}

void Sequence::destroy_event() {
    if (events_.empty()) {
        return;
    }
    Event& event = events_[random_.below(events_.size())];
    if (event.live && note("cudaEventDestroy", cudaEventDestroy(event.handle)) == cudaSuccess) {
        event.live = false;
    }
}

void Sequence::use_event() {
    if (events_.empty()) {
        return;
    }
    Event& event = events_[random_.below(events_.size())];
    Event& other = events_[random_.below(events_.size())];
    if (!event.live || !other.live) {
        return;
    }
    const int stream = any_stream();
    float milliseconds = 0;
    switch (random_.below(6)) {
        case 0:
        case 1:
            if (note("cudaEventRecord in " + name_of_stream(stream),
                     cudaEventRecord(event.handle, handle(stream))) == cudaSuccess) {
                event.recorded = true;
            }
            break;
        case 2:
            note("cudaStreamWaitEvent in " + name_of_stream(stream),
                 cudaStreamWaitEvent(handle(stream), event.handle, 0));
            break;
        case 3:
            note("cudaEventSynchronize", cudaEventSynchronize(event.handle));
            break;
        case 4:
            wait_for_all();
            note("cudaEventQuery", cudaEventQuery(event.handle));
            break;
        default:
            wait_for_all();
            note(std::string("cudaEventElapsedTime") + (event.recorded ? "" : ", no start") +
                     (other.recorded ? "" : ", no end") +
                     (event.timed && other.timed ? "" : ", without timing"),
                 cudaEventElapsedTime(&milliseconds, event.handle, other.handle));
            break;
    }
}

void Sequence::use_events_wrongly() {
    float milliseconds = 0;
    switch (random_.below(5)) {
        case 0:
            note("cudaEventRecord of null", cudaEventRecord(nullptr, handle(any_stream())));
            break;
        case 1:
            note("cudaEventQuery of null", cudaEventQuery(nullptr));
            break;
        case 2:
            note("cudaEventDestroy of null", cudaEventDestroy(nullptr));
            break;
        case 3:
            note("cudaEventElapsedTime of null",
                 cudaEventElapsedTime(&milliseconds, nullptr, nullptr));
            break;
        default:
            note("cudaStreamWaitEvent for null",
                 cudaStreamWaitEvent(handle(any_stream()), nullptr, 0));
            break;
    }
}

void Sequence::call_host_function() {
    const int stream = any_stream();
    // A counter is shared by all streams, so that one call at a time is under way.
    wait_for_all();
    if (note("cudaLaunchHostFunc in " + name_of_stream(stream),
             cudaLaunchHostFunc(handle(stream), count_up, &host_calls_)) == cudaSuccess) {
        ++host_calls_enqueued_;
    }
    wait_for_all();
    transcript_.write("calls of the host function",
                      std::to_string(host_calls_) + " of " + std::to_string(host_calls_enqueued_));
}

void Sequence::use_pool() {
    cudaMemPool_t pool = nullptr;
    if (own_pool_ == nullptr && random_.one_in(3)) {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        note("cudaMemPoolCreate", cudaMemPoolCreate(&own_pool_, &properties));
        return;
    }
    if (own_pool_ != nullptr && random_.one_in(2)) {
        pool = own_pool_;
    } else if (note("cudaDeviceGetDefaultMemPool", cudaDeviceGetDefaultMemPool(&pool, 0)) !=
               cudaSuccess) {
        return;
    }
    const std::uint64_t before = pool == own_pool_ ? 0 : used_before_;
    const std::string which = pool == own_pool_ ? " of the own pool" : " of the default pool";
    std::uint64_t value = 0;
    switch (random_.below(6)) {
        case 0:
        case 1: {
            const cudaError_t error =
                cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value);
            transcript_.write("used bytes" + which, error == cudaSuccess
                                                        ? std::to_string(value - before)
                                                        : cudaGetErrorName(error));
            break;
        }
        case 2: {
            std::uint64_t zero = 0;
            note("reset of the high mark" + which,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
            const cudaError_t error =
                cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value);
            transcript_.write("most used bytes" + which, error == cudaSuccess
                                                             ? std::to_string(value - before)
                                                             : cudaGetErrorName(error));
            break;
        }
        case 3:
            value = random_.one_in(2) ? UINT64_MAX : 0;
            note("release threshold" + which,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
            break;
        case 4:
            note("cudaMemPoolTrimTo" + which, cudaMemPoolTrimTo(pool, random_.below(1 << 20)));
            break;
        default:
            note("set of the used bytes" + which,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
            break;
    }
}

void Sequence::read_error_slot() {
    if (random_.one_in(3)) {
        note("cudaPeekAtLastError", cudaPeekAtLastError());
    } else {
        note("cudaGetLastError", cudaGetLastError());
    }
}

void Sequence::ask_device() {
    int number = 0;
    std::size_t bytes = 0;
    std::size_t total = 0;
    switch (random_.below(6)) {
        case 0:
            note("cudaGetDevice", cudaGetDevice(&number));
            break;
        case 1:
            note("cudaSetDevice 0", cudaSetDevice(0));
            break;
        case 2:
            note("cudaSetDevice 99", cudaSetDevice(99));
            break;
        case 3:
            note("cudaMemGetInfo", cudaMemGetInfo(&bytes, &total));
            break;
        case 4:
            note("cudaMemGetInfo without a place", cudaMemGetInfo(nullptr, &total));
            break;
        default:
            note("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0));
            break;
    }
}

}  // namespace vram::differential
