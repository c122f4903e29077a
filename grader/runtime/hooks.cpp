#include "grader/runtime/hooks.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "grader/runtime/call.h"
#include "grader/runtime/call_sites.h"
#include "grader/runtime/sides.h"
#include "grader/virtual_gpu/observer.h"

// Calls that nvcc's host code makes and that no public header declares for the host compiler.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                          void** arguments, size_t shared_bytes,
                                          cudaStream_t stream);

namespace vram::runtime {
namespace {

// ---- arguments as integers -----------------------------------------------------------------------

template <typename T, typename = void>
struct IsComplete : std::false_type {};
template <typename T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

/// A pointer to something that can be written and whose size is known: the call stores a result.
/// `void*` is memory, and a pointer to an incomplete type is a handle.
template <typename T>
constexpr bool is_out_parameter =
    std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>> &&
    !std::is_function_v<std::remove_pointer_t<T>> && IsComplete<std::remove_pointer_t<T>>::value;

template <typename T>
void add_plain(Call& call, T value) {
    if constexpr (std::is_pointer_v<T>) {
        auto address = reinterpret_cast<std::uint64_t>(value);
        call.add_argument(address);
        if constexpr (std::is_same_v<T, cudaStream_t>) {
            call.set_stream(address);
            call.add_handle(HandleKind::stream, address);
        } else if constexpr (std::is_same_v<T, cudaEvent_t>) {
            call.add_handle(HandleKind::event, address);
        } else if constexpr (std::is_same_v<T, cudaMemPool_t>) {
            call.add_handle(HandleKind::pool, address);
        } else if constexpr (is_out_parameter<T>) {
            call.add_out_parameter(address, sizeof(std::remove_pointer_t<T>));
        }
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        call.add_argument(static_cast<std::uint64_t>(value));
    } else {
        std::uint64_t first_word = 0;
        std::memcpy(&first_word, &value, std::min(sizeof value, sizeof first_word));
        call.add_argument(first_word);
    }
}

void add_dimensions(Call& call, dim3 size) {
    call.add_argument(size.x);
    call.add_argument(size.y);
    call.add_argument(size.z);
}

void add_plain(Call& call, cudaExtent extent) {
    call.add_argument(extent.width);
    call.add_argument(extent.height);
    call.add_argument(extent.depth);
}

template <typename... Arguments>
void add_arguments(Call& call, Arguments... arguments) {
    (add_plain(call, arguments), ...);
}

template <typename Function>
void add_arguments(Call& call, Function function, dim3 grid, dim3 block, void**,
                   size_t shared_bytes, cudaStream_t stream) {
    call.add_argument(reinterpret_cast<std::uint64_t>(function));
    add_dimensions(call, grid);
    add_dimensions(call, block);
    call.add_argument(shared_bytes);
    call.set_stream(reinterpret_cast<std::uint64_t>(stream));
    call.add_handle(HandleKind::stream, reinterpret_cast<std::uint64_t>(stream));
}

void add_arguments(Call& call, const cudaLaunchConfig_t* config, const void* function,
                   void** arguments) {
    if (config != nullptr) {
        add_arguments(call, function, config->gridDim, config->blockDim, arguments,
                      config->dynamicSmemBytes, config->stream);
    }
}

/// Bytes from the first to the last byte of a box of rows in pitched memory.
std::size_t box_span(std::size_t pitch, std::size_t rows_of_slice, cudaExtent box) {
    if (box.width == 0 || box.height == 0 || box.depth == 0) {
        return 0;
    }
    return ((box.depth - 1) * rows_of_slice + box.height - 1) * pitch + box.width;
}

TransferSide side_of(const cudaPitchedPtr& memory, cudaPos at, cudaExtent box) {
    auto base = reinterpret_cast<std::uint64_t>(memory.ptr);
    std::uint64_t begin = base + (at.z * memory.ysize + at.y) * memory.pitch + at.x;
    return {begin, box_span(memory.pitch, memory.ysize, box), memory.pitch, true};
}

void add_arguments(Call& call, const cudaMemcpy3DParms* shape) {
    if (shape == nullptr) {
        return;
    }
    Transfer transfer;
    transfer.kind = shape->kind;
    // With an array on either side the extent counts its elements, whose size is not known here.
    if (shape->srcArray == nullptr && shape->dstArray == nullptr) {
        transfer.destination = side_of(shape->dstPtr, shape->dstPos, shape->extent);
        transfer.source = side_of(shape->srcPtr, shape->srcPos, shape->extent);
        transfer.row_bytes = shape->extent.width;
        transfer.rows = shape->extent.height * shape->extent.depth;
    }
    call.set_transfer(transfer);
    add_plain(call, shape->dstPtr.ptr);
    add_plain(call, shape->dstPtr.pitch);
    add_plain(call, shape->srcPtr.ptr);
    add_plain(call, shape->srcPtr.pitch);
    add_plain(call, shape->extent);
    add_plain(call, shape->kind);
}

void add_arguments(Call& call, const cudaMemcpy3DParms* shape, cudaStream_t stream) {
    add_arguments(call, shape);
    call.set_stream(reinterpret_cast<std::uint64_t>(stream));
    call.add_handle(HandleKind::stream, reinterpret_cast<std::uint64_t>(stream));
}

void add_arguments(Call& call, cudaPitchedPtr memory, int value, cudaExtent box) {
    Transfer transfer;
    transfer.destination = side_of(memory, {}, box);
    transfer.row_bytes = box.width;
    transfer.rows = box.height * box.depth;
    call.set_transfer(transfer);
    add_plain(call, memory.ptr);
    add_plain(call, memory.pitch);
    add_plain(call, value);
    add_plain(call, box);
}

void add_arguments(Call& call, cudaPitchedPtr memory, int value, cudaExtent box,
                   cudaStream_t stream) {
    add_arguments(call, memory, value, box);
    add_plain(call, stream);
}

// ---- the hook ------------------------------------------------------------------------------------

template <std::size_t entry, typename Function>
struct Hook;

template <std::size_t entry, typename... Arguments>
struct Hook<entry, cudaError_t(Arguments...)> {
    static cudaError_t call(Arguments... arguments) {
        using Next = cudaError_t (*)(Arguments...);
        auto next = reinterpret_cast<Next>(callable_side_function(entry));
        ThreadState& thread = this_thread();
        if (thread.inside) {
            return next(arguments...);
        }
        Call call(entry, thread, __builtin_frame_address(0));
        add_arguments(call, arguments...);
        if (call.begin()) {
            call.end(next(arguments...));
        }
        return call.result();
    }
};

// ---- the calls that read the last-error slot -----------------------------------------------------

/// Reads the side's own slot too: calls that are not hooked leave their errors only there.
template <bool clear>
cudaError_t read_last_error() {
    static const std::size_t entry = find_entry(clear ? "cudaGetLastError" : "cudaPeekAtLastError");
    using Next = cudaError_t (*)();
    auto next = reinterpret_cast<Next>(side_function(entry));
    ThreadState& thread = this_thread();
    if (thread.inside) {
        return next != nullptr ? next() : cudaSuccess;
    }
    Call call(static_cast<Entry>(entry), thread, __builtin_frame_address(0));
    bool of_harness = call.record().by_harness;
    LastError& slot = of_harness ? thread.harness_error : thread.last_error;
    cudaError_t error = next != nullptr && !of_harness ? next() : cudaSuccess;
    if (slot.code != cudaSuccess) {
        error = slot.code;
    }
    if (clear) {
        slot = {};
    }
    call.end_reading(error);
    return error;
}

// ---- the hidden calls around a launch ------------------------------------------------------------

template <typename Function>
Function* hidden_side_function(const char* name) {
    return reinterpret_cast<Function*>(callable_side_function(find_entry(name)));
}

unsigned push_configuration(dim3 grid, dim3 block, size_t shared_bytes, CUstream_st* stream) {
    static const auto next = hidden_side_function<unsigned(dim3, dim3, size_t, CUstream_st*)>(
        "__cudaPushCallConfiguration");
    ThreadState& thread = this_thread();
    walk_frames(__builtin_frame_address(0), thread.stack_end, thread.push_frames);
    return next(grid, block, shared_bytes, stream);
}

cudaError_t pop_configuration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
    static const auto next = hidden_side_function<cudaError_t(dim3*, dim3*, size_t*, void*)>(
        "__cudaPopCallConfiguration");
    this_thread().launch_is_placed = true;
    return next(grid, block, shared_bytes, stream);
}

void name_kernel(const void* function, const char* name) {
    Ledger& ledger = runtime_state().ledger;
    std::lock_guard lock(ledger.mutex());
    ledger.name_kernel(reinterpret_cast<std::uint64_t>(function), name);
}

void register_function(void** module, const char* function, char* device_function, const char* name,
                       int thread_limit, uint3* thread, uint3* block, dim3* block_size,
                       dim3* grid_size, int* warp_size) {
    static const auto next =
        hidden_side_function<void(void**, const char*, char*, const char*, int, uint3*, uint3*,
                                  dim3*, dim3*, int*)>("__cudaRegisterFunction");
    name_kernel(function, name);
    next(module, function, device_function, name, thread_limit, thread, block, block_size,
         grid_size, warp_size);
}

cudaError_t get_kernel(cudaKernel_t* kernel, const void* function) {
    static const auto next =
        hidden_side_function<cudaError_t(cudaKernel_t*, const void*)>("__cudaGetKernel");
    cudaError_t result = next(kernel, function);
    Ledger& ledger = runtime_state().ledger;
    if (result == cudaSuccess) {
        std::lock_guard lock(ledger.mutex());
        if (const char* name = ledger.kernel_name(reinterpret_cast<std::uint64_t>(function))) {
            ledger.name_kernel(reinterpret_cast<std::uint64_t>(*kernel), name);
        }
    }
    return result;
}

// ---- calls that the virtual GPU lacks ------------------------------------------------------------

void report_missing(std::size_t entry, CallNumber call) {
    static std::array<std::atomic<bool>, max_entries> told;
    const char* name = entry_name(static_cast<Entry>(entry));
    if (!told[entry].exchange(true)) {
        std::fprintf(stderr,
                     "vram: %s is not part of the virtual GPU; it returned "
                     "cudaErrorNotSupported\n",
                     name);
    }
    RuntimeState& state = runtime_state();
    if (!state.in_learner) {
        return;
    }
    Misuse misuse;
    misuse.kind = MisuseKind::device_report;
    misuse.report_kind = static_cast<std::uint8_t>(virtual_gpu::ReportKind::call_not_supported);
    misuse.failed_call = true;
    misuse.call = call;
    std::snprintf(misuse.first_line, sizeof misuse.first_line,
                  "%s is not part of the virtual GPU; it returned cudaErrorNotSupported.", name);
    std::lock_guard lock(state.ledger.mutex());
    state.ledger.add_misuse(misuse);
}

template <std::size_t entry>
cudaError_t missing() {
    ThreadState& thread = this_thread();
    if (thread.inside) {
        report_missing(entry, thread.current_call);
        return cudaErrorNotSupported;
    }
    Call call(entry, thread, __builtin_frame_address(0));
    report_missing(entry, call.record().number);
    call.end(cudaErrorNotSupported);
    return cudaErrorNotSupported;
}

template <std::size_t... entries>
constexpr auto make_missing_table(std::index_sequence<entries...>) {
    return std::array<cudaError_t (*)(), sizeof...(entries)>{&missing<entries>...};
}

constexpr std::size_t exported_entries = std::size({
#include "entry_names.inc"
});

/// Start-up code of nvcc's objects, and text functions, whose callers could not cope with a code.
void* quiet() {
    return nullptr;
}
const char* unnamed(cudaError_t) {
    return "an error code without a name";
}

struct HookRow {
    std::size_t entry;
    void* function;
};

const HookRow hook_rows[] = {
#define VRAM_HOOK(index, declared) \
    {index,                        \
     reinterpret_cast<void*>(&Hook<index, std::remove_pointer_t<decltype(&::declared)>>::call)},
#include "hooked_entries.inc"
#undef VRAM_HOOK
};

std::array<void*, max_entries + 1> build_hooks() {
    std::array<void*, max_entries + 1> hooks{};
    for (const HookRow& row : hook_rows) {
        hooks[row.entry] = row.function;
    }
    hooks[find_entry("cudaGetLastError")] = reinterpret_cast<void*>(&read_last_error<true>);
    hooks[find_entry("cudaPeekAtLastError")] = reinterpret_cast<void*>(&read_last_error<false>);
    hooks[find_entry("__cudaPushCallConfiguration")] = reinterpret_cast<void*>(&push_configuration);
    hooks[find_entry("__cudaPopCallConfiguration")] = reinterpret_cast<void*>(&pop_configuration);
    hooks[find_entry("__cudaRegisterFunction")] = reinterpret_cast<void*>(&register_function);
    hooks[find_entry("__cudaGetKernel")] = reinterpret_cast<void*>(&get_kernel);
    return hooks;
}

}  // namespace

void* hook_of(std::size_t entry) {
    static const auto hooks = build_hooks();
    return hooks[entry];
}

void* missing_function(std::size_t entry) {
    static constexpr auto table = make_missing_table(std::make_index_sequence<exported_entries>());
    const char* name = entry_name(static_cast<Entry>(entry));
    if (std::strncmp(name, "__cudaRegister", 14) == 0 ||
        std::strncmp(name, "__cudaUnregister", 16) == 0 ||
        std::strcmp(name, "__cudaInitModule") == 0) {
        return reinterpret_cast<void*>(&quiet);
    }
    if (std::strcmp(name, "cudaGetErrorName") == 0 ||
        std::strcmp(name, "cudaGetErrorString") == 0) {
        return reinterpret_cast<void*>(&unnamed);
    }
    return reinterpret_cast<void*>(table[entry]);
}

}  // namespace vram::runtime
