// The error slot of a thread, and the names and texts of errors.
#include <string>
#include <thread>

#include "grader/tests/conformance/kernels.h"
#include "grader/tests/conformance/probe.h"

namespace vram::conformance {
namespace {

void fail_with_invalid_value() {
    cudaMalloc(static_cast<void**>(nullptr), 16);
}

void fail_with_out_of_memory() {
    void* p = nullptr;
    cudaMalloc(&p, std::size_t{1} << 50);
}

PROBE(slot_reads) {
    fact("error slot at the start", {cudaPeekAtLastError(), cudaGetLastError()});
    fail_with_invalid_value();
    fact("peek, peek, get, get after an error",
         {cudaPeekAtLastError(), cudaPeekAtLastError(), cudaGetLastError(), cudaGetLastError()});
    fail_with_invalid_value();
    cudaFree(nullptr);
    fact("error slot after an error and a success", cudaGetLastError());
    fail_with_invalid_value();
    fail_with_out_of_memory();
    fact("error slot after invalid value, then out of memory", cudaGetLastError());
    fail_with_out_of_memory();
    fail_with_invalid_value();
    fact("error slot after out of memory, then invalid value", cudaGetLastError());
    fail_with_invalid_value();
    cudaDeviceSynchronize();
    fact("error slot after an error and cudaDeviceSynchronize", cudaGetLastError());
    fail_with_out_of_memory();
    launch_nothing();
    fact("error slot after a failed allocation and a good launch", cudaGetLastError());
    cudaDeviceSynchronize();
}

PROBE(slot_of_each_thread) {
    fail_with_invalid_value();
    cudaError_t seen = cudaErrorUnknown;
    cudaError_t made = cudaErrorUnknown;
    std::thread([&] {
        seen = cudaGetLastError();
        fail_with_out_of_memory();
        made = cudaPeekAtLastError();
    }).join();
    fact("error slot of another thread, before and after an error", {seen, made});
    fact("error slot of the first thread after that", cudaGetLastError());
}

PROBE(slot_after_queries) {
    int value = 0;
    cudaGetDevice(&value);
    fact("error slot after a good query", cudaGetLastError());
    cudaPointerAttributes attributes{};
    int on_stack = 0;
    cudaPointerGetAttributes(&attributes, &on_stack);
    fact("error slot after attributes of host memory", cudaGetLastError());
    cudaSetDevice(99);
    fact("error slot after cudaSetDevice of 99", cudaGetLastError());
    cudaGetDevice(nullptr);
    fact("error slot after cudaGetDevice without a place", cudaGetLastError());
    cudaGetDeviceCount(nullptr);
    fact("error slot after cudaGetDeviceCount without a place", cudaGetLastError());
    cudaEventDestroy(nullptr);
    fact("error slot after cudaEventDestroy of null", cudaGetLastError());
    cudaMemcpy(nullptr, &on_stack, 4, static_cast<cudaMemcpyKind>(9));
    fact("error slot after an unknown kind", cudaGetLastError());
    cudaDriverGetVersion(nullptr);
    fact("error slot after cudaDriverGetVersion without a place", cudaGetLastError());
}

PROBE(error_names) {
    fact("name of 0", cudaGetErrorName(cudaSuccess));
    fact("name of an unknown error", {cudaGetErrorName(static_cast<cudaError_t>(12345)),
                                      cudaGetErrorString(static_cast<cudaError_t>(12345))});
    fact("name of -1", {cudaGetErrorName(static_cast<cudaError_t>(-1)),
                        cudaGetErrorString(static_cast<cudaError_t>(-1))});
}

PROBE(error_texts) {
    constexpr int past_all_errors = 1000;
    const std::string unknown = cudaGetErrorName(static_cast<cudaError_t>(12345));
    for (int code = 0; code < past_all_errors; ++code) {
        const auto error = static_cast<cudaError_t>(code);
        const std::string name = cudaGetErrorName(error);
        if (name != unknown) {
            fact("text of " + std::to_string(code), {name, cudaGetErrorString(error)});
        }
    }
}

}  // namespace
}  // namespace vram::conformance
