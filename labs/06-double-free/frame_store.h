// The frame store of a camera service: the newest picture, the one before it, a few kept ones.
//
// A frame is grey, one byte a pixel, its rows without gaps. All sizes are in pixels unless they are
// called bytes. Functions that return a cudaError_t return cudaSuccess or the error of the runtime
// call that failed. A null argument, or one outside the range that is named below, is answered with
// cudaErrorInvalidValue, without a runtime call and without a change. Only make_store() takes a
// store that was not made before; only it and release_store() take an empty one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

constexpr int slot_count = 4;

/// width x height bytes of device memory, from any call that makes some. An empty frame has null pixels and zero sizes.
struct Frame {
    std::uint8_t* pixels;
    int width;
    int height;
};

/// The store owns the memory of `front`, `back`, each slot and `staging`: it frees each exactly
/// once.
struct FrameStore {
    Frame front;              ///< the newest picture
    Frame back;               ///< the next picture is written here, then the two swap
    Frame previous;           ///< what was in front before the last push. It shares the memory of
                              ///< `back` and owns nothing. Empty before the first push
    Frame slots[slot_count];  ///< kept pictures; they may be of an older size than `front`
    int kept;                 ///< how many of the slots hold a picture
    std::uint8_t* staging;    ///< pinned host memory, as many bytes as `front`
};

/// A window into the front frame. It shares the memory of the store and owns nothing.
struct View {
    std::uint8_t* pixels;  ///< device address of its upper left pixel
    int width;
    int height;
    std::size_t row_bytes;  ///< bytes from one row of the window to the next
};

/// Fills `*store`: black front and back frames of width x height, 1 or more each, and empty slots.
/// What the bytes of `*store` were before doesn't matter; they are neither read nor freed.
/// After a failure nothing stays allocated and `*store` is as release_store() leaves it.
cudaError_t make_store(FrameStore* store, int width, int height);

/// Frees everything that the store owns and leaves it empty: null pointers, zero sizes, kept 0.
/// Releasing an empty store, so also a second time, frees nothing and returns cudaSuccess.
/// When a free fails, the others still happen, and the first error is returned.
cudaError_t release_store(FrameStore* store);

/// Makes `pixels` (host memory, as many bytes as the front frame) the new front picture.
/// After a failure the front picture is still the old one.
cudaError_t push_frame(FrameStore* store, const std::uint8_t* pixels);

/// Copies the front picture into slot 0 .. slot_count - 1, in place of what was there.
/// After a failed allocation, copy or set the slot is as it was: empty, or with its old picture.
cudaError_t keep_front(FrameStore* store, int slot);

/// Frees the picture of the slot and leaves the slot empty. An empty slot stays empty.
cudaError_t drop_slot(FrameStore* store, int slot);

/// Makes the kept picture the front picture and leaves the slot empty; the old front picture is
/// gone. An empty slot, or a picture of another size than the front frame, is refused with
/// cudaErrorInvalidValue.
cudaError_t restore_slot(FrameStore* store, int slot);

/// Changes the size of front, back and staging; front and back become black, `previous` becomes
/// empty, kept pictures stay. After a failed allocation, copy or set the store is as it was, its
/// pixels too.
cudaError_t resize_store(FrameStore* store, int width, int height);

/// Opens a window of width x height pixels, 1 or more each, whose upper left pixel is column x of
/// row y of the front frame. The window must lie inside the frame.
cudaError_t open_view(const FrameStore* store, int x, int y, int width, int height, View* view);

/// Copies the pixels of the window to `out` (host memory, width x height bytes).
cudaError_t read_view(const View* view, std::uint8_t* out);

/// Empties `*view`. The picture stays, whether the store is still there or not. Null is ignored.
void close_view(View* view);
