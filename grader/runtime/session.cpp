#include "grader/runtime/session.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "grader/runtime/arena.h"
#include "grader/runtime/c_library_releases.h"
#include "grader/runtime/channel.h"
#include "grader/runtime/describe.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/sides.h"
#include "grader/runtime/start.h"
#include "grader/runtime/thread_state.h"
#include "grader/runtime/virtual_gpu_controls.h"

namespace vram::runtime {
namespace {

constexpr int second_claim_exit_status = 86;

template <typename Function>
Function* side_call(const char* name) {
    return reinterpret_cast<Function*>(callable_side_function(find_entry(name)));
}

void release_on_side(const AllocationRecord& allocation) {
    auto* pointer = reinterpret_cast<void*>(allocation.base);
    switch (allocation.family) {
        case Family::pinned:
            side_call<cudaError_t(void*)>("cudaFreeHost")(pointer);
            break;
        case Family::registered:
            side_call<cudaError_t(void*)>("cudaHostUnregister")(pointer);
            break;
        case Family::array:
            side_call<cudaError_t(cudaArray_t)>("cudaFreeArray")(
                reinterpret_cast<cudaArray_t>(allocation.base));
            break;
        default:
            side_call<cudaError_t(void*)>("cudaFree")(pointer);
            break;
    }
}

void destroy_on_side(const HandleRecord& record) {
    switch (record.kind) {
        case HandleKind::stream:
            side_call<cudaError_t(cudaStream_t)>("cudaStreamDestroy")(
                reinterpret_cast<cudaStream_t>(record.handle));
            break;
        case HandleKind::event:
            side_call<cudaError_t(cudaEvent_t)>("cudaEventDestroy")(
                reinterpret_cast<cudaEvent_t>(record.handle));
            break;
        case HandleKind::pool:
            side_call<cudaError_t(cudaMemPool_t)>("cudaMemPoolDestroy")(
                reinterpret_cast<cudaMemPool_t>(record.handle));
            break;
    }
}

class LedgerSession final : public Session {
  public:
    Device device() const override { return chosen_device(); }
    std::string device_name() const override { return chosen_device_name(); }

    int channel() const override { return take_channel().descriptor; }
    const std::array<char, 32>& channel_nonce() const override { return take_channel().nonce; }

    void enter_learner() override { state().in_learner = true; }
    void leave_learner() override {
        this_thread_as_is().harness_error = {};
        state().in_learner = false;
    }
    bool in_learner() const override { return state().in_learner; }

    CallNumber last_call() const override { return ledger().last_number(); }

    std::vector<CallRecord> calls_after(CallNumber after, bool all) const override {
        CallNumber last = ledger().last_number();
        CallNumber first = std::max(after + 1, oldest_kept(last));
        std::vector<CallRecord> calls;
        for (CallNumber number = first; number <= last; ++number) {
            const CallRecord* call = ledger().call(number);
            if (call != nullptr && (all || !call->by_harness)) {
                calls.push_back(*call);
            }
        }
        return calls;
    }

    CallRecord call(CallNumber number) const override {
        const CallRecord* call = ledger().call(number);
        return call != nullptr ? *call : CallRecord();
    }

    std::vector<AllocationRecord> allocations() const override {
        std::lock_guard lock(ledger().mutex());
        return ledger().allocations();
    }
    AllocationRecord allocation(AllocationId id) const override {
        std::lock_guard lock(ledger().mutex());
        return ledger().allocation(id);
    }
    std::vector<HandleRecord> handles() const override {
        std::lock_guard lock(ledger().mutex());
        return ledger().handles();
    }
    std::vector<Misuse> misuses_after(CallNumber after) const override {
        if (on_virtual() && !in_learner()) {
            controls::finish_pending_work();
        }
        return kept_misuses_after(after);
    }
    std::vector<Misuse> kept_misuses_after(CallNumber after) const {
        std::lock_guard lock(ledger().mutex());
        return ledger().misuses_after(after);
    }
    ClassifiedPointer classify(const void* pointer) const override {
        ThreadState& thread = this_thread();
        std::lock_guard lock(ledger().mutex());
        return ledger().classify(reinterpret_cast<std::uint64_t>(pointer), thread);
    }
    std::size_t live_device_bytes() const override {
        std::lock_guard lock(ledger().mutex());
        return ledger().live_device_bytes();
    }
    std::uint64_t count(Entry entry) const override { return ledger().count_of(entry); }
    void set_recording(bool on) override { state().recording = on; }

    std::string describe(const CallRecord& call) const override {
        return describe_call(ledger(), call);
    }
    std::string describe(const AllocationRecord& allocation) const override {
        return describe_allocation(allocation);
    }

    bool keeps_from_c_library(const void* pointer, const char* call, const void* frame) override {
        return state().in_learner && is_runtimes_block(pointer, call, frame);
    }

    void register_host_buffer(const void* begin, std::size_t bytes, const char* name) override {
        std::lock_guard lock(ledger().mutex());
        if (state().host_buffer_count == max_host_buffers) {
            return;
        }
        HostBuffer& buffer = state().host_buffers[state().host_buffer_count++];
        buffer.begin = reinterpret_cast<std::uint64_t>(begin);
        buffer.end = buffer.begin + bytes;
        std::snprintf(buffer.name, sizeof buffer.name, "%s", name);
    }
    void forget_host_buffer(const void* begin) override {
        std::lock_guard lock(ledger().mutex());
        HostBuffer* buffers = state().host_buffers;
        HostBuffer* end = buffers + state().host_buffer_count;
        auto address = reinterpret_cast<std::uint64_t>(begin);
        end = std::remove_if(buffers, end,
                             [&](const HostBuffer& buffer) { return buffer.begin == address; });
        state().host_buffer_count = static_cast<std::size_t>(end - buffers);
    }

