// fails: Create.RefusesWhatIsNoImage
// diagnosis: wrong-size
// mistake: C2; multiplies width and channels as int before it is too late, so a very wide image gets a
//   few bytes.
#include "pitched_image.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using Byte = std::uint8_t;

std::size_t bytes_in_row(const Image& i) {
    return std::size_t(i.width) * std::size_t(i.channels);
}

bool nothing_in(const Image& i) {
    return i.width <= 0 || i.height <= 0;
}

cudaPitchedPtr as_pitched(const Image& i) {
    return make_cudaPitchedPtr(i.pixels, i.pitch, bytes_in_row(i), std::size_t(i.height));
}

cudaError_t finished() {
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    return e;
}

struct Negative {
    __device__ Byte operator()(Byte b, int) const { return Byte(~b); }
};

struct Paint {
    Byte colour[12];
    int channels;
    __device__ Byte operator()(Byte, int column) const { return colour[column % channels]; }
};

// A block takes one stretch of 256 bytes of a row at a time.
template <class Function>
__global__ void for_each_byte(Image image, int row_bytes, Function function) {
    const int stretches = (row_bytes + 255) / 256;
    const long long total = 1LL * stretches * image.height;
    for (long long job = blockIdx.x; job < total; job += gridDim.x) {
        const int column = int(job % stretches) * 256 + threadIdx.x;
        if (column >= row_bytes)
            continue;
        Byte* place = image.pixels + (job / stretches) * image.pitch + column;
        *place = function(*place, column);
    }
}

template <class Function>
cudaError_t apply(Image image, Function function) {
    const int row_bytes = int(bytes_in_row(image));
    const long long jobs = 1LL * ((row_bytes + 255) / 256) * image.height;
    for_each_byte<<<unsigned(std::min(jobs, 1LL << 20)), 256>>>(image, row_bytes, function);
    return finished();
}

constexpr int tile = 16;

template <int channels>
__global__ void turn(Image in, Image out) {
    __shared__ Byte held[tile][tile][channels];
    const int across = (in.width + tile - 1) / tile;
    const int x0 = int(blockIdx.x % across) * tile;
    const int y0 = int(blockIdx.x / across) * tile;
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < in.width && y < in.height)
        for (int c = 0; c < channels; ++c)
            held[threadIdx.y][threadIdx.x][c] = in.pixels[y * in.pitch + x * channels + c];
    __syncthreads();
    const int to_x = y0 + threadIdx.x, to_y = x0 + threadIdx.y;
    if (to_x < out.width && to_y < out.height)
        for (int c = 0; c < channels; ++c)
            out.pixels[to_y * out.pitch + to_x * channels + c] = held[threadIdx.x][threadIdx.y][c];
}

}  // namespace

cudaError_t create_image(Image* out, int width, int height, int channels) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = {nullptr, 0, 0, 0, channels};
    const bool known = channels == 1 || channels == 3 || channels == 4 || channels == 12;
    if (!known || width < 0 || height < 0)
        return cudaErrorInvalidValue;
    if (!width || !height)
        return cudaSuccess;
    void* block = nullptr;
    std::size_t pitch = 0;
    const cudaError_t e =
        cudaMallocPitch(&block, &pitch, unsigned(width) * unsigned(channels), std::size_t(height));
    if (e != cudaSuccess)
        return e;
    *out = {static_cast<Byte*>(block), pitch, width, height, channels};
    return cudaSuccess;
}

cudaError_t destroy_image(Image* image) {
    if (!image)
        return cudaSuccess;
    Byte* block = nullptr;
    std::swap(block, image->pixels);
    image->pitch = 0;
    image->width = image->height = 0;
    return block ? cudaFree(block) : cudaSuccess;
}

cudaError_t crop_image(const Image* image, int x, int y, int width, int height, Image* window) {
    if (!image || !window || std::min({x, y, width, height}) < 0)
        return cudaErrorInvalidValue;
    if (1LL * x + width > image->width || 1LL * y + height > image->height)
        return cudaErrorInvalidValue;
    Image view = *image;
    view.width = width;
    view.height = height;
    if (nothing_in(view)) {
        view = {nullptr, 0, 0, 0, image->channels};
    } else {
        view.pixels += std::size_t(y) * view.pitch + std::size_t(x) * std::size_t(view.channels);
    }
    *window = view;
    return cudaSuccess;
}

cudaError_t upload_image(Image* image, const Byte* host, std::size_t host_stride) {
    if (!image)
        return cudaErrorInvalidValue;
    if (nothing_in(*image))
        return cudaSuccess;
    if (!host || host_stride < bytes_in_row(*image))
        return cudaErrorInvalidValue;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<Byte*>(host), host_stride, bytes_in_row(*image),
                                      std::size_t(image->height));
    copy.dstPtr = as_pitched(*image);
    copy.extent = make_cudaExtent(bytes_in_row(*image), std::size_t(image->height), 1);
    copy.kind = cudaMemcpyHostToDevice;
    const cudaError_t e = cudaMemcpy3D(&copy);
    return e != cudaSuccess ? e : cudaDeviceSynchronize();
}

cudaError_t download_image(const Image* image, Byte* host, std::size_t host_stride) {
    if (!image)
        return cudaErrorInvalidValue;
    if (nothing_in(*image))
        return cudaSuccess;
    if (!host || host_stride < bytes_in_row(*image))
        return cudaErrorInvalidValue;
    // Through a packed copy: one transfer, then the rows one by one.
    std::vector<Byte> packed(bytes_in_row(*image) * std::size_t(image->height));
    const cudaError_t e =
        cudaMemcpy2D(packed.data(), bytes_in_row(*image), image->pixels, image->pitch,
                     bytes_in_row(*image), std::size_t(image->height), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        return e;
    for (int row = 0; row < image->height; ++row)
        std::memcpy(host + row * host_stride, packed.data() + row * bytes_in_row(*image),
                    bytes_in_row(*image));
    return cudaSuccess;
}

cudaError_t fill_image(Image* image, const Byte* pixel) {
    if (!image)
        return cudaErrorInvalidValue;
    if (nothing_in(*image))
        return cudaSuccess;
    if (!pixel)
        return cudaErrorInvalidValue;
    Paint paint{};
    paint.channels = image->channels;
    std::copy_n(pixel, image->channels, paint.colour);
    return apply(*image, paint);
}

cudaError_t invert_image(Image* image) {
    if (!image)
        return cudaErrorInvalidValue;
    return nothing_in(*image) ? cudaSuccess : apply(*image, Negative{});
}

cudaError_t transpose_image(const Image* in, Image* out) {
    if (!in || !out || in->channels != out->channels || in->width != out->height ||
        in->height != out->width)
        return cudaErrorInvalidValue;
    if (nothing_in(*in))
        return cudaSuccess;
    const int across = (in->width + tile - 1) / tile, down = (in->height + tile - 1) / tile;
    const dim3 block(tile, tile);
    switch (in->channels) {
        case 1:
            turn<1><<<across * down, block>>>(*in, *out);
            break;
        case 3:
            turn<3><<<across * down, block>>>(*in, *out);
            break;
        case 4:
            turn<4><<<across * down, block>>>(*in, *out);
            break;
        case 12:
            turn<12><<<across * down, block>>>(*in, *out);
            break;
        default:
            return cudaErrorInvalidValue;
    }
    return finished();
}
