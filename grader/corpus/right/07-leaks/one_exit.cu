// Style: plain C: a release function for each kind of thing, and goto for the way out.
#include "recorder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct DeviceOverlay {
    uint8_t* pixels;
    int width, height, x, y;
};

struct Recorder {
    int width, height, history;
    uint8_t** ring;  // history + 1 blocks: the last one is drawn on
    struct DeviceOverlay* overlays;
    int overlay_count;
    uint8_t* staging;
    cudaStream_t stream;
    cudaEvent_t started, finished;
    int newest, held;
    long long newest_timestamp;
    RecorderStats stats;
};

static int is_valid(const RecorderConfig* config) {
    if (config == NULL || config->width < 1 || config->height < 1 || config->history < 1 ||
        config->overlay_count < 0)
        return 0;
    if (config->overlay_count > 0 && config->overlays == NULL)
        return 0;
    for (int i = 0; i < config->overlay_count; i++) {
        const Overlay* o = &config->overlays[i];
        if (o->pixels == NULL || o->width < 1 || o->height < 1 || o->x < 0 || o->y < 0)
            return 0;
        if (o->width > config->width - o->x || o->height > config->height - o->y)
            return 0;
    }
    return 1;
}

static void free_ring(Recorder* r) {
    if (r->ring != NULL)
        for (int i = 0; i <= r->history; i++)
            cudaFree(r->ring[i]);
    free(r->ring);
    cudaFreeHost(r->staging);
    r->ring = NULL;
    r->staging = NULL;
    r->history = 0;
    r->newest = -1;
    r->held = 0;
}

static void free_overlays(Recorder* r) {
    for (int i = 0; i < r->overlay_count; i++)
        cudaFree(r->overlays[i].pixels);
    free(r->overlays);
    r->overlays = NULL;
    r->overlay_count = 0;
}

static cudaError_t make_ring(Recorder* r, const RecorderConfig* config) {
    size_t bytes = (size_t)config->width * (size_t)config->height;
    cudaError_t error = cudaSuccess;

    free_ring(r);
    r->ring = (uint8_t**)calloc((size_t)config->history + 1, sizeof *r->ring);
    if (r->ring == NULL)
        return cudaErrorMemoryAllocation;
    r->width = config->width;
    r->height = config->height;
    r->history = config->history;
    for (int i = 0; i <= r->history; i++) {
        error = cudaMalloc((void**)&r->ring[i], bytes);
        if (error != cudaSuccess) {
            r->ring[i] = NULL;
            goto failed;
        }
    }
    error = cudaMallocHost((void**)&r->staging, bytes);
    if (error != cudaSuccess) {
        r->staging = NULL;
        goto failed;
    }
    return cudaSuccess;
failed:
    free_ring(r);
    return error;
}

void close_recorder(Recorder* r) {
    if (r == NULL)
        return;
    free_ring(r);
    free_overlays(r);
    if (r->started != NULL)
        cudaEventDestroy(r->started);
    if (r->finished != NULL)
        cudaEventDestroy(r->finished);
    if (r->stream != NULL)
        cudaStreamDestroy(r->stream);
    free(r);
}

