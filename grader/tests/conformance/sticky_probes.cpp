// Errors that spoil the context: where they are noticed first, and what every call says after them.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

constexpr std::size_t far_away = std::size_t{1} << 40;

float* small_block() {
    void* p = nullptr;
    cudaMalloc(&p, 4096);
    return static_cast<float*>(p);
}

void tell_outcome(Facts& fact, const std::string& name) {
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t waited = cudaDeviceSynchronize();
    fact("kernel that " + name,
         {launched, waited, cudaGetLastError(), cudaGetLastError(), cudaDeviceSynchronize()});
}

PROBE_ALONE(kernel_far) {
    launch_poke(small_block(), far_away);
    tell_outcome(fact, "writes far from any block");
}

PROBE_ALONE(kernel_null) {
    launch_poke(nullptr, 0);
    tell_outcome(fact, "writes to null");
}

PROBE_ALONE(kernel_host_memory) {
    launch_poke(static_cast<float*>(std::calloc(1024, 4)), 0);
    tell_outcome(fact, "writes to malloc memory");
}

PROBE_ALONE(kernel_misaligned) {
    launch_misaligned(reinterpret_cast<char*>(small_block()));
    tell_outcome(fact, "writes a float to an odd address");
}

PROBE_ALONE(kernel_trap) {
    launch_trap();
    tell_outcome(fact, "traps");
}

PROBE_ALONE(kernel_assert) {
    launch_failing_assert();
    tell_outcome(fact, "asserts");
}

PROBE_ALONE(kernel_shared_far) {
    launch_shared_out_of_bounds(1 << 26);
    tell_outcome(fact, "reads shared memory far out of bounds");
}

PROBE_ALONE(kernel_shared_just_past) {
    launch_shared_out_of_bounds(32);
    tell_outcome(fact, "reads shared memory just past the end");
}

PROBE_ALONE(kernel_shared_past_48_kib) {
    launch_shared_out_of_bounds(16 << 10);
    tell_outcome(fact, "reads shared memory 64 KiB past the end");
}

PROBE_ALONE(kernel_shared_past_1_mib) {
    launch_shared_out_of_bounds(1 << 18);
    tell_outcome(fact, "reads shared memory 1 MiB past the end");
}

PROBE_ALONE(kernel_shared_before) {
    launch_shared_out_of_bounds(-4096);
    tell_outcome(fact, "reads shared memory before its begin");
}

PROBE_ALONE(kernel_shared_misaligned) {
    launch_shared_misaligned();
    tell_outcome(fact, "writes shared memory at an odd address");
}

PROBE_ALONE(kernel_half_barrier) {
    launch_half_barrier();
    tell_outcome(fact, "ends in half of the threads before the barrier");
}

PROBE_ALONE(kernel_write_to_constant) {
    void* address = nullptr;
    cudaGetSymbolAddress(&address, symbol_constant);
    launch_poke(static_cast<float*>(address), 0);
    tell_outcome(fact, "writes to constant memory");
}

PROBE_ALONE(kernel_endless_recursion) {
    launch_endless_recursion();
    tell_outcome(fact, "calls itself without end");
}

PROBE_ALONE(kernel_past_small_block) {
    launch_poke(small_block(), 1024 + 5);
    tell_outcome(fact, "writes just past a block of 4 KiB");
}

PROBE_ALONE(kernel_freed_small_block) {
    float* p = small_block();
    small_block();
    cudaFree(p);
    launch_poke(p, 0);
    tell_outcome(fact, "writes to a freed block of 4 KiB");
}

// Whether a freed block of 64 MiB is noticed differs from run to run on an H200, so it is no fact.

PROBE_ALONE(kernel_freed_stream_ordered) {
    void* p = nullptr;
    cudaMallocAsync(&p, 4096, nullptr);
    cudaFreeAsync(p, nullptr);
    launch_poke(static_cast<float*>(p), 0);
    fact("kernel that writes to memory freed on its stream, before a wait",
         {cudaGetLastError(), cudaDeviceSynchronize()});
}

PROBE_ALONE(kernel_freed_stream_ordered_after_wait) {
    void* p = nullptr;
    cudaMallocAsync(&p, 4096, nullptr);
    cudaFreeAsync(p, nullptr);
    cudaDeviceSynchronize();
    launch_poke(static_cast<float*>(p), 0);
    tell_outcome(fact, "writes to memory freed on its stream, after a wait");
}

