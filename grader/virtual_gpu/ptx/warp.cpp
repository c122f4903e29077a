#include "grader/virtual_gpu/ptx/warp.h"

#include <algorithm>

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::size_t alignment = 64;

std::size_t rounded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

void Frame::prepare(const Function& prepared) {
    function = &prepared;
    const std::size_t register_bytes = rounded(prepared.register_bytes);
    const std::size_t needed =
        register_bytes + rounded(prepared.predicate_count * sizeof(std::uint32_t)) + alignment;
    if (needed > capacity_) {
        storage_ = std::make_unique<std::byte[]>(needed);
        capacity_ = needed;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(storage_.get());
    registers = reinterpret_cast<std::byte*>(rounded(begin));
    predicates = reinterpret_cast<std::uint32_t*>(registers + register_bytes);
    std::fill(predicates, predicates + prepared.predicate_count, 0u);
}

Frame* Warp::take_frame(const Function& function) {
    if (free_frames.empty()) {
        frames.push_back(std::make_unique<Frame>());
        free_frames.push_back(frames.back().get());
    }
    Frame* taken = free_frames.back();
    free_frames.pop_back();
    taken->prepare(function);
    return taken;
}

void Warp::release_frame(Frame* released) {
    free_frames.push_back(released);
}

}  // namespace vram::virtual_gpu::ptx
