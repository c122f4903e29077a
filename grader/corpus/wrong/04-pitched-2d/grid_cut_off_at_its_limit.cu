// fails: Invert.EveryPixelOnce
// diagnosis: wrong-pixels
// says: 1 x 1048561 pixels

// The grid is cut off at the largest number of blocks, and no thread goes on to the rows behind it.
#include "pitched_image.h"

#include <algorithm>

namespace {

constexpr int block_width = 32;
constexpr int block_height = 8;

std::size_t row_bytes(const Image& image) {
    return static_cast<std::size_t>(image.width) * image.channels;
}

bool has_pixels(const Image& image) {
    return image.width > 0 && image.height > 0;
}

bool known_channels(int channels) {
    return channels == 1 || channels == 3 || channels == 4 || channels == 12;
}

// Row `row` starts `row` pitches behind the first one. The pitch counts bytes, and so does the
// pointer it is added to.
__host__ __device__ std::uint8_t* row_of(const Image& image, int row) {
    return image.pixels + row * image.pitch;
}

unsigned blocks_for(std::size_t count, int per_block) {
    return static_cast<unsigned>((count + per_block - 1) / per_block);
}

// A launch reports a bad configuration at once and a fault in the kernel at the next wait.
cudaError_t wait_for_kernel() {
    const cudaError_t launched = cudaGetLastError();
    return launched != cudaSuccess ? launched : cudaDeviceSynchronize();
}

struct Colour {
    std::uint8_t bytes[12];
};

// One thread a byte: 32 neighbouring threads touch 32 neighbouring bytes, whatever a pixel is.
__global__ void fill_rows(Image image, Colour colour) {
    const int bytes = image.width * image.channels;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= bytes || row >= image.height) {
        return;
    }
    row_of(image, row)[column] = colour.bytes[column % image.channels];
}

__global__ void invert_rows(Image image) {
    const int bytes = image.width * image.channels;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= bytes || row >= image.height) {
        return;
    }
    std::uint8_t* byte = row_of(image, row) + column;
    *byte = 255 - *byte;
}

__global__ void transpose_rows(Image in, Image out) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= in.width || row >= in.height) {
        return;
    }
    const std::uint8_t* from = row_of(in, row) + column * in.channels;
    std::uint8_t* to = row_of(out, column) + row * in.channels;
    for (int channel = 0; channel < in.channels; ++channel) {
        to[channel] = from[channel];
    }
}

dim3 grid_for(std::size_t columns, int rows) {
    const unsigned most_blocks = 65535;
    return dim3(blocks_for(columns, block_width),
                std::min(blocks_for(rows, block_height), most_blocks));
}

}  // namespace

cudaError_t create_image(Image* out, int width, int height, int channels) {
    if (out == nullptr) {
        return cudaErrorInvalidValue;
    }
    *out = Image{nullptr, 0, 0, 0, channels};
    if (width < 0 || height < 0 || !known_channels(channels)) {
        return cudaErrorInvalidValue;
    }
    Image image{nullptr, 0, width, height, channels};
    if (!has_pixels(image)) {
        return cudaSuccess;
    }
    const cudaError_t error =
        cudaMallocPitch(&image.pixels, &image.pitch, row_bytes(image), image.height);
    if (error == cudaSuccess) {
        *out = image;
    }
    return error;
}

cudaError_t destroy_image(Image* image) {
    if (image == nullptr || image->pixels == nullptr) {
        return cudaSuccess;
    }
    std::uint8_t* pixels = image->pixels;
    *image = Image{nullptr, 0, 0, 0, image->channels};
    return cudaFree(pixels);
}

cudaError_t crop_image(const Image* image, int x, int y, int width, int height, Image* window) {
    if (image == nullptr || window == nullptr || x < 0 || y < 0 || width < 0 || height < 0 ||
        width > image->width - x || height > image->height - y) {
        return cudaErrorInvalidValue;
    }
    if (width == 0 || height == 0) {
        *window = Image{nullptr, 0, 0, 0, image->channels};
        return cudaSuccess;
    }
    std::uint8_t* corner = row_of(*image, y) + x * image->channels;
    *window = Image{corner, image->pitch, width, height, image->channels};
    return cudaSuccess;
}

cudaError_t upload_image(Image* image, const std::uint8_t* host, std::size_t host_stride) {
    if (image == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (!has_pixels(*image)) {
        return cudaSuccess;
    }
    if (host == nullptr || host_stride < row_bytes(*image)) {
        return cudaErrorInvalidValue;
    }
    return cudaMemcpy2D(image->pixels, image->pitch, host, host_stride, row_bytes(*image),
                        image->height, cudaMemcpyHostToDevice);
}

cudaError_t download_image(const Image* image, std::uint8_t* host, std::size_t host_stride) {
    if (image == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (!has_pixels(*image)) {
        return cudaSuccess;
    }
    if (host == nullptr || host_stride < row_bytes(*image)) {
        return cudaErrorInvalidValue;
    }
    return cudaMemcpy2D(host, host_stride, image->pixels, image->pitch, row_bytes(*image),
                        image->height, cudaMemcpyDeviceToHost);
}

cudaError_t fill_image(Image* image, const std::uint8_t* pixel) {
    if (image == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (!has_pixels(*image)) {
        return cudaSuccess;
    }
    if (pixel == nullptr) {
        return cudaErrorInvalidValue;
    }
    Colour colour{};
    std::copy(pixel, pixel + image->channels, colour.bytes);
    fill_rows<<<grid_for(row_bytes(*image), image->height), dim3(block_width, block_height)>>>(
        *image, colour);
    return wait_for_kernel();
}

cudaError_t invert_image(Image* image) {
    if (image == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (!has_pixels(*image)) {
        return cudaSuccess;
    }
    invert_rows<<<grid_for(row_bytes(*image), image->height), dim3(block_width, block_height)>>>(
        *image);
    return wait_for_kernel();
}

cudaError_t transpose_image(const Image* in, Image* out) {
    if (in == nullptr || out == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (in->channels != out->channels || in->width != out->height || in->height != out->width) {
        return cudaErrorInvalidValue;
    }
    if (!has_pixels(*in)) {
        return cudaSuccess;
    }
    transpose_rows<<<grid_for(in->width, in->height), dim3(block_width, block_height)>>>(*in, *out);
    return wait_for_kernel();
}
