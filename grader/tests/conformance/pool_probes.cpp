// Stream-ordered allocation and memory pools.
#include <cstdint>
#include <utility>
#include <vector>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr long long long_time = 200'000'000;  // clock cycles, about 0.1 s on an H200

cudaMemPool_t default_pool() {
    cudaMemPool_t pool = nullptr;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    return pool;
}

std::uint64_t number(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    std::uint64_t value = 0;
    cudaMemPoolGetAttribute(pool, attribute, &value);
    return value;
}

/// What a pool holds: reserved, used, and the most of each.
std::string state(cudaMemPool_t pool) {
    std::string text;
    for (const auto& [name, attribute] :
         {std::pair{"reserved ", cudaMemPoolAttrReservedMemCurrent},
          std::pair{", used ", cudaMemPoolAttrUsedMemCurrent},
          std::pair{", most reserved ", cudaMemPoolAttrReservedMemHigh},
          std::pair{", most used ", cudaMemPoolAttrUsedMemHigh}}) {
        text += name + std::to_string(number(pool, attribute));
    }
    return text;
}

void* stream_ordered(std::size_t bytes, cudaStream_t stream = nullptr) {
    void* p = nullptr;
    cudaMallocAsync(&p, bytes, stream);
    return p;
}

PROBE_ALONE(pool_defaults) {
    const cudaMemPool_t pool = default_pool();
    fact("default pool's release threshold", number(pool, cudaMemPoolAttrReleaseThreshold));
    for (const auto& [name, attribute] :
         {std::pair{"follow event dependencies", cudaMemPoolReuseFollowEventDependencies},
          std::pair{"allow opportunistic", cudaMemPoolReuseAllowOpportunistic},
          std::pair{"allow internal dependencies", cudaMemPoolReuseAllowInternalDependencies}}) {
        int on = 99;
        fact(std::string("default pool's reuse policy ") + name,
             {cudaMemPoolGetAttribute(pool, attribute, &on), on});
    }
    fact("default pool before any allocation", state(pool));
    void* p = stream_ordered(1);
    fact("default pool with 1 byte", state(pool));
    void* q = stream_ordered(1000);
    fact("default pool with 1 and 1000 bytes", state(pool));
    fact("distance of 1 byte and the next block", static_cast<char*>(q) - static_cast<char*>(p));
    fact("alignment of stream-ordered memory",
         {reinterpret_cast<std::uintptr_t>(p) % 512, reinterpret_cast<std::uintptr_t>(q) % 512});
    cudaFreeAsync(p, nullptr);
    fact("default pool after one of two frees", state(pool));
    cudaFreeAsync(q, nullptr);
    fact("default pool after both frees", state(pool));
    cudaStreamSynchronize(nullptr);
    fact("default pool after a wait", state(pool));
    std::uint64_t zero = 0;
    fact("reset of the high marks",
         {cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero),
          cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero), state(pool)});
}