cudaError_t configure_recorder(Recorder* r, const RecorderConfig* config) {
    cudaError_t error = cudaSuccess;

    if (r == NULL || !is_valid(config))
        return cudaErrorInvalidValue;
    free_overlays(r);
    if (config->width != r->width || config->height != r->height || config->history != r->history)
        error = make_ring(r, config);
    if (error != cudaSuccess || config->overlay_count == 0)
        return error;
    r->overlays = (struct DeviceOverlay*)calloc((size_t)config->overlay_count, sizeof *r->overlays);
    if (r->overlays == NULL)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < config->overlay_count; i++) {
        const Overlay* from = &config->overlays[i];
        struct DeviceOverlay* to = &r->overlays[i];
        size_t bytes = (size_t)from->width * (size_t)from->height;
        error = cudaMalloc((void**)&to->pixels, bytes);
        if (error != cudaSuccess) {
            to->pixels = NULL;
            return error;
        }
        r->overlay_count = i + 1;
        to->width = from->width;
        to->height = from->height;
        to->x = from->x;
        to->y = from->y;
        error = cudaMemcpy(to->pixels, from->pixels, bytes, cudaMemcpyHostToDevice);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

cudaError_t open_recorder(const RecorderConfig* config, Recorder** out) {
    cudaError_t error = cudaErrorMemoryAllocation;
    Recorder* r;

    if (out == NULL || !is_valid(config))
        return cudaErrorInvalidValue;
    *out = NULL;
    r = (Recorder*)calloc(1, sizeof *r);
    if (r == NULL)
        goto done;
    r->newest = -1;
    r->newest_timestamp = LLONG_MIN;
    error = cudaStreamCreate(&r->stream);
    if (error != cudaSuccess) {
        r->stream = NULL;
        goto done;
    }
    error = cudaEventCreate(&r->started);
    if (error != cudaSuccess) {
        r->started = NULL;
        goto done;
    }
    error = cudaEventCreate(&r->finished);
    if (error != cudaSuccess) {
        r->finished = NULL;
        goto done;
    }
    error = configure_recorder(r, config);
    if (error == cudaSuccess) {
        *out = r;
        r = NULL;
    }
done:
    close_recorder(r);
    return error;
}

cudaError_t record_frame(Recorder* r, const uint8_t* pixels, long long timestamp) {
    cudaError_t error, waited;
    size_t bytes, row;
    uint8_t* drawing;

    if (r == NULL || pixels == NULL)
        return cudaErrorInvalidValue;
    if (timestamp <= r->newest_timestamp) {
        r->stats.dropped++;
        return cudaSuccess;
    }
    row = (size_t)r->width;
    bytes = row * (size_t)r->height;
    drawing = r->ring[r->history];
    memcpy(r->staging, pixels, bytes);
    error = cudaEventRecord(r->started, r->stream);
    if (error != cudaSuccess)
        goto wait;
    error = cudaMemcpyAsync(drawing, r->staging, bytes, cudaMemcpyHostToDevice, r->stream);
    if (error != cudaSuccess)
        goto wait;
    for (int i = 0; i < r->overlay_count; i++) {
        const struct DeviceOverlay* o = &r->overlays[i];
        error = cudaMemcpy2DAsync(drawing + (size_t)o->y * row + o->x, row, o->pixels,
                                  (size_t)o->width, (size_t)o->width, (size_t)o->height,
                                  cudaMemcpyDeviceToDevice, r->stream);
        if (error != cudaSuccess)
            goto wait;
    }
    error = cudaEventRecord(r->finished, r->stream);
wait:
    waited = cudaStreamSynchronize(r->stream);
    if (error == cudaSuccess)
        error = waited;
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&r->stats.milliseconds, r->started, r->finished);
    if (error != cudaSuccess)
        return error;
    r->newest = (r->newest + 1) % r->history;
    r->ring[r->history] = r->ring[r->newest];
    r->ring[r->newest] = drawing;
    if (r->held < r->history)
        r->held++;
    r->newest_timestamp = timestamp;
    r->stats.recorded++;
    return cudaSuccess;
}

cudaError_t read_picture(Recorder* r, int age, uint8_t* out) {
    if (r == NULL || out == NULL || age < 0 || age >= r->held)
        return cudaErrorInvalidValue;
    int place = (r->newest - age + r->history) % r->history;
    return cudaMemcpy(out, r->ring[place], (size_t)r->width * (size_t)r->height,
                      cudaMemcpyDeviceToHost);
}

RecorderStats recorder_stats(const Recorder* r) {
    RecorderStats none = {0, 0, 0.0f};
    return r != NULL ? r->stats : none;
}
