#include "pitched_image.h"

cudaError_t create_image(Image* out, int width, int height, int channels) {
    // TODO: check the arguments, let the runtime choose a pitch, hand the image out.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t destroy_image(Image* image) {
    // TODO: release the pixels and forget them.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t crop_image(const Image* image, int x, int y, int width, int height, Image* window) {
    // TODO: where is the first byte of the window, and how far is it from row to row?
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t upload_image(Image* image, const std::uint8_t* host, std::size_t host_stride) {
    // TODO: two pitches, one width.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t download_image(const Image* image, std::uint8_t* host, std::size_t host_stride) {
    // TODO: the other way.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t fill_image(Image* image, const std::uint8_t* pixel) {
    // TODO: the same colour for each pixel, and nothing for the padding.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t invert_image(Image* image) {
    // TODO: a kernel over the rows.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t transpose_image(const Image* in, Image* out) {
    // TODO: a kernel with two pitches.
    return cudaErrorNotYetImplemented;
    // end of TODO
}