PROBE_ALONE(pool_reserve_steps) {
    const cudaMemPool_t pool = default_pool();
    for (const std::size_t bytes : {mebibyte, 31 * mebibyte, 32 * mebibyte, 33 * mebibyte,
                                    64 * mebibyte, 65 * mebibyte, 1000 * mebibyte}) {
        void* p = stream_ordered(bytes);
        fact("reserved for " + std::to_string(bytes) + " bytes",
             number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
        cudaFreeAsync(p, nullptr);
        cudaStreamSynchronize(nullptr);
    }
    void* p = stream_ordered(20 * mebibyte);
    void* q = stream_ordered(20 * mebibyte);
    fact("reserved for 20 and 20 MiB", number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
    cudaFreeAsync(p, nullptr);
    cudaStreamSynchronize(nullptr);
    fact("reserved after the first was freed and a wait",
         number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
    cudaFreeAsync(q, nullptr);
    cudaStreamSynchronize(nullptr);
    fact("reserved after the second was freed and a wait",
         number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
}

/// What stays reserved when the first, and when the second of two blocks is freed.
PROBE_ALONE(pool_release_of_one) {
    const cudaMemPool_t pool = default_pool();
    for (const std::size_t size : {16, 20, 31, 32, 33, 40}) {
        const std::string blocks = "two blocks of " + std::to_string(size) + " MiB";
        for (const bool first_goes : {true, false}) {
            void* p = stream_ordered(size * mebibyte);
            void* q = stream_ordered(size * mebibyte);
            if (first_goes) {
                fact("MiB from the first to the second of " + blocks,
                     (static_cast<char*>(q) - static_cast<char*>(p)) /
                         static_cast<std::ptrdiff_t>(mebibyte));
                fact("MiB reserved for " + blocks,
                     number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
            }
            cudaFreeAsync(first_goes ? p : q, nullptr);
            cudaStreamSynchronize(nullptr);
            fact(std::string("MiB reserved when the ") + (first_goes ? "first" : "second") +
                     " is freed of " + blocks,
                 number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
            cudaFreeAsync(first_goes ? q : p, nullptr);
            cudaStreamSynchronize(nullptr);
        }
    }
}

PROBE_ALONE(pool_and_plain_free) {
    const cudaMemPool_t pool = default_pool();
    void* p = stream_ordered(1000);
    cudaDeviceSynchronize();
    fact("cudaFree of a stream-ordered block of 1000 bytes", {cudaFree(p), state(pool)});
    fact("the pool after a wait", {cudaDeviceSynchronize(), state(pool)});
    void* q = stream_ordered(1000);
    fact("the pool with the next block of 1000 bytes", {q == p, state(pool)});
    cudaFreeAsync(q, nullptr);
    cudaDeviceSynchronize();
    fact("the pool after its cudaFreeAsync", state(pool));
    fact("the pool after cudaMemPoolTrimTo of 0", {cudaMemPoolTrimTo(pool, 0), state(pool)});
}

PROBE_ALONE(pool_memory_info) {
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    stream_ordered(0);
    cudaMemGetInfo(&before, &total);
    void* p = stream_ordered(mebibyte);
    cudaMemGetInfo(&after, &total);
    fact("free memory that 1 MiB of stream-ordered memory costs", before - after);
    cudaFreeAsync(p, nullptr);
    cudaMemGetInfo(&after, &total);
    fact("free memory it costs after cudaFreeAsync", before - after);
    cudaStreamSynchronize(nullptr);
    cudaMemGetInfo(&after, &total);
    fact("free memory it costs after a wait", before - after);
}

PROBE_ALONE(pool_waits_that_release) {
    const cudaMemPool_t pool = default_pool();
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    const auto reserved_after = [&](const char* name, auto wait) {
        void* p = stream_ordered(mebibyte, stream);
        cudaFreeAsync(p, stream);
        cudaEventRecord(event, stream);
        wait();
        fact(std::string("reserved MiB after a free and ") + name,
             number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
        cudaDeviceSynchronize();
    };
    reserved_after("cudaStreamSynchronize", [&] { cudaStreamSynchronize(stream); });
    reserved_after("cudaDeviceSynchronize", [&] { cudaDeviceSynchronize(); });
    reserved_after("cudaEventSynchronize", [&] { cudaEventSynchronize(event); });
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
}

PROBE_ALONE(pool_threshold) {
    const cudaMemPool_t pool = default_pool();
    std::uint64_t most = UINT64_MAX;
    fact("set of the release threshold",
         {cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most),
          number(pool, cudaMemPoolAttrReleaseThreshold) == most});
    void* p = stream_ordered(mebibyte);
    cudaFreeAsync(p, nullptr);
    cudaDeviceSynchronize();
    fact("with the threshold at its most, after a wait", state(pool));
    void* again = stream_ordered(mebibyte);
    fact("with the threshold at its most, the address comes back", again == p);
    fact("cudaMemPoolTrimTo of 0 with a live block", {cudaMemPoolTrimTo(pool, 0), state(pool)});
    cudaFreeAsync(again, nullptr);
    cudaDeviceSynchronize();
    fact("cudaMemPoolTrimTo of 64 MiB", {cudaMemPoolTrimTo(pool, 64 * mebibyte), state(pool)});
    fact("cudaMemPoolTrimTo of 0", {cudaMemPoolTrimTo(pool, 0), state(pool)});
    std::uint64_t threshold = 40 * mebibyte;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    p = stream_ordered(30 * mebibyte);
    void* q = stream_ordered(30 * mebibyte);
    void* r = stream_ordered(30 * mebibyte);
    for (void* block : {p, q, r}) {
        cudaFreeAsync(block, nullptr);
    }
    cudaDeviceSynchronize();
    fact("reserved MiB after three blocks of 30 MiB with a threshold of 40 MiB",
         number(pool, cudaMemPoolAttrReservedMemCurrent) / mebibyte);
}

PROBE(pool_attribute_arguments) {
    const cudaMemPool_t pool = default_pool();
    std::uint64_t one = 1;
    fact("a high mark set to 1",
         {cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one),
          cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &one)});
    fact("set of what can only be read",
         {cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &one),
          cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &one)});
    fact("an unknown pool attribute",
         {cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(99), &one),
          cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(99), &one)});
    fact("a pool attribute without a place",
         cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, nullptr));
    fact("an attribute of a null pool",
         cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrUsedMemCurrent, &one));
    fact("cudaMemPoolTrimTo of a null pool", cudaMemPoolTrimTo(nullptr, 0));
    fact("cudaDeviceGetDefaultMemPool without a place", cudaDeviceGetDefaultMemPool(nullptr, 0));
    cudaMemPool_t other = nullptr;
    fact("cudaDeviceGetDefaultMemPool of device 99", cudaDeviceGetDefaultMemPool(&other, 99));
    fact("cudaDeviceGetMemPool is the default pool",
         {cudaDeviceGetMemPool(&other, 0), other == pool});
    fact("cudaDeviceSetMemPool of null", cudaDeviceSetMemPool(0, nullptr));
    fact("cudaMemPoolDestroy of null", cudaMemPoolDestroy(nullptr));
}

