// fails: Slot.DroppingFreesItsPicture
// diagnosis: free-by-c-library
// shows: std::free(std::exchange(frame, Frame{}).pixels);
// mistake: D10

// free() of the C library gets a device address.
#include "frame_store.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

std::size_t bytes_of(const Frame& frame) {
    return static_cast<std::size_t>(frame.width) * frame.height;
}

bool is_slot(int slot) {
    return slot >= 0 && slot < slot_count;
}

/// Frees the frame and leaves it empty, so that nobody can free it again.
cudaError_t free_frame(Frame* frame) {
    return cudaFree(std::exchange(*frame, Frame{}).pixels);
}

/// A black frame in `*frame`, or an error and an empty frame.
cudaError_t make_frame(Frame* frame, int width, int height) {
    *frame = Frame{nullptr, width, height};
    cudaError_t error = cudaMalloc(&frame->pixels, bytes_of(*frame));
    if (error != cudaSuccess) {
        *frame = Frame{};
        return error;
    }
    error = cudaMemset(frame->pixels, 0, bytes_of(*frame));
    if (error != cudaSuccess) {
        free_frame(frame);
    }
    return error;
}

}  // namespace

cudaError_t make_store(FrameStore* store, int width, int height) {
    if (store == nullptr || width < 1 || height < 1) {
        return cudaErrorInvalidValue;
    }
    *store = FrameStore{};
    cudaError_t error = make_frame(&store->front, width, height);
    if (error == cudaSuccess) {
        error = make_frame(&store->back, width, height);
    }
    if (error == cudaSuccess) {
        error = cudaMallocHost(&store->staging, bytes_of(store->front));
        if (error != cudaSuccess) {
            store->staging = nullptr;
        }
    }
    if (error != cudaSuccess) {
        release_store(store);
    }
    return error;
}

cudaError_t release_store(FrameStore* store) {
    if (store == nullptr) {
        return cudaErrorInvalidValue;
    }
    cudaError_t first_error = cudaSuccess;
    const auto remember = [&first_error](cudaError_t error) {
        if (first_error == cudaSuccess) {
            first_error = error;
        }
    };
    remember(free_frame(&store->front));
    remember(free_frame(&store->back));
    for (Frame& slot : store->slots) {
        remember(free_frame(&slot));
    }
    remember(cudaFreeHost(std::exchange(store->staging, nullptr)));
    store->previous = Frame{};
    store->kept = 0;
    return first_error;
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
    Frame copy;
    cudaError_t error = make_frame(&copy, front.width, front.height);
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaMemcpy(copy.pixels, front.pixels, bytes_of(front), cudaMemcpyDeviceToDevice);
    if (error != cudaSuccess) {
        free_frame(&copy);
        return error;
    }
    // Nothing can fail any more before the new picture is in its place: now the old one may go.
    Frame old = std::exchange(store->slots[slot], copy);
    if (old.pixels == nullptr) {
        ++store->kept;
    }
    return free_frame(&old);
}

cudaError_t drop_slot(FrameStore* store, int slot) {
    if (store == nullptr || !is_slot(slot)) {
        return cudaErrorInvalidValue;
    }
    Frame& frame = store->slots[slot];
    if (frame.pixels == nullptr) {
        return cudaSuccess;
    }
    --store->kept;
    std::free(std::exchange(frame, Frame{}).pixels);
    return cudaSuccess;
}

cudaError_t restore_slot(FrameStore* store, int slot) {
    if (store == nullptr || !is_slot(slot)) {
        return cudaErrorInvalidValue;
    }
    Frame& kept = store->slots[slot];
    if (kept.pixels == nullptr || kept.width != store->front.width ||
        kept.height != store->front.height) {
        return cudaErrorInvalidValue;
    }
    Frame old = std::exchange(store->front, std::exchange(kept, Frame{}));
    --store->kept;
    return free_frame(&old);
}

cudaError_t resize_store(FrameStore* store, int width, int height) {
    if (store == nullptr) {
        return cudaErrorInvalidValue;
    }
    FrameStore resized;
    const cudaError_t error = make_store(&resized, width, height);
    if (error != cudaSuccess) {
        return error;
    }
    // The kept pictures stay; what was replaced goes with the local store.
    std::swap(store->front, resized.front);
    std::swap(store->back, resized.back);
    std::swap(store->staging, resized.staging);
    store->previous = Frame{};
    return release_store(&resized);
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
