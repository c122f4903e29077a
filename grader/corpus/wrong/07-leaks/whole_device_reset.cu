// fails: Close.GivesEverythingBack
// diagnosis: copy-of-freed-memory
// may also fail: Failure.LaterCallsLeaveNothing
// mistake: D13, closing one recorder resets the device for all
#include "recorder.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#define RETURN_IF_FAILED(call)                  \
    do {                                        \
        const cudaError_t call_error_ = (call); \
        if (call_error_ != cudaSuccess) {       \
            return call_error_;                 \
        }                                       \
    } while (false)

namespace {

// Whatever path leaves a function, an owner that goes out of scope gives its memory back.
struct FreeDevice {
    void operator()(std::uint8_t* memory) const { cudaFree(memory); }
};
struct FreePinned {
    void operator()(std::uint8_t* memory) const { cudaFreeHost(memory); }
};
using DeviceMemory = std::unique_ptr<std::uint8_t[], FreeDevice>;
using PinnedMemory = std::unique_ptr<std::uint8_t[], FreePinned>;

cudaError_t allocate(std::size_t bytes, DeviceMemory* memory) {
    std::uint8_t* address = nullptr;
    RETURN_IF_FAILED(cudaMalloc(&address, bytes));
    memory->reset(address);
    return cudaSuccess;
}

cudaError_t allocate(std::size_t bytes, PinnedMemory* memory) {
    std::uint8_t* address = nullptr;
    RETURN_IF_FAILED(cudaMallocHost(&address, bytes));
    memory->reset(address);
    return cudaSuccess;
}

struct DeviceOverlay {
    DeviceMemory pixels;
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
    DeviceMemory pixels;
    RETURN_IF_FAILED(allocate(bytes, &pixels));
    RETURN_IF_FAILED(cudaMemcpy(pixels.get(), overlay.pixels, bytes, cudaMemcpyHostToDevice));
    *uploaded = {std::move(pixels), overlay.width, overlay.height, overlay.x, overlay.y};
    return cudaSuccess;
}

}  // namespace

struct Recorder {
    int width = 0;
    int height = 0;
    std::vector<DeviceMemory> ring;       ///< one picture each
    DeviceMemory drawing;                 ///< the next picture, until its overlays are in
    std::vector<DeviceOverlay> overlays;  ///< drawn over each picture
    PinnedMemory staging;                 ///< one picture
    cudaStream_t stream = nullptr;
    cudaEvent_t started = nullptr;   ///< of the newest picture
    cudaEvent_t finished = nullptr;  ///< of the newest picture
    int newest = -1;                 ///< its place in the ring
    int held = 0;                    ///< pictures in the ring, from its beginning
    long long newest_timestamp = std::numeric_limits<long long>::min();
    RecorderStats stats = {};

    Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder() {
        if (finished != nullptr) {
            cudaEventDestroy(finished);
        }
        if (started != nullptr) {
            cudaEventDestroy(started);
        }
        if (stream != nullptr) {
            cudaStreamDestroy(stream);
        }
    }

    std::size_t picture_bytes() const { return static_cast<std::size_t>(width) * height; }
};