PROBE_ALONE(pool_of_default_destroyed) {
    fact("cudaMemPoolDestroy of the default pool", cudaMemPoolDestroy(default_pool()));
}

PROBE(stream_ordered_arguments) {
    void* p = never_written();
    fact("cudaMallocAsync of 0 bytes", {cudaMallocAsync(&p, 0, nullptr), p});
    p = never_written();
    fact("cudaMallocAsync of 2^50 bytes", {cudaMallocAsync(&p, std::size_t{1} << 50, nullptr), p,
                                           cudaGetLastError(), cudaGetLastError()});
    p = never_written();
    fact("cudaMallocAsync of SIZE_MAX", {cudaMallocAsync(&p, SIZE_MAX, nullptr), p});
    fact("cudaMallocAsync into null", cudaMallocAsync(static_cast<void**>(nullptr), 16, nullptr));
    fact("cudaMallocAsync of 0 bytes into null",
         cudaMallocAsync(static_cast<void**>(nullptr), 0, nullptr));
    fact("cudaMallocFromPoolAsync of a null pool",
         cudaMallocFromPoolAsync(&p, 16, static_cast<cudaMemPool_t>(nullptr), nullptr));
    fact("cudaFreeAsync of null", cudaFreeAsync(nullptr, nullptr));
    int on_stack = 0;
    fact("cudaFreeAsync of a stack address", cudaFreeAsync(&on_stack, nullptr));
    fact("cudaFreeAsync of an address that nobody handed out",
         cudaFreeAsync(reinterpret_cast<void*>(0xdeadbeef00), nullptr));
    void* pinned = nullptr;
    cudaMallocHost(&pinned, 64);
    fact("cudaFreeAsync of pinned memory", cudaFreeAsync(pinned, nullptr));
    cudaFreeHost(pinned);
    cudaMallocAsync(&p, 4096, nullptr);
    fact("cudaFreeAsync inside a block", cudaFreeAsync(static_cast<char*>(p) + 512, nullptr));
    fact("cudaMemset of a stream-ordered block", cudaMemset(p, 0, 4096));
    fact("cudaMemset of one byte more", cudaMemset(p, 0, 4097));
    fact("cudaFreeAsync of a block", cudaFreeAsync(p, nullptr));
    cudaDeviceSynchronize();
    fact("cudaMallocAsync on cudaStreamPerThread", cudaMallocAsync(&p, 64, cudaStreamPerThread));
    fact("cudaFreeAsync on cudaStreamLegacy", cudaFreeAsync(p, cudaStreamLegacy));
    cudaDeviceSynchronize();
}