PROBE_ALONE(kernel_pinned) {
    void* p = nullptr;
    cudaMallocHost(&p, 64);
    launch_poke(static_cast<float*>(p), 0);
    fact("kernel that writes to pinned memory",
         {cudaGetLastError(), cudaDeviceSynchronize(), static_cast<float*>(p)[0]});
}

PROBE(kernel_managed) {
    void* p = nullptr;
    cudaMallocManaged(&p, 64);
    launch_fill(static_cast<float*>(p), 16, 2.0f);
    fact("kernel that writes to managed memory",
         {cudaGetLastError(), cudaDeviceSynchronize(), static_cast<float*>(p)[15]});
    cudaFree(p);
}

/// The first call after a kernel went wrong, when nothing has waited for the kernel yet.
struct FirstNotice {
    float* block = small_block();
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    float host = 0;

    FirstNotice() {
        cudaStreamCreate(&stream);
        cudaEventCreate(&event);
        launch_poke(nullptr, 0, stream);
        cudaEventRecord(event, stream);
    }
};

PROBE_ALONE(noticed_by_stream_synchronize) {
    FirstNotice after;
    fact("an illegal address is noticed by cudaStreamSynchronize",
         cudaStreamSynchronize(after.stream));
}

PROBE_ALONE(noticed_by_event_synchronize) {
    FirstNotice after;
    fact("an illegal address is noticed by cudaEventSynchronize",
         {cudaEventSynchronize(after.event), cudaEventQuery(after.event)});
}

PROBE_ALONE(noticed_by_copy) {
    FirstNotice after;
    fact("an illegal address is noticed by cudaMemcpy to the host",
         cudaMemcpy(&after.host, after.block, 4, cudaMemcpyDeviceToHost));
}

PROBE_ALONE(noticed_by_free) {
    FirstNotice after;
    fact("an illegal address is noticed by cudaFree", cudaFree(after.block));
}

PROBE_ALONE(noticed_by_elapsed_time) {
    FirstNotice after;
    cudaDeviceSynchronize();
    float milliseconds = 0;
    fact("cudaEventElapsedTime after an illegal address",
         cudaEventElapsedTime(&milliseconds, after.event, after.event));
}

