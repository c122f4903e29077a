// The recorder of a security camera: it keeps the newest pictures on the GPU, with the overlays (a
// logo, a caption) already drawn in.
//
// Pictures are grey, one byte a pixel, rows without gaps. Sizes are in pixels. Functions that
// return a cudaError_t return cudaSuccess or the error of the runtime call that failed. A null
// argument, or one outside the range that is named below, is answered with cudaErrorInvalidValue;
// it changes nothing, and nothing stays allocated for it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// A small picture that is drawn over each recorded one; it lies inside the picture.
struct Overlay {
    const std::uint8_t* pixels;  ///< host memory, width x height bytes; read during the call only
    int width;                   ///< 1 or more
    int height;                  ///< 1 or more
    int x;                       ///< column of its upper left pixel
    int y;                       ///< row of its upper left pixel
};

struct RecorderConfig {
    int width;                ///< of the pictures, 1 or more
    int height;               ///< of the pictures, 1 or more
    int history;              ///< how many pictures are kept, 1 or more
    const Overlay* overlays;  ///< drawn in this order; may be null when there is none
    int overlay_count;        ///< 0 or more
};

struct RecorderStats {
    long long recorded;  ///< frames recorded since the recorder was opened
    long long dropped;   ///< frames that came too late
    float milliseconds;  ///< time that the GPU took for the newest recorded frame
};

/// Yours: it holds what you like.
struct Recorder;

/// A recorder with this configuration and no pictures yet. After a failure `*out` is null and
/// nothing stays allocated.
cudaError_t open_recorder(const RecorderConfig* config, Recorder** out);

/// Releases all that the recorder holds. Null is ignored.
void close_recorder(Recorder* recorder);

/// Changes the configuration. The pictures stay when width, height and history stay; otherwise the
/// history is empty afterwards. The stats go on. However often the configuration changes, the
/// recorder holds no more memory for it than it did for the same configuration before.
/// After a failed runtime call the recorder is good for close_recorder() only.
cudaError_t configure_recorder(Recorder* recorder, const RecorderConfig* config);

/// Records one picture (host memory, width x height bytes; it may be reused after the return). A
/// frame whose timestamp isn't larger than that of the newest recorded one is dropped: cudaSuccess,
/// and only the stats change. After a failed runtime call the frame is not recorded and the
/// recorder goes on; the oldest picture of a full history may be spoilt.
///
/// Once the history is full, recording a frame allocates no memory and creates no stream and no
/// event.
cudaError_t record_frame(Recorder* recorder, const std::uint8_t* pixels, long long timestamp);

/// Copies a picture of the history to `out` (host memory, width x height bytes): age 0 is the
/// newest one. An age beyond the pictures held is refused with cudaErrorInvalidValue.
cudaError_t read_picture(Recorder* recorder, int age, std::uint8_t* out);

RecorderStats recorder_stats(const Recorder* recorder);