namespace {

/// All memory of the ring is taken here, so that it can't run out in the middle of the night.
cudaError_t make_ring(Recorder* recorder, const RecorderConfig& config) {
    recorder->width = config.width;
    recorder->height = config.height;
    recorder->newest = -1;
    recorder->held = 0;
    recorder->ring.clear();
    recorder->ring.resize(config.history);
    for (DeviceMemory& picture : recorder->ring) {
        RETURN_IF_FAILED(allocate(recorder->picture_bytes(), &picture));
    }
    RETURN_IF_FAILED(allocate(recorder->picture_bytes(), &recorder->drawing));
    return allocate(recorder->picture_bytes(), &recorder->staging);
}

/// Upload of the staging buffer and the overlays, between the two events.
cudaError_t enqueue_drawing(Recorder* recorder) {
    const std::size_t row_bytes = static_cast<std::size_t>(recorder->width);
    const cudaStream_t stream = recorder->stream;
    std::uint8_t* const drawing = recorder->drawing.get();

    RETURN_IF_FAILED(cudaEventRecord(recorder->started, stream));
    RETURN_IF_FAILED(cudaMemcpyAsync(drawing, recorder->staging.get(), recorder->picture_bytes(),
                                     cudaMemcpyHostToDevice, stream));
    for (const DeviceOverlay& overlay : recorder->overlays) {
        RETURN_IF_FAILED(cudaMemcpy2DAsync(drawing + overlay.y * row_bytes + overlay.x, row_bytes,
                                           overlay.pixels.get(), overlay.width, overlay.width,
                                           overlay.height, cudaMemcpyDeviceToDevice, stream));
    }
    return cudaEventRecord(recorder->finished, stream);
}

}  // namespace

cudaError_t open_recorder(const RecorderConfig* config, Recorder** out) {
    if (config == nullptr || out == nullptr || !is_valid(*config)) {
        return cudaErrorInvalidValue;
    }
    *out = nullptr;
    auto recorder = std::make_unique<Recorder>();
    RETURN_IF_FAILED(cudaStreamCreate(&recorder->stream));
    RETURN_IF_FAILED(cudaEventCreate(&recorder->started));
    RETURN_IF_FAILED(cudaEventCreate(&recorder->finished));
    RETURN_IF_FAILED(configure_recorder(recorder.get(), config));
    *out = recorder.release();
    return cudaSuccess;
}

void close_recorder(Recorder* recorder) {
    delete recorder;
    cudaDeviceReset();
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
    recorder->overlays.clear();
    for (int i = 0; i < config->overlay_count; ++i) {
        DeviceOverlay uploaded;
        RETURN_IF_FAILED(upload(config->overlays[i], &uploaded));
        recorder->overlays.push_back(std::move(uploaded));
    }
    return cudaSuccess;
}

cudaError_t record_frame(Recorder* recorder, const std::uint8_t* pixels, long long timestamp) {
    if (recorder == nullptr || pixels == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (timestamp <= recorder->newest_timestamp) {
        ++recorder->stats.dropped;
        return cudaSuccess;
    }
    std::memcpy(recorder->staging.get(), pixels, recorder->picture_bytes());
    const cudaError_t drawn = enqueue_drawing(recorder);
    // After a failure too: what was enqueued before it still uses the staging buffer.
    RETURN_IF_FAILED(cudaStreamSynchronize(recorder->stream));
    RETURN_IF_FAILED(drawn);
    RETURN_IF_FAILED(
        cudaEventElapsedTime(&recorder->stats.milliseconds, recorder->started, recorder->finished));

    // The finished drawing becomes the newest picture; the oldest one's memory is drawn on next.
    recorder->newest = (recorder->newest + 1) % static_cast<int>(recorder->ring.size());
    std::swap(recorder->ring[recorder->newest], recorder->drawing);
    if (recorder->held < static_cast<int>(recorder->ring.size())) {
        ++recorder->held;
    }
    recorder->newest_timestamp = timestamp;
    ++recorder->stats.recorded;
    return cudaSuccess;
}

cudaError_t read_picture(Recorder* recorder, int age, std::uint8_t* out) {
    if (recorder == nullptr || out == nullptr || age < 0 || age >= recorder->held) {
        return cudaErrorInvalidValue;
    }
    const int history = static_cast<int>(recorder->ring.size());
    const int place = (recorder->newest - age + history) % history;
    return cudaMemcpy(out, recorder->ring[place].get(), recorder->picture_bytes(),
                      cudaMemcpyDeviceToHost);
}

RecorderStats recorder_stats(const Recorder* recorder) {
    return recorder != nullptr ? recorder->stats : RecorderStats{};
}