/// What each call says once the context is spoilt.
void tell_all_calls(Facts& fact, const std::string& after, cudaStream_t stream, cudaEvent_t event,
                    float* block, void* pinned) {
    const auto name = [&](const char* call) { return std::string(call) + " after " + after; };
    void* p = never_written();
    int number = 0;
    float here = 0;
    std::size_t bytes = 0;
    std::size_t total = 0;
    fact(name("cudaMalloc"), {cudaMalloc(&p, 16), p});
    fact(name("cudaMalloc of 0 bytes"), cudaMalloc(&p, 0));
    fact(name("cudaMalloc into null"), cudaMalloc(static_cast<void**>(nullptr), 16));
    fact(name("cudaMallocAsync"), cudaMallocAsync(&p, 16, stream));
    fact(name("cudaMallocHost"), cudaMallocHost(&p, 16));
    fact(name("cudaMallocManaged"), cudaMallocManaged(&p, 16));
    fact(name("cudaMallocPitch"), cudaMallocPitch(&p, &bytes, 16, 16));
    fact(name("cudaFree"), cudaFree(block));
    fact(name("cudaFree of null"), cudaFree(nullptr));
    fact(name("cudaFree of a stack address"), cudaFree(&here));
    fact(name("cudaFreeAsync"), cudaFreeAsync(block, stream));
    fact(name("cudaFreeHost"), cudaFreeHost(pinned));
    fact(name("cudaFreeHost of null"), cudaFreeHost(nullptr));
    fact(name("cudaMemcpy"), cudaMemcpy(&here, block, 4, cudaMemcpyDeviceToHost));
    fact(name("cudaMemcpy of 0 bytes"), cudaMemcpy(&here, block, 0, cudaMemcpyDeviceToHost));
    fact(name("cudaMemcpy host to host"), cudaMemcpy(&here, &here, 4, cudaMemcpyHostToHost));
    fact(name("cudaMemcpy with kind 7"),
         cudaMemcpy(&here, block, 4, static_cast<cudaMemcpyKind>(7)));
    fact(name("cudaMemset"), cudaMemset(block, 0, 4));
    fact(name("cudaMemGetInfo"), cudaMemGetInfo(&bytes, &total));
    cudaPointerAttributes attributes{};
    fact(name("cudaPointerGetAttributes"), cudaPointerGetAttributes(&attributes, block));
    fact(name("cudaMallocAsync of 0 bytes"), cudaMallocAsync(&p, 0, stream));
    fact(name("cudaMallocAsync into null"),
         cudaMallocAsync(static_cast<void**>(nullptr), 16, stream));
    fact(name("cudaMallocPitch without a pitch"), cudaMallocPitch(&p, nullptr, 16, 16));
    fact(name("cudaMallocPitch of 0 rows"), cudaMallocPitch(&p, &bytes, 16, 0));
    fact(name("cudaMallocManaged with flags 9"), cudaMallocManaged(&p, 16, 9));
    fact(name("cudaMallocManaged of 0 bytes"), cudaMallocManaged(&p, 0));
    fact(name("cudaHostAlloc with flags 64"), cudaHostAlloc(&p, 16, 64));
    fact(name("cudaHostAlloc of 0 bytes"), cudaHostAlloc(&p, 0, 0));
    fact(name("cudaFreeAsync of null"), cudaFreeAsync(nullptr, stream));
    fact(name("cudaHostRegister of null"), cudaHostRegister(nullptr, 4096, 0));
    fact(name("cudaHostUnregister of null"), cudaHostUnregister(nullptr));
    fact(name("cudaHostGetDevicePointer"), cudaHostGetDevicePointer(&p, pinned, 0));
    unsigned flags = 0;
    fact(name("cudaHostGetFlags"), cudaHostGetFlags(&flags, pinned));
    fact(name("cudaMemcpy to null"), cudaMemcpy(nullptr, block, 4, cudaMemcpyDeviceToHost));
    fact(name("cudaMemcpy2D with a pitch too small"),
         cudaMemcpy2D(block, 2, &here, 4, 4, 2, cudaMemcpyHostToDevice));
    fact(name("cudaMemcpy2D of one row with a pitch too small"),
         cudaMemcpy2D(block, 2, &here, 4, 4, 1, cudaMemcpyHostToDevice));
    fact(name("cudaMemset of 0 bytes"), cudaMemset(block, 0, 0));
    fact(name("cudaMemset2D wider than the pitch"), cudaMemset2D(block, 2, 0, 4, 2));
    cudaMemcpy3DParms parameters{};
    fact(name("cudaMemcpy3D of nothing"), cudaMemcpy3D(&parameters));
    fact(name("cudaMemcpy3D without parameters"), cudaMemcpy3D(nullptr));
    fact(name("cudaMemset3D of nothing"),
         cudaMemset3D(make_cudaPitchedPtr(block, 16, 16, 1), 0, make_cudaExtent(0, 0, 0)));
    fact(name("cudaMemcpyToSymbol"), cudaMemcpyToSymbol(symbol_table, &here, 4));
    fact(name("cudaMemcpyToSymbol of null"),
         cudaMemcpyToSymbol(static_cast<const void*>(nullptr), &here, 4));
    fact(name("cudaMemcpyToSymbol of 0 bytes"), cudaMemcpyToSymbol(symbol_table, &here, 0));
    fact(name("cudaMemcpyToSymbol of too many bytes"),
         cudaMemcpyToSymbol(symbol_table, &here, 999));
    fact(name("cudaMemcpyToSymbol in the wrong direction"),
         cudaMemcpyToSymbol(symbol_table, &here, 4, 0, cudaMemcpyDeviceToHost));
    fact(name("cudaGetSymbolAddress"), cudaGetSymbolAddress(&p, symbol_table));
    fact(name("cudaGetSymbolSize"), cudaGetSymbolSize(&bytes, symbol_table));
    fact(name("cudaGetSymbolSize of null"),
         cudaGetSymbolSize(&bytes, static_cast<const void*>(nullptr)));
    fact(name("cudaMemcpyPeer"), cudaMemcpyPeer(block, 0, block, 0, 4));
    fact(name("cudaMemcpyPeer to device 99"), cudaMemcpyPeer(block, 99, block, 0, 4));
    cudaMemPool_t pool = nullptr;
    std::uint64_t value = 0;
    fact(name("cudaDeviceGetDefaultMemPool"), cudaDeviceGetDefaultMemPool(&pool, 0));
    fact(name("cudaDeviceGetMemPool"), cudaDeviceGetMemPool(&pool, 0));
    fact(name("cudaDeviceSetMemPool"), cudaDeviceSetMemPool(0, pool));
    fact(name("cudaMemPoolGetAttribute"),
         cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    fact(name("cudaMemPoolTrimTo"), cudaMemPoolTrimTo(pool, 0));
    cudaMemPoolProps properties_of_pool{};
    properties_of_pool.allocType = cudaMemAllocationTypePinned;
    properties_of_pool.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t made = nullptr;
    fact(name("cudaMemPoolCreate"), cudaMemPoolCreate(&made, &properties_of_pool));
    fact(name("cudaMallocFromPoolAsync"), cudaMallocFromPoolAsync(&p, 16, made, stream));
    fact(name("cudaMemPoolDestroy"), cudaMemPoolDestroy(made));
    cudaStream_t new_stream = nullptr;
    int priority = 0;
    unsigned long long id = 0;
    fact(name("cudaStreamCreate into null"), cudaStreamCreate(nullptr));
    fact(name("cudaStreamCreateWithFlags of 9"), cudaStreamCreateWithFlags(&new_stream, 9));
    fact(name("cudaStreamGetFlags"), cudaStreamGetFlags(stream, &flags));
    fact(name("cudaStreamGetFlags without a place"), cudaStreamGetFlags(stream, nullptr));
    fact(name("cudaStreamGetPriority"), cudaStreamGetPriority(stream, &priority));
    fact(name("cudaStreamGetId"), cudaStreamGetId(stream, &id));
    cudaStreamCaptureStatus status{};
    fact(name("cudaStreamIsCapturing"), cudaStreamIsCapturing(stream, &status));
    fact(name("cudaStreamDestroy of null"), cudaStreamDestroy(nullptr));
    fact(name("cudaLaunchHostFunc"), cudaLaunchHostFunc(
                                         stream, [](void*) {}, nullptr));
    fact(name("cudaLaunchHostFunc of null"), cudaLaunchHostFunc(stream, nullptr, nullptr));
    fact(name("cudaEventCreate into null"), cudaEventCreate(nullptr));
    fact(name("cudaEventCreateWithFlags of 16"), cudaEventCreateWithFlags(nullptr, 16));
    fact(name("cudaEventRecord of null"), cudaEventRecord(nullptr, stream));
    fact(name("cudaEventQuery of null"), cudaEventQuery(nullptr));
    fact(name("cudaEventSynchronize of null"), cudaEventSynchronize(nullptr));
    fact(name("cudaEventDestroy of null"), cudaEventDestroy(nullptr));
    float milliseconds = 0;
    fact(name("cudaEventElapsedTime"), cudaEventElapsedTime(&milliseconds, event, event));
    fact(name("cudaEventElapsedTime without a place"), cudaEventElapsedTime(nullptr, event, event));
    fact(name("cudaEventElapsedTime of null"),
         cudaEventElapsedTime(&milliseconds, nullptr, nullptr));
    fact(name("cudaStreamWaitEvent for null"), cudaStreamWaitEvent(stream, nullptr, 0));
    fact(name("cudaStreamWaitEvent with flags 9"), cudaStreamWaitEvent(stream, event, 9));
    fact(name("cudaFuncGetAttributes of null"), cudaFuncGetAttributes(nullptr, kernel_nothing()));
    fact(name("cudaFuncSetAttribute"),
         cudaFuncSetAttribute(kernel_nothing(), cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    fact(
        name("cudaLaunchKernel of a null function"),
        cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), nullptr, 0, nullptr));
    fact(name("cudaDeviceSetLimit"), cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    fact(name("cudaDeviceGetLimit of 99"), cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(99)));
    fact(name("cudaDeviceGetStreamPriorityRange"),
         cudaDeviceGetStreamPriorityRange(&priority, &priority));
    fact(name("cudaDeviceCanAccessPeer"), cudaDeviceCanAccessPeer(&priority, 0, 0));
    fact(name("cudaGetDeviceFlags"), cudaGetDeviceFlags(&flags));
    fact(name("cudaSetDeviceFlags"), cudaSetDeviceFlags(0));
    fact(name("cudaStreamCreate"), cudaStreamCreate(&new_stream));
    fact(name("cudaStreamSynchronize"), cudaStreamSynchronize(stream));
    fact(name("cudaStreamQuery"), cudaStreamQuery(stream));
    fact(name("cudaStreamWaitEvent"), cudaStreamWaitEvent(stream, event, 0));
    cudaEvent_t new_event = nullptr;
    fact(name("cudaEventCreate"), cudaEventCreate(&new_event));
    fact(name("cudaEventRecord"), cudaEventRecord(event, stream));
    fact(name("cudaEventQuery"), cudaEventQuery(event));
    fact(name("cudaEventSynchronize"), cudaEventSynchronize(event));
    fact(name("cudaEventDestroy"), cudaEventDestroy(event));
    fact(name("cudaStreamDestroy"), cudaStreamDestroy(stream));
    fact(name("cudaGetDevice"), cudaGetDevice(&number));
    fact(name("cudaSetDevice"), cudaSetDevice(0));
    fact(name("cudaSetDevice of 99"), cudaSetDevice(99));
    fact(name("cudaGetDeviceCount"), cudaGetDeviceCount(&number));
    fact(name("cudaDeviceGetAttribute"), cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0));
    cudaDeviceProp properties{};
    fact(name("cudaGetDeviceProperties"), cudaGetDeviceProperties(&properties, 0));
    fact(name("cudaDeviceGetLimit"), cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    fact(name("cudaDriverGetVersion"), cudaDriverGetVersion(&number));
    fact(name("cudaRuntimeGetVersion"), cudaRuntimeGetVersion(&number));
    cudaFuncAttributes function{};
    fact(name("cudaFuncGetAttributes"), cudaFuncGetAttributes(&function, kernel_nothing()));
    fact(name("cudaOccupancyMaxActiveBlocksPerMultiprocessor"),
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel_nothing(), 32, 0));
    fact(name("cudaLaunchKernel"),
         cudaLaunchKernel(kernel_nothing(), dim3(1), dim3(1), nullptr, 0, nullptr));
    fact(name("cudaLaunchKernel of 0 blocks"),
         cudaLaunchKernel(kernel_nothing(), dim3(0), dim3(1), nullptr, 0, nullptr));
    fact(name("cudaDeviceSynchronize"), cudaDeviceSynchronize());
    fact(name("error slot, twice,"), {cudaGetLastError(), cudaGetLastError()});
}

