// fails: Service.SurvivesWhatCanBeSurvived
// diagnosis: leak
// mistake: E6; when the second allocation fails, the page-locked buffer of the first stays behind.
#include "compute_service.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

static Log g_log;

static void say(const std::string& text) {
    if (g_log)
        g_log(text.c_str());
}

#define RETURN_IF_FAILED(call)                                                          \
    do {                                                                                \
        const cudaError_t result_ = (call);                                             \
        if (result_ != cudaSuccess) {                                                   \
            std::ostringstream text_;                                                   \
            text_ << cudaGetErrorName(result_) << " at " << __FILE__ << '(' << __LINE__ \
                  << "): " << #call << " -- " << cudaGetErrorString(result_);           \
            say(text_.str());                                                           \
            return result_;                                                             \
        }                                                                               \
    } while (false)

void set_log(Log log) {
    g_log = log;
}

cudaError_t run_steps(const Step* steps, int count, void* job) {
    if (count < 0 || (count > 0 && !steps))
        return cudaErrorInvalidValue;
    for (const Step* step = steps; step != steps + count; ++step)
        RETURN_IF_FAILED((*step)(job));
    return cudaSuccess;
}

__global__ void scale(float* data, int count, float factor) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        data[i] *= factor;
}

static LaunchResult outcome(cudaError_t status, Phase phase) {
    return LaunchResult{status, status == cudaSuccess ? Phase::none : phase};
}

LaunchResult scale_on_device(float* data, int count, float factor, int threads_per_block) {
    if (count < 0 || (count > 0 && !data))
        return {cudaErrorInvalidValue, Phase::none};
    if (!count)
        return {cudaSuccess, Phase::none};
    const unsigned threads = static_cast<unsigned>(std::max(threads_per_block, 0));
    const unsigned blocks = std::min(65535u, (count - 1) / std::max(threads, 1u) + 1);
    void* arguments[] = {&data, &count, &factor};
    (void)cudaGetLastError();
    cudaError_t launched = cudaLaunchKernel(reinterpret_cast<const void*>(&scale), dim3(blocks),
                                            dim3(threads), arguments, 0, nullptr);
    if (launched == cudaSuccess)
        launched = cudaPeekAtLastError();
    if (launched != cudaSuccess) {
        std::ostringstream text;
        text << "launch of scale<<<" << blocks << ", " << threads_per_block << ">>> refused, "
             << cudaGetErrorName(launched);
        say(text.str());
        (void)cudaGetLastError();
        return outcome(launched, Phase::launch);
    }
    return outcome(cudaStreamSynchronize(nullptr), Phase::execution);
}

static cudaError_t smaller_and_smaller(void** out, std::size_t bytes, std::size_t floor,
                                       std::size_t* got) {
    void* block = nullptr;
    const cudaError_t status = cudaMalloc(&block, bytes);
    if (status == cudaSuccess) {
        *out = block;
        *got = bytes;
        return status;
    }
    if (status != cudaErrorMemoryAllocation || bytes <= floor)
        return status;
    (void)cudaGetLastError();
    return smaller_and_smaller(out, std::max(bytes / 2, floor), floor, got);
}

cudaError_t allocate_best_effort(void** out, std::size_t wanted, std::size_t floor,
                                 std::size_t* got) {
    if (out)
        *out = nullptr;
    if (got)
        *got = 0;
    if (!out || !got || !floor || floor > wanted)
        return cudaErrorInvalidValue;
    return smaller_and_smaller(out, wanted, floor, got);
}

bool is_sticky(cudaError_t code) {
    static const std::vector<cudaError_t> deadly = {cudaErrorIllegalAddress,
                                                    cudaErrorMisalignedAddress,
                                                    cudaErrorInvalidAddressSpace,
                                                    cudaErrorIllegalInstruction,
                                                    cudaErrorInvalidPc,
                                                    cudaErrorHardwareStackError,
                                                    cudaErrorAssert,
                                                    cudaErrorLaunchFailure,
                                                    cudaErrorLaunchTimeout};
    return std::find(deadly.begin(), deadly.end(), code) != deadly.end();
}

struct Service {
    float* device = nullptr;
    float* staging = nullptr;  // page-locked
    int capacity = 0;
    cudaError_t killed_by = cudaSuccess;

    cudaError_t open(int elements) {
        capacity = elements;
        const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(elements);
        cudaError_t status = cudaMallocHost(reinterpret_cast<void**>(&staging), bytes);
        if (status != cudaSuccess)
            return staging = nullptr, status;
        status = cudaMalloc(reinterpret_cast<void**>(&device), bytes);
        if (status != cudaSuccess) {
            device = nullptr;
        }
        return status;
    }

    cudaError_t serve(const float* in, float* out, int count, float factor, int threads) {
        const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(count);
        std::copy_n(in, count, staging);
        RETURN_IF_FAILED(cudaMemcpyAsync(device, staging, bytes, cudaMemcpyHostToDevice));
        RETURN_IF_FAILED(scale_on_device(device, count, factor, threads).status);
        RETURN_IF_FAILED(cudaMemcpyAsync(staging, device, bytes, cudaMemcpyDeviceToHost));
        RETURN_IF_FAILED(cudaStreamSynchronize(nullptr));
        std::copy_n(staging, count, out);
        return cudaSuccess;
    }

    cudaError_t close() {
        if (killed_by != cudaSuccess)
            return killed_by;
        const cudaError_t first = cudaFree(device);
        const cudaError_t second = cudaFreeHost(staging);
        return first != cudaSuccess ? first : second;
    }
};

cudaError_t service_start(Service** out, int most_elements) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = nullptr;
    if (most_elements <= 0)
        return cudaErrorInvalidValue;
    auto service = std::make_unique<Service>();
    const cudaError_t status = service->open(most_elements);
    if (status == cudaSuccess)
        *out = service.release();
    return status;
}

cudaError_t service_scale(Service* service, const float* in, float* out, int count, float factor,
                          int threads_per_block) {
    if (!service || count < 0 || count > service->capacity || (count && (!in || !out)))
        return cudaErrorInvalidValue;
    if (service->killed_by != cudaSuccess)
        return service->killed_by;
    if (!count)
        return cudaSuccess;
    const cudaError_t status = service->serve(in, out, count, factor, threads_per_block);
    if (is_sticky(status))
        service->killed_by = status;
    return status;
}

cudaError_t service_stop(Service* service) {
    const std::unique_ptr<Service> owned(service);
    return owned ? owned->close() : cudaSuccess;
}
