// fails: Configure.NewSizeLetsTheOldGo
// diagnosis: free-by-c-library
// may also fail: Record.ManyFramesHoldNoMore, Failure.LaterCallsLeaveNothing
// shows: std::realloc(recorder->staging, recorder->picture_bytes()));
// mistake: D10

// A staging buffer that is there already is made larger or smaller as if malloc had made it.
#include "recorder.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#define RETURN_IF_FAILED(call)                  \
    do {                                        \
        const cudaError_t call_error_ = (call); \
        if (call_error_ != cudaSuccess) {       \
            return call_error_;                 \
        }                                       \
    } while (false)

namespace {

struct DeviceOverlay {
    std::uint8_t* pixels;
    int width;
    int height;
    int x;
    int y;
};

bool is_valid(const RecorderConfig& config) {
    if (config.width < 1 || config.height < 1 || config.history < 1 || config.overlay_count < 0 ||
        (config.overlay_count > 0 && config.overlays == nullptr)) {
        return false;
    }
    for (int i = 0; i < config.overlay_count; ++i) {
        const Overlay& overlay = config.overlays[i];
        if (overlay.pixels == nullptr || overlay.width < 1 || overlay.height < 1 || overlay.x < 0 ||
            overlay.y < 0 || overlay.width > config.width - overlay.x ||
            overlay.height > config.height - overlay.y) {
            return false;
        }
    }
    return true;
}

cudaError_t upload(const Overlay& overlay, DeviceOverlay* uploaded) {
    const std::size_t bytes = static_cast<std::size_t>(overlay.width) * overlay.height;
    std::uint8_t* pixels = nullptr;
    RETURN_IF_FAILED(cudaMalloc(&pixels, bytes));
    const cudaError_t error = cudaMemcpy(pixels, overlay.pixels, bytes, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) {
        cudaFree(pixels);
        return error;
    }
    *uploaded = {pixels, overlay.width, overlay.height, overlay.x, overlay.y};
    return cudaSuccess;
}

}  // namespace

struct Recorder {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t*> ring;      ///< device memory, one picture each
    std::vector<DeviceOverlay> overlays;  ///< drawn over each picture
    std::uint8_t* staging = nullptr;      ///< pinned, one picture
    cudaStream_t stream = nullptr;
    cudaEvent_t started = nullptr;    ///< of the newest picture
    cudaEvent_t finished = nullptr;   ///< of the newest picture
    std::uint8_t* drawing = nullptr;  ///< one picture on the device
    int newest = -1;                  ///< its place in the ring
    int held = 0;                     ///< pictures in the ring, from its beginning
    long long newest_timestamp = std::numeric_limits<long long>::min();
    RecorderStats stats = {};

    std::size_t picture_bytes() const { return static_cast<std::size_t>(width) * height; }
};

