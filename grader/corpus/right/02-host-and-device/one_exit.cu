// Style: C with one exit for each function, reached by goto; malloc for host memory; an overlapping
// move goes in pieces that are no longer than the distance.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host_and_device.h"

static int bad(const void* pointer, size_t count) {
    return pointer == NULL || count > SIZE_MAX / sizeof(float);
}

cudaError_t upload(float* device, const float* host, size_t count) {
    cudaError_t status = cudaSuccess;
    if (count == 0)
        goto done;
    status = cudaErrorInvalidValue;
    if (bad(device, count) || bad(host, count))
        goto done;
    status = cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice);
done:
    return status;
}

cudaError_t download(float* host, const float* device, size_t count) {
    cudaError_t status = cudaSuccess;
    if (count == 0)
        goto done;
    status = cudaErrorInvalidValue;
    if (bad(device, count) || bad(host, count))
        goto done;
    status = cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
done:
    return status;
}

cudaError_t fill(float* device, float value, size_t count) {
    float* host = NULL;
    cudaError_t status = cudaSuccess;
    if (count == 0)
        goto done;
    status = cudaErrorInvalidValue;
    if (bad(device, count))
        goto done;
    if (value == 0) {
        status = cudaMemset(device, 0, count * sizeof(float));
        goto done;
    }
    host = (float*)malloc(count * sizeof(float));
    status = cudaErrorMemoryAllocation;
    if (host == NULL)
        goto done;
    for (size_t i = 0; i < count; ++i)
        host[i] = value;
    status = upload(device, host, count);
done:
    free(host);
    return status;
}

cudaError_t sum(const float* device, size_t count, double* out) {
    float* host = NULL;
    double total = 0;
    cudaError_t status = cudaErrorInvalidValue;
    if (out == NULL)
        goto done;
    *out = 0;
    status = cudaSuccess;
    if (count == 0)
        goto done;
    status = cudaErrorInvalidValue;
    if (bad(device, count))
        goto done;
    status = cudaErrorMemoryAllocation;
    host = (float*)malloc(count * sizeof(float));
    if (host == NULL)
        goto done;
    status = download(host, device, count);
    if (status != cudaSuccess)
        goto done;
    for (size_t i = count; i > 0; --i)
        total += host[i - 1];
    *out = total;
done:
    free(host);
    return status;
}

cudaError_t compare(const float* a, const float* b, size_t count, size_t* first_difference) {
    float* left = NULL;
    float* right = NULL;
    size_t i = 0;
    cudaError_t status = cudaErrorInvalidValue;
    if (first_difference == NULL)
        goto done;
    *first_difference = 0;
    status = cudaSuccess;
    if (count == 0)
        goto done;
    status = cudaErrorInvalidValue;
    if (bad(a, count) || bad(b, count))
        goto done;
    status = cudaErrorMemoryAllocation;
    left = (float*)malloc(count * sizeof(float));
    right = (float*)malloc(count * sizeof(float));
    if (left == NULL || right == NULL)
        goto done;
    status = download(left, a, count);
    if (status != cudaSuccess)
        goto done;
    status = download(right, b, count);
    if (status != cudaSuccess)
        goto done;
    while (i < count && memcmp(&left[i], &right[i], sizeof(float)) == 0)
        ++i;
    *first_difference = i;
done:
    free(right);
    free(left);
    return status;
}

cudaError_t copy_within(float* device, size_t count, size_t from, size_t to, size_t length) {
    cudaError_t status = cudaSuccess;
    size_t distance = from < to ? to - from : from - to;
    if (length == 0)
        goto done;
    status = cudaErrorInvalidValue;
    if (bad(device, count) || from > count || to > count)
        goto done;
    if (length > count - from || length > count - to)
        goto done;
    status = cudaSuccess;
    if (distance == 0)
        goto done;
    for (size_t moved = 0; moved < length && status == cudaSuccess;) {
        size_t piece = length - moved < distance ? length - moved : distance;
        // To the right: the last elements first, before they are overwritten.
        size_t offset = from < to ? length - moved - piece : moved;
        status = cudaMemcpy(device + to + offset, device + from + offset, piece * sizeof(float),
                            cudaMemcpyDeviceToDevice);
        moved += piece;
    }
done:
    return status;
}

Place place_of(const void* pointer) {
    Place place = Place::unregistered;
    struct cudaPointerAttributes attributes;
    memset(&attributes, 0, sizeof attributes);
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess)
        goto done;
    if (attributes.type == cudaMemoryTypeManaged)
        place = Place::managed;
    if (attributes.type == cudaMemoryTypeDevice)
        place = Place::device;
    if (attributes.type == cudaMemoryTypeHost)
        place = Place::pinned;
done:
    return place;
}