    LastError last_error() const override { return this_thread().last_error; }
    void plant_last_error(cudaError_t error) override {
        this_thread().last_error = {error, 0, false};
    }
    void clear_last_error() override {
        this_thread().last_error = {};
        side_call<cudaError_t()>("cudaGetLastError")();
    }

    void inject(const Injection& injection) override {
        state().forget_sticky();
        state().injector.start(injection);
    }
    void stop_injecting() override {
        state().injector.stop();
        state().forget_sticky();
    }
    std::uint64_t injections_fired() const override { return state().injector.fired(); }
    CallNumber first_injected_call() const override { return state().injector.first_fired(); }
    std::uint64_t eligible_calls() const override { return state().injector.eligible_calls(); }

    void release_leftovers() override {
        ThreadState& thread = this_thread();
        thread.inside = true;
        side_call<cudaError_t()>("cudaDeviceSynchronize")();
        for (const AllocationRecord& record : live_allocations_of_program()) {
            release_on_side(record);
        }
        for (const HandleRecord& record : live_handles_of_program()) {
            destroy_on_side(record);
        }
        side_call<cudaError_t()>("cudaDeviceSynchronize")();
        side_call<cudaError_t()>("cudaGetLastError")();
        thread.inside = false;
        thread.last_error = {};
        state().forget_sticky();
        std::lock_guard lock(ledger().mutex());
        ledger().forget_misuses();
    }

    std::uint64_t virtual_nanoseconds() const override {
        return on_virtual() ? controls::virtual_nanoseconds() : 0;
    }
    void vary(std::uint64_t seed) override {
        if (on_virtual()) {
            controls::vary(seed);
        }
    }
    void set_capacity(std::size_t bytes) override {
        if (on_virtual()) {
            controls::set_capacity(bytes);
        }
    }
    KernelCounters kernel_counters() const override {
        return on_virtual() ? controls::kernel_counters() : KernelCounters();
    }

    std::vector<CallRecord> last_calls(int count) const override {
        CallNumber last = ledger().last_number();
        CallNumber oldest = oldest_kept(last);
        std::vector<CallRecord> calls;
        for (CallNumber number = last;
             number >= oldest && number > 0 && static_cast<int>(calls.size()) < count; --number) {
            const CallRecord* call = ledger().call(number);
            if (call != nullptr && !call->by_harness) {
                calls.push_back(*call);
            }
        }
        std::reverse(calls.begin(), calls.end());
        return calls;
    }
    std::vector<Misuse> last_misuses() const override { return kept_misuses_after(0); }

    void reset_ledger() override {
        std::lock_guard lock(ledger().mutex());
        ledger().reset();
        state().forget_sticky();
    }
    std::vector<std::byte> save_ledger() const override {
        std::lock_guard lock(ledger().mutex());
        return copy_of(ledger().arena());
    }
    void restore_ledger(const std::vector<std::byte>& saved) override {
        std::lock_guard lock(ledger().mutex());
        put_back(ledger().arena(), saved);
    }
    bool ledger_intact() const override {
        std::lock_guard lock(ledger().mutex());
        return ledger().intact();
    }

  private:
    static RuntimeState& state() { return runtime_state(); }
    static Ledger& ledger() { return runtime_state().ledger; }
    static bool on_virtual() { return chosen_device() == Device::virtual_gpu; }

    static CallNumber oldest_kept(CallNumber last) {
        CallNumber in_ring = last >= call_capacity ? last - call_capacity + 1 : 1;
        return std::max<CallNumber>(in_ring, ledger().arena().first_kept_call);
    }

    static std::vector<AllocationRecord> live_allocations_of_program() {
        std::lock_guard lock(ledger().mutex());
        std::vector<AllocationRecord> live;
        for (const AllocationRecord& record : ledger().allocations()) {
            const IndexedBlock* block = ledger().index().live_from(record.base);
            if (!record.by_harness && block != nullptr && block->id == record.id) {
                live.push_back(record);
                ledger().mark_freed(IndexedBlock(*block), 0);
            }
        }
        return live;
    }

    static std::vector<HandleRecord> live_handles_of_program() {
        std::lock_guard lock(ledger().mutex());
        std::vector<HandleRecord> live;
        for (const HandleRecord& record : ledger().handles()) {
            if (!record.by_harness && record.live) {
                live.push_back(record);
                ledger().mark_destroyed(record.kind, record.handle, 0);
            }
        }
        return live;
    }
};

std::atomic<bool> claimed;

}  // namespace

bool session_is_claimed() {
    return claimed;
}

}  // namespace vram::runtime

extern "C" __attribute__((visibility("default"))) vram::runtime::Session* vram_claim_session() {
    using namespace vram::runtime;
    if (claimed.exchange(true)) {
        std::fputs("vram: the session was claimed a second time; the program ends here\n", stderr);
        _exit(second_claim_exit_status);
    }
    static LedgerSession session;
    take_channel();
    session.leave_learner();
    prepare_to_share();
    return &session;
}
