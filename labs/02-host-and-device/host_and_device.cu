#include "host_and_device.h"

cudaError_t upload(float* device, const float* host, std::size_t count) {
    // TODO: one copy. What does it count, and in which direction does it go?
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t download(float* host, const float* device, std::size_t count) {
    // TODO: the way back.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t fill(float* device, float value, std::size_t count) {
    // TODO: every element gets `value`.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t sum(const float* device, std::size_t count, double* out) {
    // TODO: who can read the elements, and where?
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t compare(const float* a, const float* b, std::size_t count,
                    std::size_t* first_difference) {
    // TODO: find the first index at which they differ.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t copy_within(float* device, std::size_t count, std::size_t from, std::size_t to,
                        std::size_t length) {
    // TODO: check the ranges, then move the elements without one copy that overlaps itself.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

Place place_of(const void* pointer) {
    // TODO: the runtime knows every address that it handed out. Ask it.
    return static_cast<Place>(-1);
    // end of TODO
}
