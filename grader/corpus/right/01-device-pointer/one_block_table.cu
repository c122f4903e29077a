// Style: exceptions inside, codes outside; the row table and its data share one block, and sizes
// are rounded up to 256 bytes.
#include <cstdint>
#include <memory>
#include <vector>

#include "device_pointer.h"

namespace {

struct Failure {
    cudaError_t code;
};

void require(cudaError_t status) {
    if (status != cudaSuccess)
        throw Failure{status};
}

struct Release {
    void operator()(std::byte* block) const { cudaFree(block); }
};
using Block = std::unique_ptr<std::byte, Release>;

std::size_t rounded_up(std::size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

Block allocate(std::size_t bytes) {
    if (bytes == 0)
        return nullptr;
    void* block = nullptr;
    require(cudaMalloc(&block, rounded_up(bytes)));
    return Block(static_cast<std::byte*>(block));
}

std::size_t bytes_of(std::size_t count) {
    if (count > SIZE_MAX / sizeof(float) - 256)
        throw Failure{cudaErrorInvalidValue};
    return count * sizeof(float);
}

float* floats(Block block) {
    return reinterpret_cast<float*>(block.release());
}

template <typename Function>
cudaError_t code_of(Function function) {
    try {
        function();
        return cudaSuccess;
    } catch (const Failure& failure) {
        return failure.code;
    }
}

}  // namespace

cudaError_t make_array(float** out, std::size_t count) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = nullptr;
    return code_of([&] { *out = floats(allocate(bytes_of(count))); });
}

cudaError_t free_array(float** array) {
    if (!array)
        return cudaSuccess;
    float* old = *array;
    *array = nullptr;
    return old ? cudaFree(old) : cudaSuccess;
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    if (image)
        *image = nullptr;
    if (mask)
        *mask = nullptr;
    if (!image || !mask)
        return cudaErrorInvalidValue;
    return code_of([&] {
        const std::size_t image_bytes = bytes_of(image_count);
        const std::size_t mask_bytes = bytes_of(mask_count);
        Block first = allocate(image_bytes);
        Block second = allocate(mask_bytes);
        *image = floats(std::move(first));
        *mask = floats(std::move(second));
    });
}

cudaError_t free_pair(float** image, float** mask) {
    const cudaError_t second = free_array(mask);
    const cudaError_t first = free_array(image);
    return second != cudaSuccess ? second : first;
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = {nullptr, 0, 0};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    return code_of([&] {
        float* data = floats(allocate(bytes_of(std::size_t{1} * rows * cols)));
        *out = {data, rows, cols};
    });
}

cudaError_t free_matrix(Matrix* matrix) {
    if (!matrix)
        return cudaSuccess;
    const cudaError_t status = free_array(&matrix->data);
    *matrix = {nullptr, 0, 0};
    return status;
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = {nullptr, nullptr, 0, 0};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    return code_of([&] {
        // The pointers come first: a block from the runtime is aligned well enough for them.
        const std::size_t table_bytes = rounded_up(rows * sizeof(float*));
        const std::size_t data_bytes = bytes_of(std::size_t{1} * rows * cols);
        Block block = allocate(table_bytes + data_bytes);
        auto* data = reinterpret_cast<float*>(block.get() + table_bytes);
        std::vector<float*> starts;
        for (int r = 0; r < rows; ++r)
            starts.push_back(data + std::size_t{1} * r * cols);
        require(cudaMemcpy(block.get(), starts.data(), starts.size() * sizeof(float*),
                           cudaMemcpyHostToDevice));
        *out = {reinterpret_cast<float**>(block.release()), data, rows, cols};
    });
}

cudaError_t free_row_table(RowTable* table) {
    if (!table)
        return cudaSuccess;
    float** block = table->row_start;
    *table = {nullptr, nullptr, 0, 0};
    return block ? cudaFree(block) : cudaSuccess;
}
