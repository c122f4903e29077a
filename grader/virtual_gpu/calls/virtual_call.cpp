#include "grader/virtual_gpu/calls/virtual_call.h"

namespace vram::virtual_gpu {
namespace {

thread_local int per_thread_depth = 0;

}  // namespace

PerThreadDefault::PerThreadDefault() {
    ++per_thread_depth;
}
PerThreadDefault::~PerThreadDefault() {
    --per_thread_depth;
}

CallScope::CallScope(std::uint64_t nanoseconds) : lock_(card_mutex()), card_(virtual_gpu::card()) {
    ++card_.activity;
    card_.scheduler.spend(nanoseconds);
    if (in_host_function())
        refused_outright_ = cudaErrorNotPermitted;
    else if (card_.unavailable)
        refused_outright_ = cudaErrorDevicesUnavailable;
    refused_ = refused_outright_ ? refused_outright_ : outcome(card_);
}

std::shared_ptr<Stream> stream_of(Card& card, cudaStream_t handle) {
    if (handle == nullptr)
        return per_thread_depth > 0 ? card.scheduler.per_thread() : card.scheduler.legacy();
    if (handle == cudaStreamLegacy)
        return card.scheduler.legacy();
    if (handle == cudaStreamPerThread)
        return card.scheduler.per_thread();
    return card.scheduler.find_stream(reinterpret_cast<std::uint64_t>(handle));
}

std::shared_ptr<const Origin> origin_of(const char* call) {
    return std::make_shared<const Origin>(Origin{observer().current_call(), call});
}

cudaError_t outcome(const Card& card) {
    return static_cast<cudaError_t>(card.scheduler.sticky_error());
}

void fail_pointer(Card& card, void** out) {
    if (card.variation.nulls_failed_pointer())
        *out = nullptr;
}

}  // namespace vram::virtual_gpu
