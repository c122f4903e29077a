// Style: results are not looked at one by one; the last-error slot is read after each group.
#include "frame_store.h"

#include <cstring>
#include <utility>

namespace {

std::size_t bytes_of(const Frame& frame) {
    return static_cast<std::size_t>(frame.width) * frame.height;
}

/// An empty frame when the memory can't be had; the slot says why.
Frame black_frame(int width, int height) {
    Frame frame = {nullptr, width, height};
    if (cudaMalloc(&frame.pixels, bytes_of(frame)) != cudaSuccess) {
        return Frame{};
    }
    if (cudaMemset(frame.pixels, 0, bytes_of(frame)) != cudaSuccess) {
        cudaFree(frame.pixels);
        return Frame{};
    }
    return frame;
}

void wipe(Frame& frame) {
    cudaFree(frame.pixels);
    frame = Frame{};
}

void wipe_all(FrameStore* store) {
    wipe(store->front);
    wipe(store->back);
    for (Frame& slot : store->slots) {
        wipe(slot);
    }
    cudaFreeHost(store->staging);
    *store = FrameStore{};
}

}  // namespace

cudaError_t make_store(FrameStore* store, int width, int height) {
    if (store == nullptr || width < 1 || height < 1) {
        return cudaErrorInvalidValue;
    }
    cudaGetLastError();
    *store = FrameStore{};
    store->front = black_frame(width, height);
    if (store->front.pixels != nullptr) {
        store->back = black_frame(width, height);
    }
    if (store->back.pixels != nullptr &&
        cudaMallocHost(&store->staging, bytes_of(store->front)) != cudaSuccess) {
        store->staging = nullptr;
    }
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        wipe_all(store);
        cudaGetLastError();
    }
    return error;
}

cudaError_t release_store(FrameStore* store) {
    if (store == nullptr) {
        return cudaErrorInvalidValue;
    }
    cudaGetLastError();
    wipe_all(store);
    return cudaGetLastError();
}

cudaError_t push_frame(FrameStore* store, const std::uint8_t* pixels) {
    if (store == nullptr || pixels == nullptr) {
        return cudaErrorInvalidValue;
    }
    cudaGetLastError();
    std::memcpy(store->staging, pixels, bytes_of(store->back));
    cudaMemcpy(store->back.pixels, store->staging, bytes_of(store->back), cudaMemcpyHostToDevice);
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        std::swap(store->front, store->back);
        store->previous = store->back;
    }
    return error;
}

cudaError_t keep_front(FrameStore* store, int slot) {
    if (store == nullptr || slot < 0 || slot >= slot_count) {
        return cudaErrorInvalidValue;
    }
    cudaGetLastError();
    Frame copy = black_frame(store->front.width, store->front.height);
    if (copy.pixels != nullptr) {
        cudaMemcpy(copy.pixels, store->front.pixels, bytes_of(copy), cudaMemcpyDeviceToDevice);
    }
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        std::swap(store->slots[slot], copy);
        store->kept += copy.pixels == nullptr ? 1 : 0;
    }
    wipe(copy);
    const cudaError_t free_error = cudaGetLastError();
    return error != cudaSuccess ? error : free_error;
}

cudaError_t drop_slot(FrameStore* store, int slot) {
    if (store == nullptr || slot < 0 || slot >= slot_count) {
        return cudaErrorInvalidValue;
    }
    cudaGetLastError();
    if (store->slots[slot].pixels != nullptr) {
        wipe(store->slots[slot]);
        --store->kept;
    }
    return cudaGetLastError();
}

cudaError_t restore_slot(FrameStore* store, int slot) {
    if (store == nullptr || slot < 0 || slot >= slot_count) {
        return cudaErrorInvalidValue;
    }
    Frame& kept = store->slots[slot];
    if (kept.pixels == nullptr || kept.width != store->front.width ||
        kept.height != store->front.height) {
        return cudaErrorInvalidValue;
    }
    std::swap(store->front, kept);
    return drop_slot(store, slot);
}

cudaError_t resize_store(FrameStore* store, int width, int height) {
    FrameStore fresh;
    if (store == nullptr) {
        return cudaErrorInvalidValue;
    }
    const cudaError_t error = make_store(&fresh, width, height);
    if (error != cudaSuccess) {
        return error;
    }
    for (int slot = 0; slot < slot_count; ++slot) {
        std::swap(fresh.slots[slot], store->slots[slot]);
    }
    std::swap(fresh.kept, store->kept);
    std::swap(fresh, *store);
    return release_store(&fresh);
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