/// A context spoilt by `spoil`, with one of each resource made before.
void tell_spoilt(Facts& fact, const std::string& after, void (*spoil)(float* block)) {
    float* block = small_block();
    void* pinned = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    cudaMallocHost(&pinned, 64);
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    launch_nothing();
    spoil(block);
    cudaDeviceSynchronize();
    cudaGetLastError();
    tell_all_calls(fact, after, stream, event, block, pinned);
    void* p = nullptr;
    fact("cudaDeviceReset after " + after, cudaDeviceReset());
    fact("cudaMalloc after " + after + " and a reset", cudaMalloc(&p, 16));
    fact("cudaFree after " + after + " and a reset", cudaFree(block));
    fact("cudaFree of null after " + after + " and a reset", cudaFree(nullptr));
    fact("cudaDeviceSynchronize after " + after + " and a reset", cudaDeviceSynchronize());
    int number = 0;
    fact("cudaGetDeviceCount after " + after + " and a reset", cudaGetDeviceCount(&number));
    launch_nothing();
    fact("a launch after " + after + " and a reset", cudaGetLastError());
    fact("cudaDeviceReset after " + after + ", again", cudaDeviceReset());
}

PROBE_ALONE(after_illegal_address) {
    tell_spoilt(fact, "700", [](float* block) { launch_poke(block, far_away); });
}

PROBE_ALONE(after_misaligned_address) {
    tell_spoilt(fact, "716",
                [](float* block) { launch_misaligned(reinterpret_cast<char*>(block)); });
}

PROBE_ALONE(after_assert) {
    tell_spoilt(fact, "710", [](float*) { launch_failing_assert(); });
}

PROBE_ALONE(after_trap) {
    tell_spoilt(fact, "719", [](float*) { launch_trap(); });
}

PROBE_ALONE(second_fault) {
    launch_poke(nullptr, 0);
    cudaDeviceSynchronize();
    launch_trap();
    fact("a trap after an illegal address", {cudaGetLastError(), cudaDeviceSynchronize()});
}

PROBE_ALONE(host_reads_device_memory) {
    volatile float* p = small_block();
    const float value = *p;
    fact("the host reads device memory", value == value);
}

}  // namespace
}  // namespace vram::conformance
