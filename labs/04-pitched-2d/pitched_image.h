// Pitched images of a camera library: 8-bit channels, from one (grey) to twelve (multispectral).
//
// Holds for all of them:
// - Widths, heights, x and y count pixels. Pitches and strides count bytes, from the first byte of
//   a row to the first byte of the next. A row carries width x channels bytes; what lies between
//   them and the next row is padding, belongs to nobody, and is not part of the picture.
// - Functions return cudaSuccess, or the code of the runtime call or launch that failed, or
//   cudaErrorInvalidValue for arguments that make no sense: a null pointer where one is needed, a
//   negative size, a host stride smaller than a row, two images whose shapes do not fit. Arguments
//   are checked before any runtime call.
// - When a function returns cudaSuccess its work is done: the result can be read at once.
// - An image without pixels (width or height 0) is {nullptr, 0, 0, 0, channels}. Every function
//   takes it, does nothing and returns cudaSuccess.
// - All work happens on the default stream. Nothing here has to be safe against two threads
//   at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// The struct lives on the host; `pixels` is a device address.
struct Image {
    std::uint8_t* pixels;  ///< the first byte of the first row
    std::size_t pitch;     ///< bytes from row to row, at least width * channels; may be any number
    int width;             ///< pixels
    int height;            ///< rows
    int channels;          ///< bytes of a pixel: 1, 3, 4 or 12
};

/// Allocates an image whose pitch the runtime chose (cudaMallocPitch or cudaMalloc3D). Other
/// numbers of channels than 1, 3, 4 and 12 are refused. What `*out` held before is not read; after
/// a failure it is an image without pixels and no memory is kept. The pixels are not set.
cudaError_t create_image(Image* out, int width, int height, int channels);

/// Releases an image that create_image made and leaves an image without pixels with the same number
/// of channels. Twice, or null, is no error and does nothing.
cudaError_t destroy_image(Image* image);

/// A window into `image`: `width` x `height` pixels, of which the upper left one is column `x` of
/// row `y`. It shares the memory and owns nothing; it is never given to destroy_image. A window
/// that does not lie inside the image is refused. No runtime call is needed.
cudaError_t crop_image(const Image* image, int x, int y, int width, int height, Image* window);

/// Copies host rows into the image. `host` holds `height` rows, `host_stride` bytes apart. The last
/// row may end right behind its last pixel, so only width x channels of its bytes may be read.
cudaError_t upload_image(Image* image, const std::uint8_t* host, std::size_t host_stride);

/// Copies the image into host rows, `host_stride` bytes apart. Host bytes between the rows keep
/// what they held.
cudaError_t download_image(const Image* image, std::uint8_t* host, std::size_t host_stride);

/// Gives every pixel the same colour: `pixel` is host memory with `channels` bytes.
cudaError_t fill_image(Image* image, const std::uint8_t* pixel);

/// The negative: every byte b of every pixel becomes 255 - b. With a kernel that touches each
/// sector (32 bytes) of the picture about once: at most 1.3 times the sectors that the rows occupy,
/// for loads and for stores alike. The whole call takes at most 1.5 times as long as the reference on
/// a GPU, and at most 3 times as long on the virtual clock.
cudaError_t invert_image(Image* image);

/// `out` becomes the transpose: pixel (row r, column c) of `in` is pixel (row c, column r) of
/// `out`. `out` has height x width pixels and as many channels as `in`, its own pitch, and does not
/// overlap `in`. Shapes that do not fit are refused.
cudaError_t transpose_image(const Image* in, Image* out);
