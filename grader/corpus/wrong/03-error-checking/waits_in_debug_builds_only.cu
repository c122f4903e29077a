// fails: Launch.FaultIsToldApart
// diagnosis: execution-error-missed
// says: Only in the release build (with NDEBUG)
// mistake: B2, B9; waits for the kernel only where NDEBUG is not defined, "because synchronising is slow".
//   In production a fault surfaces at whatever call comes next.
#include "compute_service.h"

#include <cstdio>
#include <new>

namespace {

Log current_log = nullptr;

void log_line(const char* line) {
    if (current_log != nullptr) {
        current_log(line);
    }
}

cudaError_t log_if_failed(cudaError_t status, const char* expression, const char* file, int line) {
    if (status != cudaSuccess) {
        char text[512];
        std::snprintf(text, sizeof text, "%s:%d: %s failed: %s (%s)", file, line, expression,
                      cudaGetErrorName(status), cudaGetErrorString(status));
        log_line(text);
    }
    return status;
}

// Evaluates its argument once: the status is stored as a parameter, then tested, told and returned.
#define LOGGED(expression) log_if_failed((expression), #expression, __FILE__, __LINE__)

__global__ void scale(float* data, int count, float factor) {
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        data[index] *= factor;
    }
}

}  // namespace

void set_log(Log log) {
    current_log = log;
}

cudaError_t run_steps(const Step* steps, int count, void* job) {
    if (count < 0 || (steps == nullptr && count > 0)) {
        return cudaErrorInvalidValue;
    }
    for (int index = 0; index < count; ++index) {
        const cudaError_t status = LOGGED(steps[index](job));
        if (status != cudaSuccess) {
            return status;
        }
    }
    return cudaSuccess;
}

LaunchResult scale_on_device(float* data, int count, float factor, int threads_per_block) {
    if (count < 0 || (data == nullptr && count > 0)) {
        return {cudaErrorInvalidValue, Phase::none};
    }
    if (count == 0) {
        return {cudaSuccess, Phase::none};
    }
    // Zero threads are the runtime's to refuse, so they must not stop this division.
    const int divisor = threads_per_block > 0 ? threads_per_block : 1;
    const int blocks = static_cast<int>((static_cast<long long>(count) + divisor - 1) / divisor);

    cudaGetLastError();  // an error of somebody else must not be taken for this launch's own
    scale<<<blocks, threads_per_block>>>(data, count, factor);
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess) {
        char text[256];
        std::snprintf(text, sizeof text, "scale<<<%d, %d>>> was refused: %s", blocks,
                      threads_per_block, cudaGetErrorName(launched));
        log_line(text);
        return {launched, Phase::launch};
    }
#ifdef NDEBUG
    const cudaError_t executed = cudaSuccess;
#else
    const cudaError_t executed = cudaDeviceSynchronize();
#endif
    return {executed, executed == cudaSuccess ? Phase::none : Phase::execution};
}

cudaError_t allocate_best_effort(void** out, std::size_t wanted, std::size_t floor,
                                 std::size_t* got) {
    if (out != nullptr) {
        *out = nullptr;
    }
    if (got != nullptr) {
        *got = 0;
    }
    if (out == nullptr || got == nullptr || floor == 0 || floor > wanted) {
        return cudaErrorInvalidValue;
    }
    for (std::size_t bytes = wanted;;) {
        void* block = nullptr;
        const cudaError_t status = cudaMalloc(&block, bytes);
        if (status == cudaSuccess) {
            *out = block;
            *got = bytes;
            return cudaSuccess;
        }
        if (status != cudaErrorMemoryAllocation || bytes == floor) {
            return status;
        }
        cudaGetLastError();  // this failure was expected and is handled here
        bytes = bytes / 2 > floor ? bytes / 2 : floor;
    }
}

bool is_sticky(cudaError_t code) {
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorIllegalInstruction:
        case cudaErrorInvalidPc:
        case cudaErrorHardwareStackError:
        case cudaErrorAssert:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
            return true;
        default:
            return false;
    }
}

struct Service {
    float* data = nullptr;
    int most_elements = 0;
    cudaError_t death = cudaSuccess;  // the sticky error that ended it
};

cudaError_t service_start(Service** out, int most_elements) {
    if (out == nullptr) {
        return cudaErrorInvalidValue;
    }
    *out = nullptr;
    if (most_elements < 1) {
        return cudaErrorInvalidValue;
    }
    Service* service = new (std::nothrow) Service;
    if (service == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    service->most_elements = most_elements;
    const cudaError_t status =
        cudaMalloc(&service->data, static_cast<std::size_t>(most_elements) * sizeof(float));
    if (status != cudaSuccess) {
        delete service;
        return status;
    }
    *out = service;
    return cudaSuccess;
}

namespace {

cudaError_t scale_through_device(Service* service, const float* in, float* out, int count,
                                 float factor, int threads_per_block) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    cudaError_t status = cudaMemcpy(service->data, in, bytes, cudaMemcpyHostToDevice);
    if (status != cudaSuccess) {
        return status;
    }
    status = scale_on_device(service->data, count, factor, threads_per_block).status;
    if (status != cudaSuccess) {
        return status;
    }
    return cudaMemcpy(out, service->data, bytes, cudaMemcpyDeviceToHost);
}

}  // namespace

cudaError_t service_scale(Service* service, const float* in, float* out, int count, float factor,
                          int threads_per_block) {
    if (service == nullptr || count < 0 || count > service->most_elements ||
        (count > 0 && (in == nullptr || out == nullptr))) {
        return cudaErrorInvalidValue;
    }
    if (service->death != cudaSuccess) {
        return service->death;
    }
    if (count == 0) {
        return cudaSuccess;
    }
    const cudaError_t status =
        scale_through_device(service, in, out, count, factor, threads_per_block);
    if (is_sticky(status)) {
        service->death = status;
    }
    return status;
}

cudaError_t service_stop(Service* service) {
    if (service == nullptr) {
        return cudaSuccess;
    }
    const cudaError_t status =
        service->death != cudaSuccess ? service->death : cudaFree(service->data);
    delete service;
    return status;
}
