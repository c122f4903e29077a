// Style: failures travel as exceptions inside, and become codes at the border.
#include "frame_store.h"

#include <cstring>
#include <utility>

namespace {

struct Failure {
    cudaError_t code;
};

void must(cudaError_t code) {
    if (code != cudaSuccess) {
        throw Failure{code};
    }
}

template <class Work>
cudaError_t at_the_border(Work work) {
    try {
        work();
    } catch (const Failure& failure) {
        return failure.code;
    }
    return cudaSuccess;
}

std::size_t bytes_of(const Frame& frame) {
    return static_cast<std::size_t>(frame.width) * frame.height;
}

class NewFrame {
  public:
    NewFrame(int width, int height) : frame_{nullptr, width, height} {
        must(cudaMalloc(&frame_.pixels, bytes_of(frame_)));
        const cudaError_t set = cudaMemset(frame_.pixels, 0, bytes_of(frame_));
        if (set != cudaSuccess) {
            cudaFree(frame_.pixels);
            throw Failure{set};
        }
    }
    NewFrame(const NewFrame&) = delete;
    NewFrame& operator=(const NewFrame&) = delete;
    ~NewFrame() { cudaFree(frame_.pixels); }
    const Frame& get() const { return frame_; }
    /// Puts the new frame there and takes the old one.
    void exchange_with(Frame& other) { std::swap(frame_, other); }
    void free_now() { must(cudaFree(std::exchange(frame_, Frame{}).pixels)); }

  private:
    Frame frame_;
};

class NewStaging {
  public:
    explicit NewStaging(std::size_t bytes) { must(cudaMallocHost(&memory_, bytes)); }
    NewStaging(const NewStaging&) = delete;
    NewStaging& operator=(const NewStaging&) = delete;
    ~NewStaging() { cudaFreeHost(memory_); }
    void exchange_with(std::uint8_t*& other) { std::swap(memory_, other); }

  private:
    std::uint8_t* memory_ = nullptr;
};

void check(bool holds) {
    must(holds ? cudaSuccess : cudaErrorInvalidValue);
}

}  // namespace

cudaError_t make_store(FrameStore* store, int width, int height) {
    return at_the_border([&] {
        check(store != nullptr && width > 0 && height > 0);
        *store = FrameStore{};
        NewFrame front(width, height);
        NewFrame back(width, height);
        NewStaging staging(bytes_of(front.get()));
        front.exchange_with(store->front);
        back.exchange_with(store->back);
        staging.exchange_with(store->staging);
    });
}

cudaError_t release_store(FrameStore* store) {
    if (store == nullptr) {
        return cudaErrorInvalidValue;
    }
    const FrameStore doomed = std::exchange(*store, FrameStore{});
    cudaError_t errors[3 + slot_count] = {
        cudaFree(doomed.front.pixels), cudaFree(doomed.back.pixels), cudaFreeHost(doomed.staging)};
    for (int slot = 0; slot < slot_count; ++slot) {
        errors[3 + slot] = cudaFree(doomed.slots[slot].pixels);
    }
    return at_the_border([&] {
        for (cudaError_t error : errors) {
            must(error);
        }
    });
}

cudaError_t push_frame(FrameStore* store, const std::uint8_t* pixels) {
    return at_the_border([&] {
        check(store != nullptr && pixels != nullptr);
        std::memcpy(store->staging, pixels, bytes_of(store->back));
        must(cudaMemcpy(store->back.pixels, store->staging, bytes_of(store->back),
                        cudaMemcpyDefault));
        std::swap(store->front, store->back);
        store->previous = store->back;
    });
}

cudaError_t keep_front(FrameStore* store, int slot) {
    return at_the_border([&] {
        check(store != nullptr && slot >= 0 && slot < slot_count);
        NewFrame copy(store->front.width, store->front.height);
        must(cudaMemcpy(copy.get().pixels, store->front.pixels, bytes_of(store->front),
                        cudaMemcpyDefault));
        copy.exchange_with(store->slots[slot]);
        if (copy.get().pixels == nullptr) {
            ++store->kept;
        }
    });
}

cudaError_t drop_slot(FrameStore* store, int slot) {
    return at_the_border([&] {
        check(store != nullptr && slot >= 0 && slot < slot_count);
        const Frame old = std::exchange(store->slots[slot], Frame{});
        if (old.pixels != nullptr) {
            --store->kept;
            must(cudaFree(old.pixels));
        }
    });
}

cudaError_t restore_slot(FrameStore* store, int slot) {
    return at_the_border([&] {
        check(store != nullptr && slot >= 0 && slot < slot_count);
        const Frame kept = store->slots[slot];
        check(kept.pixels != nullptr && kept.width == store->front.width &&
              kept.height == store->front.height);
        store->slots[slot] = std::exchange(store->front, kept);
        must(drop_slot(store, slot));
    });
}

cudaError_t resize_store(FrameStore* store, int width, int height) {
    return at_the_border([&] {
        check(store != nullptr && width > 0 && height > 0);
        NewFrame front(width, height);
        NewFrame back(width, height);
        NewStaging staging(bytes_of(front.get()));
        front.exchange_with(store->front);
        back.exchange_with(store->back);
        staging.exchange_with(store->staging);
        store->previous = Frame{};
        front.free_now();
        back.free_now();
    });
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
