// Style: every block has an owner object until all went well; addresses are given up by exchange.
#include <limits>
#include <utility>
#include <vector>

#include "device_pointer.h"

namespace {

template <typename T>
bool countable(std::size_t count) {
    return count <= std::numeric_limits<std::size_t>::max() / sizeof(T);
}

template <typename T>
class Owner {
  public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { cudaFree(std::exchange(block_, nullptr)); }

    cudaError_t allocate(std::size_t count) {
        if (!countable<T>(count))
            return cudaErrorInvalidValue;
        if (count == 0)
            return cudaSuccess;
        T* block = nullptr;
        const cudaError_t status = cudaMalloc(&block, count * sizeof(T));
        if (status == cudaSuccess)
            block_ = block;
        return status;
    }
    T* get() const { return block_; }
    T* give_up() { return std::exchange(block_, nullptr); }

  private:
    T* block_ = nullptr;
};

}  // namespace

cudaError_t make_array(float** out, std::size_t count) {
    if (!out)
        return cudaErrorInvalidValue;
    Owner<float> array;
    const cudaError_t status = array.allocate(count);
    *out = array.give_up();
    return status;
}

cudaError_t free_array(float** array) {
    return array ? cudaFree(std::exchange(*array, nullptr)) : cudaSuccess;
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    if (image)
        *image = nullptr;
    if (mask)
        *mask = nullptr;
    if (!image || !mask || !countable<float>(image_count) || !countable<float>(mask_count))
        return cudaErrorInvalidValue;
    Owner<float> first, second;
    if (auto status = first.allocate(image_count))
        return status;
    if (auto status = second.allocate(mask_count))
        return status;
    *image = first.give_up();
    *mask = second.give_up();
    return cudaSuccess;
}

cudaError_t free_pair(float** image, float** mask) {
    const auto first = free_array(image);
    const auto second = free_array(mask);
    return first ? first : second;
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = {};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (!rows || !cols)
        return cudaSuccess;
    Owner<float> data;
    if (auto status = data.allocate(std::size_t(rows) * cols))
        return status;
    *out = {data.give_up(), rows, cols};
    return cudaSuccess;
}

cudaError_t free_matrix(Matrix* matrix) {
    if (!matrix)
        return cudaSuccess;
    return cudaFree(std::exchange(*matrix, {}).data);
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = {};
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (!rows || !cols)
        return cudaSuccess;
    Owner<float*> row_start;
    Owner<float> data;
    if (auto status = row_start.allocate(rows))
        return status;
    if (auto status = data.allocate(std::size_t(rows) * cols))
        return status;
    std::vector<float*> starts;
    for (float* row = data.get(); starts.size() < std::size_t(rows); row += cols) {
        starts.push_back(row);
    }
    if (auto status = cudaMemcpy(row_start.get(), starts.data(), starts.size() * sizeof(float*),
                                 cudaMemcpyDefault)) {
        return status;
    }
    *out = {row_start.give_up(), data.give_up(), rows, cols};
    return cudaSuccess;
}

cudaError_t free_row_table(RowTable* table) {
    if (!table)
        return cudaSuccess;
    const RowTable old = std::exchange(*table, {});
    const auto first = cudaFree(old.row_start);
    const auto second = cudaFree(old.data);
    return first ? first : second;
}