PROBE_ALONE(stream_ordered_managed_free) {
    void* managed = nullptr;
    cudaMallocManaged(&managed, 64);
    fact("cudaFreeAsync of managed memory", cudaFreeAsync(managed, nullptr));
    fact("a wait after it", cudaDeviceSynchronize());
}

PROBE_ALONE(stream_ordered_double_free) {
    void* p = stream_ordered(4096);
    fact("cudaFreeAsync", cudaFreeAsync(p, nullptr));
    fact("a second cudaFreeAsync", cudaFreeAsync(p, nullptr));
    fact("error slot after it", cudaGetLastError());
    fact("a wait after a second cudaFreeAsync", cudaDeviceSynchronize());
    fact("a cudaFreeAsync after the wait", cudaFreeAsync(p, nullptr));
    fact("a cudaFree after the wait", cudaFree(p));
    void* q = nullptr;
    fact("cudaMallocAsync after all that", cudaMallocAsync(&q, 4096, nullptr));
}

PROBE_ALONE(stream_ordered_free_then_free) {
    void* p = stream_ordered(4096);
    cudaFreeAsync(p, nullptr);
    fact("cudaFree after cudaFreeAsync, before a wait", cudaFree(p));
    fact("a wait after it", cudaDeviceSynchronize());
}

PROBE_ALONE(stream_ordered_free_of_plain) {
    void* p = nullptr;
    cudaMalloc(&p, 4096);
    fact("cudaFreeAsync of cudaMalloc memory", cudaFreeAsync(p, nullptr));
    fact("a wait after that", cudaDeviceSynchronize());
    fact("cudaFree after that", cudaFree(p));
}

PROBE_ALONE(stream_ordered_free_on_another_stream) {
    cudaStream_t one = nullptr;
    cudaStream_t other = nullptr;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    void* p = stream_ordered(4096, one);
    fact("cudaFreeAsync on another stream", cudaFreeAsync(p, other));
    fact("cudaDeviceSynchronize after it", cudaDeviceSynchronize());
}

PROBE_ALONE(stream_ordered_reuse) {
    cudaStream_t one = nullptr;
    cudaStream_t other = nullptr;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    void* first = stream_ordered(4096, one);
    cudaFreeAsync(first, one);
    void* second = stream_ordered(4096, one);
    fact("reuse on the same stream before a wait", second == first);
    launch_spin(long_time, one);
    cudaFreeAsync(second, one);
    void* third = stream_ordered(4096, other);
    fact("reuse on another stream while the first is busy", third == second);
    cudaDeviceSynchronize();
    void* small = stream_ordered(100, one);
    cudaFreeAsync(small, one);
    void* smaller = stream_ordered(50, one);
    fact("reuse of 100 bytes for 50", smaller == small);
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    void* fourth = stream_ordered(8192, one);
    launch_spin(long_time, one);
    cudaFreeAsync(fourth, one);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(other, event, 0);
    void* fifth = stream_ordered(8192, other);
    fact("reuse on another stream that waits for an event behind the free", fifth == fourth);
    cudaDeviceSynchronize();
}

