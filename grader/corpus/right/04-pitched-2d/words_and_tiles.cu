// Words where the alignment allows them; the transpose goes through shared memory.
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

// One thread a byte: 32 neighbouring threads touch 32 neighbouring bytes, whatever a pixel is. The
// grid is strided, so that images of any height fit into its limits.
__global__ void fill_rows(Image image, Colour colour) {
    const int bytes = image.width * image.channels;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= bytes) {
        return;
    }
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < image.height;
         row += gridDim.y * blockDim.y) {
        row_of(image, row)[column] = colour.bytes[column % image.channels];
    }
}

__global__ void invert_rows(Image image) {
    const int bytes = image.width * image.channels;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= bytes) {
        return;
    }
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < image.height;
         row += gridDim.y * blockDim.y) {
        std::uint8_t* byte = row_of(image, row) + column;
        *byte = 255 - *byte;
    }
}

// Four bytes a thread, for pictures whose rows all start at a multiple of four.
__global__ void invert_words(Image image) {
    const int bytes = image.width * image.channels;
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first >= bytes) {
        return;
    }
    for (int row = blockIdx.y; row < image.height; row += gridDim.y) {
        std::uint8_t* start = row_of(image, row) + first;
        if (first + 4 <= bytes) {
            std::uint32_t* word = reinterpret_cast<std::uint32_t*>(start);
            *word = ~*word;
        } else {
            for (int byte = 0; byte < bytes - first; ++byte) {
                start[byte] = 255 - start[byte];
            }
        }
    }
}

bool rows_start_at_words(const Image& image) {
    return (reinterpret_cast<std::uintptr_t>(image.pixels) | image.pitch) % 4 == 0;
}

// A tile of pixels is read by rows and written by rows, and turned in shared memory.
constexpr int tile = 16;

__global__ void transpose_tiles(Image in, Image out) {
    extern __shared__ std::uint8_t pixels[];
    const int channels = in.channels;
    const int pixel_row = tile * channels + 4;  // a few bytes more, against bank conflicts
    for (int tile_row = blockIdx.y * tile; tile_row < in.height; tile_row += gridDim.y * tile) {
        const int tile_column = blockIdx.x * tile;
        const int column = tile_column + threadIdx.x;
        const int row = tile_row + threadIdx.y;
        if (column < in.width && row < in.height) {
            for (int channel = 0; channel < channels; ++channel) {
                pixels[threadIdx.y * pixel_row + threadIdx.x * channels + channel] =
                    row_of(in, row)[column * channels + channel];
            }
        }
        __syncthreads();
        const int out_row = tile_column + threadIdx.y;
        const int out_column = tile_row + threadIdx.x;
        if (out_row < out.height && out_column < out.width) {
            for (int channel = 0; channel < channels; ++channel) {
                row_of(out, out_row)[out_column * channels + channel] =
                    pixels[threadIdx.x * pixel_row + threadIdx.y * channels + channel];
            }
        }
        __syncthreads();
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
    if (rows_start_at_words(*image)) {
        const dim3 grid(blocks_for(row_bytes(*image), 4 * 256), std::min(image->height, 65535));
        invert_words<<<grid, 256>>>(*image);
    } else {
        invert_rows<<<grid_for(row_bytes(*image), image->height),
                      dim3(block_width, block_height)>>>(*image);
    }
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
    const dim3 grid(blocks_for(in->width, tile), std::min(blocks_for(in->height, tile), 65535u));
    transpose_tiles<<<grid, dim3(tile, tile), tile*(tile * in->channels + 4)>>>(*in, *out);
    return wait_for_kernel();
}