namespace {

/// All memory of the ring is taken here, so that it can't run out in the middle of the night.
cudaError_t make_ring(Recorder* recorder, const RecorderConfig& config) {
    recorder->width = config.width;
    recorder->height = config.height;
    recorder->newest = -1;
    recorder->held = 0;
    for (std::uint8_t* picture : recorder->ring) {
        cudaFree(picture);
    }
    recorder->ring.assign(config.history, nullptr);
    for (std::uint8_t*& picture : recorder->ring) {
        RETURN_IF_FAILED(cudaMalloc(&picture, recorder->picture_bytes()));
    }
    cudaFree(recorder->drawing);
    recorder->drawing = nullptr;
    RETURN_IF_FAILED(cudaMalloc(&recorder->drawing, recorder->picture_bytes()));
    if (recorder->staging == nullptr) {
        return cudaMallocHost(&recorder->staging, recorder->picture_bytes());
    }
    auto* resized =
        static_cast<std::uint8_t*>(std::realloc(recorder->staging, recorder->picture_bytes()));
    if (resized == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    recorder->staging = resized;
    return cudaSuccess;
}

}  // namespace

cudaError_t open_recorder(const RecorderConfig* config, Recorder** out) {
    if (config == nullptr || out == nullptr || !is_valid(*config)) {
        return cudaErrorInvalidValue;
    }
    *out = nullptr;
    auto* recorder = new Recorder;
    cudaError_t error = cudaStreamCreate(&recorder->stream);
    if (error == cudaSuccess) {
        error = cudaEventCreate(&recorder->started);
    }
    if (error == cudaSuccess) {
        error = cudaEventCreate(&recorder->finished);
    }
    if (error == cudaSuccess) {
        error = configure_recorder(recorder, config);
    }
    if (error != cudaSuccess) {
        close_recorder(recorder);
        return error;
    }
    *out = recorder;
    return cudaSuccess;
}

void close_recorder(Recorder* recorder) {
    if (recorder == nullptr) {
        return;
    }
    for (std::uint8_t* picture : recorder->ring) {
        cudaFree(picture);
    }
    cudaFree(recorder->drawing);
    for (const DeviceOverlay& overlay : recorder->overlays) {
        cudaFree(overlay.pixels);
    }
    cudaFreeHost(recorder->staging);
    if (recorder->started != nullptr) {
        cudaEventDestroy(recorder->started);
    }
    if (recorder->finished != nullptr) {
        cudaEventDestroy(recorder->finished);
    }
    if (recorder->stream != nullptr) {
        cudaStreamDestroy(recorder->stream);
    }
    delete recorder;
}

cudaError_t configure_recorder(Recorder* recorder, const RecorderConfig* config) {
    if (recorder == nullptr || config == nullptr || !is_valid(*config)) {
        return cudaErrorInvalidValue;
    }
    const int history = static_cast<int>(recorder->ring.size());
    if (config->width != recorder->width || config->height != recorder->height ||
        config->history != history) {
        RETURN_IF_FAILED(make_ring(recorder, *config));
    }
    // The overlays may have new pixels at the same address: always take them again.
    for (const DeviceOverlay& overlay : recorder->overlays) {
        cudaFree(overlay.pixels);
    }
    recorder->overlays.clear();
    for (int i = 0; i < config->overlay_count; ++i) {
        DeviceOverlay uploaded;
        RETURN_IF_FAILED(upload(config->overlays[i], &uploaded));
        recorder->overlays.push_back(uploaded);
    }
    return cudaSuccess;
}

cudaError_t record_frame(Recorder* recorder, const std::uint8_t* pixels, long long timestamp) {
    if (recorder == nullptr || pixels == nullptr) {
        return cudaErrorInvalidValue;
    }
    const std::size_t bytes = recorder->picture_bytes();
    const std::size_t row_bytes = static_cast<std::size_t>(recorder->width);
    const cudaStream_t stream = recorder->stream;

    const cudaEvent_t started = recorder->started;
    const cudaEvent_t finished = recorder->finished;
    // The overlays are drawn apart, so that the ring never shows a picture without them.
    std::uint8_t* const picture = recorder->drawing;

    if (timestamp <= recorder->newest_timestamp) {
        ++recorder->stats.dropped;
        return cudaSuccess;
    }

    std::memcpy(recorder->staging, pixels, bytes);
    RETURN_IF_FAILED(cudaEventRecord(started, stream));
    RETURN_IF_FAILED(
        cudaMemcpyAsync(picture, recorder->staging, bytes, cudaMemcpyHostToDevice, stream));
    for (const DeviceOverlay& overlay : recorder->overlays) {
        RETURN_IF_FAILED(cudaMemcpy2DAsync(picture + overlay.y * row_bytes + overlay.x, row_bytes,
                                           overlay.pixels, overlay.width, overlay.width,
                                           overlay.height, cudaMemcpyDeviceToDevice, stream));
    }
    const int place = (recorder->newest + 1) % static_cast<int>(recorder->ring.size());
    RETURN_IF_FAILED(
        cudaMemcpyAsync(recorder->ring[place], picture, bytes, cudaMemcpyDeviceToDevice, stream));
    RETURN_IF_FAILED(cudaEventRecord(finished, stream));
    RETURN_IF_FAILED(cudaStreamSynchronize(stream));
    RETURN_IF_FAILED(cudaEventElapsedTime(&recorder->stats.milliseconds, started, finished));
    recorder->newest = place;
    if (recorder->held < static_cast<int>(recorder->ring.size())) {
        ++recorder->held;
    }
    recorder->newest_timestamp = timestamp;
    ++recorder->stats.recorded;
    return cudaSuccess;
}

cudaError_t read_picture(Recorder* recorder, int age, std::uint8_t* out) {
    if (recorder == nullptr || out == nullptr) {
        return cudaErrorInvalidValue;
    }
    const std::size_t bytes = recorder->picture_bytes();
    if (age < 0 || age >= recorder->held) {
        return cudaErrorInvalidValue;
    }
    const int history = static_cast<int>(recorder->ring.size());
    const int place = (recorder->newest - age + history) % history;
    // A stream of its own: a reader doesn't queue up behind the frames that come in.
    cudaStream_t stream = nullptr;
    RETURN_IF_FAILED(cudaStreamCreate(&stream));
    std::uint8_t* landing = nullptr;
    cudaError_t error = cudaMallocHost(&landing, bytes);
    if (error != cudaSuccess) {
        cudaStreamDestroy(stream);
        return error;
    }
    error = cudaStreamWaitEvent(stream, recorder->finished, 0);
    if (error == cudaSuccess) {
        error =
            cudaMemcpyAsync(landing, recorder->ring[place], bytes, cudaMemcpyDeviceToHost, stream);
    }
    const cudaError_t waited = cudaStreamSynchronize(stream);
    error = error != cudaSuccess ? error : waited;
    if (error == cudaSuccess) {
        std::memcpy(out, landing, bytes);
    }
    cudaFreeHost(landing);
    cudaStreamDestroy(stream);
    return error;
}

RecorderStats recorder_stats(const Recorder* recorder) {
    return recorder != nullptr ? recorder->stats : RecorderStats{};
}
