// Style: each block has a local owner until it is complete; then the struct takes it.
#include "frame_store.h"

#include <cstring>
#include <utility>

namespace {

std::size_t bytes_of(const Frame& frame) {
    return static_cast<std::size_t>(frame.width) * frame.height;
}

template <cudaError_t (*release)(void*)>
class Owner {
  public:
    Owner() = default;
    explicit Owner(std::uint8_t* memory) : memory_(memory) {}
    Owner(Owner&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
    Owner& operator=(Owner&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~Owner() { free(); }
    cudaError_t free() { return release(std::exchange(memory_, nullptr)); }
    std::uint8_t* get() const { return memory_; }
    std::uint8_t* give() { return std::exchange(memory_, nullptr); }

  private:
    std::uint8_t* memory_ = nullptr;
};
using OnDevice = Owner<cudaFree>;
using Pinned = Owner<cudaFreeHost>;

cudaError_t black(int width, int height, OnDevice& out) {
    const std::size_t bytes = static_cast<std::size_t>(width) * height;
    void* memory = nullptr;
    if (const cudaError_t error = cudaMalloc(&memory, bytes); error != cudaSuccess) {
        return error;
    }
    out = OnDevice(static_cast<std::uint8_t*>(memory));
    return cudaMemset(out.get(), 0, bytes);
}

struct Parts {
    OnDevice front;
    OnDevice back;
    Pinned staging;

    cudaError_t make(int width, int height) {
        if (const cudaError_t error = black(width, height, front); error != cudaSuccess) {
            return error;
        }
        if (const cudaError_t error = black(width, height, back); error != cudaSuccess) {
            return error;
        }
        void* memory = nullptr;
        const cudaError_t error =
            cudaHostAlloc(&memory, static_cast<std::size_t>(width) * height, cudaHostAllocDefault);
        if (error == cudaSuccess) {
            staging = Pinned(static_cast<std::uint8_t*>(memory));
        }
        return error;
    }

    void move_into(FrameStore* store, int width, int height) {
        store->front = {front.give(), width, height};
        store->back = {back.give(), width, height};
        store->staging = staging.give();
    }
};

bool bad(const FrameStore* store, int slot) {
    return store == nullptr || slot < 0 || slot >= slot_count;
}

cudaError_t free_all(OnDevice* blocks, int count) {
    cudaError_t first = cudaSuccess;
    for (int index = 0; index < count; ++index) {
        const cudaError_t error = blocks[index].free();
        first = first == cudaSuccess ? error : first;
    }
    return first;
}

}  // namespace

cudaError_t make_store(FrameStore* store, int width, int height) {
    if (store == nullptr || width <= 0 || height <= 0) {
        return cudaErrorInvalidValue;
    }
    std::memset(store, 0, sizeof *store);
    Parts parts;
    const cudaError_t error = parts.make(width, height);
    if (error == cudaSuccess) {
        parts.move_into(store, width, height);
    }
    return error;
}

cudaError_t release_store(FrameStore* store) {
    if (store == nullptr) {
        return cudaErrorInvalidValue;
    }
    OnDevice blocks[2 + slot_count] = {OnDevice(store->front.pixels), OnDevice(store->back.pixels)};
    for (int slot = 0; slot < slot_count; ++slot) {
        blocks[2 + slot] = OnDevice(store->slots[slot].pixels);
    }
    Pinned staging(store->staging);
    *store = FrameStore{};
    const cudaError_t frames = free_all(blocks, 2 + slot_count);
    const cudaError_t pinned = staging.free();
    return frames != cudaSuccess ? frames : pinned;
}

cudaError_t push_frame(FrameStore* store, const std::uint8_t* pixels) {
    if (store == nullptr || pixels == nullptr) {
        return cudaErrorInvalidValue;
    }
    std::memcpy(store->staging, pixels, bytes_of(store->back));
    const cudaError_t error = cudaMemcpy(store->back.pixels, store->staging, bytes_of(store->back),
                                         cudaMemcpyHostToDevice);
    if (error == cudaSuccess) {
        store->previous = std::exchange(store->front, store->back);
        store->back = store->previous;
    }
    return error;
}

cudaError_t keep_front(FrameStore* store, int slot) {
    if (bad(store, slot)) {
        return cudaErrorInvalidValue;
    }
    OnDevice copy;
    cudaError_t error = black(store->front.width, store->front.height, copy);
    if (error == cudaSuccess) {
        error = cudaMemcpy(copy.get(), store->front.pixels, bytes_of(store->front),
                           cudaMemcpyDeviceToDevice);
    }
    if (error != cudaSuccess) {
        return error;
    }
    OnDevice old(store->slots[slot].pixels);
    store->kept += old.get() == nullptr;
    store->slots[slot] = {copy.give(), store->front.width, store->front.height};
    return old.free();
}

cudaError_t drop_slot(FrameStore* store, int slot) {
    if (bad(store, slot)) {
        return cudaErrorInvalidValue;
    }
    OnDevice old(std::exchange(store->slots[slot], Frame{}).pixels);
    store->kept -= old.get() != nullptr;
    return old.free();
}

cudaError_t restore_slot(FrameStore* store, int slot) {
    if (bad(store, slot)) {
        return cudaErrorInvalidValue;
    }
    const Frame kept = store->slots[slot];
    if (kept.pixels == nullptr || kept.width != store->front.width ||
        kept.height != store->front.height) {
        return cudaErrorInvalidValue;
    }
    std::swap(store->front, store->slots[slot]);
    return drop_slot(store, slot);
}

cudaError_t resize_store(FrameStore* store, int width, int height) {
    if (store == nullptr || width <= 0 || height <= 0) {
        return cudaErrorInvalidValue;
    }
    Parts parts;
    const cudaError_t error = parts.make(width, height);
    if (error != cudaSuccess) {
        return error;
    }
    OnDevice old[] = {OnDevice(store->front.pixels), OnDevice(store->back.pixels)};
    Pinned staging(store->staging);
    parts.move_into(store, width, height);
    store->previous = Frame{};
    const cudaError_t frames = free_all(old, 2);
    const cudaError_t pinned = staging.free();
    return frames != cudaSuccess ? frames : pinned;
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
