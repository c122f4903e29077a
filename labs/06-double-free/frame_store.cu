#include "frame_store.h"

#include <cstring>
#include <utility>

namespace {

std::size_t bytes_of(const Frame& frame) {
    return static_cast<std::size_t>(frame.width) * frame.height;
}

bool is_slot(int slot) {
    return slot >= 0 && slot < slot_count;
}

/// A black frame in `*frame`, or an error and no memory.
cudaError_t make_frame(Frame* frame, int width, int height) {
    frame->width = width;
    frame->height = height;
    cudaError_t error = cudaMalloc(&frame->pixels, bytes_of(*frame));
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaMemset(frame->pixels, 0, bytes_of(*frame));
    if (error != cudaSuccess) {
        cudaFree(frame->pixels);
    }
    return error;
}

}  // namespace

cudaError_t make_store(FrameStore* store, int width, int height) {
    if (store == nullptr || width < 1 || height < 1) {
        return cudaErrorInvalidValue;
    }
    // No picture is kept yet, and none was pushed.
    store->kept = 0;
    store->previous = Frame{};

    cudaError_t error = make_frame(&store->front, width, height);
    if (error != cudaSuccess) {
        return error;
    }
    error = make_frame(&store->back, width, height);
    if (error != cudaSuccess) {
        cudaFree(store->front.pixels);
        return error;
    }
    error = cudaMallocHost(&store->staging, bytes_of(store->front));
    if (error != cudaSuccess) {
        cudaFree(store->back.pixels);
        cudaFree(store->front.pixels);
        return error;
    }
    return cudaSuccess;
}

cudaError_t release_store(FrameStore* store) {
    if (store == nullptr) {
        return cudaErrorInvalidValue;
    }
    void* const blocks[] = {store->front.pixels, store->back.pixels, store->previous.pixels,
                            store->staging};
    for (void* block : blocks) {
        cudaFree(block);
    }
    for (Frame& slot : store->slots) {
        cudaFree(slot.pixels);
    }
    store->kept = 0;
    return cudaSuccess;
}

cudaError_t push_frame(FrameStore* store, const std::uint8_t* pixels) {
    if (store == nullptr || pixels == nullptr) {
        return cudaErrorInvalidValue;
    }
    const std::size_t bytes = bytes_of(store->back);
    std::memcpy(store->staging, pixels, bytes);
    const cudaError_t error =
        cudaMemcpy(store->back.pixels, store->staging, bytes, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) {
        return error;
    }
    std::swap(store->front, store->back);
    store->previous = store->back;
    return cudaSuccess;
}

cudaError_t keep_front(FrameStore* store, int slot) {
    if (store == nullptr || !is_slot(slot)) {
        return cudaErrorInvalidValue;
    }
    const Frame& front = store->front;
    Frame& kept = store->slots[slot];
    if (kept.pixels != nullptr) {
        cudaFree(kept.pixels);
        --store->kept;
    }
    cudaError_t error = make_frame(&kept, front.width, front.height);
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaMemcpy(kept.pixels, front.pixels, bytes_of(front), cudaMemcpyDeviceToDevice);
    if (error != cudaSuccess) {
        cudaFree(kept.pixels);
        return error;
    }
    ++store->kept;
    return cudaSuccess;
}

cudaError_t drop_slot(FrameStore* store, int slot) {
    if (store == nullptr || !is_slot(slot)) {
        return cudaErrorInvalidValue;
    }
    Frame& frame = store->slots[slot];
    if (frame.pixels == nullptr) {
        return cudaSuccess;
    }
    // The slot is emptied first, so that it never shows a picture that is being freed.
    frame = Frame{};
    --store->kept;
    return cudaFree(frame.pixels);
}

cudaError_t restore_slot(FrameStore* store, int slot) {
    if (store == nullptr || !is_slot(slot)) {
        return cudaErrorInvalidValue;
    }
    const Frame& kept = store->slots[slot];
    if (kept.pixels == nullptr || kept.width != store->front.width ||
        kept.height != store->front.height) {
        return cudaErrorInvalidValue;
    }
    const cudaError_t error = cudaFree(store->front.pixels);
    store->front = kept;
    --store->kept;
    return error;
}

cudaError_t resize_store(FrameStore* store, int width, int height) {
    if (store == nullptr || width < 1 || height < 1) {
        return cudaErrorInvalidValue;
    }
    // The old buffers go first: two sizes at once may not fit.
    cudaFree(store->front.pixels);
    cudaFree(store->back.pixels);
    cudaFreeHost(store->staging);
    store->previous = Frame{};

    cudaError_t error = make_frame(&store->front, width, height);
    if (error == cudaSuccess) {
        error = make_frame(&store->back, width, height);
    }
    if (error == cudaSuccess) {
        error = cudaMallocHost(&store->staging, bytes_of(store->front));
    }
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
    if (view == nullptr) {
        return;
    }
    if (view->pixels != nullptr) {
        cudaFree(view->pixels);
    }
    *view = View{};
}
