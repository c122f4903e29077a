// Style: plain C with one exit for each function, reached by goto.
#include "frame_store.h"

#include <string.h>

static size_t size_of(int width, int height) {
    return (size_t)width * (size_t)height;
}

static cudaError_t let_go(void* memory, cudaError_t before) {
    cudaError_t error = cudaFree(memory);
    return before != cudaSuccess ? before : error;
}

cudaError_t make_store(FrameStore* store, int width, int height) {
    cudaError_t error;
    void* front = NULL;
    void* back = NULL;
    void* staging = NULL;
    size_t bytes;

    if (store == NULL || width < 1 || height < 1)
        return cudaErrorInvalidValue;
    memset(store, 0, sizeof *store);
    bytes = size_of(width, height);

    error = cudaMalloc(&front, bytes);
    if (error != cudaSuccess) {
        front = NULL;
        goto failed;
    }
    error = cudaMalloc(&back, bytes);
    if (error != cudaSuccess) {
        back = NULL;
        goto failed;
    }
    error = cudaMallocHost(&staging, bytes);
    if (error != cudaSuccess) {
        staging = NULL;
        goto failed;
    }
    error = cudaMemset(front, 0, bytes);
    if (error != cudaSuccess)
        goto failed;
    error = cudaMemset(back, 0, bytes);
    if (error != cudaSuccess)
        goto failed;

    store->front.pixels = (uint8_t*)front;
    store->front.width = width;
    store->front.height = height;
    store->back.pixels = (uint8_t*)back;
    store->back.width = width;
    store->back.height = height;
    store->staging = (uint8_t*)staging;
    return cudaSuccess;

failed:
    cudaFree(front);
    cudaFree(back);
    cudaFreeHost(staging);
    return error;
}

cudaError_t release_store(FrameStore* store) {
    cudaError_t error = cudaSuccess;
    cudaError_t pinned = cudaSuccess;

    if (store == NULL)
        return cudaErrorInvalidValue;
    if (store->front.pixels != NULL)
        error = let_go(store->front.pixels, error);
    if (store->back.pixels != NULL)
        error = let_go(store->back.pixels, error);
    for (int slot = 0; slot < slot_count; slot++)
        if (store->slots[slot].pixels != NULL)
            error = let_go(store->slots[slot].pixels, error);
    if (store->staging != NULL)
        pinned = cudaFreeHost(store->staging);
    memset(store, 0, sizeof *store);
    return error != cudaSuccess ? error : pinned;
}

cudaError_t push_frame(FrameStore* store, const uint8_t* pixels) {
    if (store == NULL || pixels == NULL)
        return cudaErrorInvalidValue;
    size_t bytes = size_of(store->front.width, store->front.height);
    memcpy(store->staging, pixels, bytes);
    cudaError_t error =
        cudaMemcpy(store->back.pixels, store->staging, bytes, cudaMemcpyHostToDevice);
    if (error != cudaSuccess)
        return error;
    Frame newest = store->back;
    store->back = store->front;
    store->previous = store->front;
    store->front = newest;
    return cudaSuccess;
}

cudaError_t keep_front(FrameStore* store, int slot) {
    cudaError_t error;
    Frame copy = {NULL, 0, 0};
    size_t bytes;

    if (store == NULL || slot < 0 || slot >= slot_count)
        return cudaErrorInvalidValue;
    copy.width = store->front.width;
    copy.height = store->front.height;
    bytes = size_of(copy.width, copy.height);
    error = cudaMalloc((void**)&copy.pixels, bytes);
    if (error != cudaSuccess) {
        copy.pixels = NULL;
        goto done;
    }
    error = cudaMemcpy(copy.pixels, store->front.pixels, bytes, cudaMemcpyDeviceToDevice);
    if (error != cudaSuccess)
        goto done;

    {
        Frame old = store->slots[slot];
        store->slots[slot] = copy;
        copy = old;
    }
    if (copy.pixels == NULL)
        store->kept++;
done:
    // The new block after a failure, the old one otherwise; null when there is none.
    return let_go(copy.pixels, error);
}

cudaError_t drop_slot(FrameStore* store, int slot) {
    if (store == NULL || slot < 0 || slot >= slot_count)
        return cudaErrorInvalidValue;
    uint8_t* pixels = store->slots[slot].pixels;
    if (pixels == NULL)
        return cudaSuccess;
    store->slots[slot].pixels = NULL;
    store->slots[slot].width = 0;
    store->slots[slot].height = 0;
    store->kept--;
    return cudaFree(pixels);
}

cudaError_t restore_slot(FrameStore* store, int slot) {
    if (store == NULL || slot < 0 || slot >= slot_count)
        return cudaErrorInvalidValue;
    Frame kept = store->slots[slot];
    if (kept.pixels == NULL || kept.width != store->front.width ||
        kept.height != store->front.height)
        return cudaErrorInvalidValue;
    // The pixels move, the blocks stay where they are.
    cudaError_t error = cudaMemcpy(store->front.pixels, kept.pixels,
                                   size_of(kept.width, kept.height), cudaMemcpyDeviceToDevice);
    if (error != cudaSuccess)
        return error;
    return drop_slot(store, slot);
}

cudaError_t resize_store(FrameStore* store, int width, int height) {
    FrameStore fresh;
    if (store == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = make_store(&fresh, width, height);
    if (error != cudaSuccess)
        return error;
    memcpy(fresh.slots, store->slots, sizeof fresh.slots);
    fresh.kept = store->kept;
    memset(store->slots, 0, sizeof store->slots);
    error = release_store(store);
    *store = fresh;
    return error;
}

cudaError_t open_view(const FrameStore* store, int x, int y, int width, int height, View* view) {
    if (store == nullptr || view == nullptr || x < 0 || y < 0 || width < 1 || height < 1 ||
        width > store->front.width - x || height > store->front.height - y) {
        return cudaErrorInvalidValue;
    }
    view->row_bytes = static_cast<std::size_t>(store->front.width);
    view->pixels = store->front.pixels + y * view->row_bytes + x;
    view->width = width;
    view->height = height;
    return cudaSuccess;
}

cudaError_t read_view(const View* view, std::uint8_t* out) {
    if (view == nullptr || view->pixels == nullptr || out == nullptr) {
        return cudaErrorInvalidValue;
    }
    return cudaMemcpy2D(out, view->width, view->pixels, view->row_bytes, view->width, view->height,
                        cudaMemcpyDeviceToHost);
}

void close_view(View* view) {
    if (view != nullptr) {
        *view = View{};
    }
}