PROBE_ALONE(pool_created) {
    cudaMemPool_t pool = nullptr;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    fact("cudaMemPoolCreate into null", cudaMemPoolCreate(nullptr, &properties));
    fact("cudaMemPoolCreate without properties", cudaMemPoolCreate(&pool, nullptr));
    cudaMemPoolProps wrong = properties;
    wrong.allocType = cudaMemAllocationTypeInvalid;
    fact("cudaMemPoolCreate with no type of allocation", cudaMemPoolCreate(&pool, &wrong));
    wrong = properties;
    wrong.location.id = 99;
    fact("cudaMemPoolCreate on device 99", cudaMemPoolCreate(&pool, &wrong));
    wrong = properties;
    wrong.location.type = cudaMemLocationTypeInvalid;
    fact("cudaMemPoolCreate nowhere", cudaMemPoolCreate(&pool, &wrong));
    fact("cudaMemPoolCreate", cudaMemPoolCreate(&pool, &properties));
    fact("a new pool's release threshold", number(pool, cudaMemPoolAttrReleaseThreshold));
    fact("a new pool", state(pool));
    void* p = nullptr;
    fact("cudaMallocFromPoolAsync",
         {cudaMallocFromPoolAsync(&p, 1000, pool, nullptr), state(pool), state(default_pool())});
    fact("cudaMallocFromPoolAsync of 0 bytes", cudaMallocFromPoolAsync(&p, 0, pool, nullptr));
    fact("cudaDeviceSetMemPool", cudaDeviceSetMemPool(0, pool));
    cudaMemPool_t current = nullptr;
    cudaDeviceGetMemPool(&current, 0);
    fact("cudaDeviceGetMemPool gives the pool that was set", current == pool);
    void* q = stream_ordered(64);
    fact("cudaMallocAsync takes from the pool that was set",
         number(pool, cudaMemPoolAttrUsedMemHigh));
    cudaFreeAsync(q, nullptr);
    cudaDeviceSynchronize();
    fact("cudaMemPoolDestroy of the current pool", cudaMemPoolDestroy(pool));
    cudaDeviceGetMemPool(&current, 0);
    fact("the current pool is the default again", current == default_pool());
}

PROBE_ALONE(pool_destroyed_with_live_block) {
    cudaMemPool_t pool = nullptr;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&pool, &properties);
    void* p = nullptr;
    cudaMallocFromPoolAsync(&p, 1000, pool, nullptr);
    fact("cudaMemPoolDestroy with a live block", cudaMemPoolDestroy(pool));
    fact("use of the block after it", cudaMemset(p, 1, 1000));
    fact("cudaFreeAsync of the block after it", cudaFreeAsync(p, nullptr));
    fact("a wait at the end", cudaDeviceSynchronize());
}

PROBE(pool_access) {
    cudaMemLocation here{};
    here.type = cudaMemLocationTypeDevice;
    here.id = 0;
    cudaMemAccessFlags flags = static_cast<cudaMemAccessFlags>(9);
    fact("cudaMemPoolGetAccess", {cudaMemPoolGetAccess(&flags, default_pool(), &here), flags});
    cudaMemAccessDesc wanted{};
    wanted.location = here;
    wanted.flags = cudaMemAccessFlagsProtReadWrite;
    fact("cudaMemPoolSetAccess to read and write",
         cudaMemPoolSetAccess(default_pool(), &wanted, 1));
    wanted.flags = cudaMemAccessFlagsProtNone;
    fact("cudaMemPoolSetAccess to nothing", cudaMemPoolSetAccess(default_pool(), &wanted, 1));
    wanted.flags = cudaMemAccessFlagsProtReadWrite;
    wanted.location.id = 99;
    fact("cudaMemPoolSetAccess for device 99", cudaMemPoolSetAccess(default_pool(), &wanted, 1));
}

}  // namespace
}  // namespace vram::conformance
