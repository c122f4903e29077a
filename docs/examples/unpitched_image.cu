// An image with padded rows, filled as if its rows were packed.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

int main() {
    const std::size_t width = 100;
    const std::size_t height = 3;
    unsigned char* image = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&image, &pitch, width, height);

    std::vector<unsigned char> rows(width * height);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<unsigned char>(i / width + 1);
    cudaMemset2D(image, pitch, 0, width, height);
    cudaMemcpy(image, rows.data(), rows.size(), cudaMemcpyHostToDevice);

    std::vector<unsigned char> back(width * height);
    cudaMemcpy2D(back.data(), width, image, pitch, width, height, cudaMemcpyDeviceToHost);
    std::printf("pitch %s width\n", pitch > width ? "is larger than" : "equals");
    for (std::size_t row = 0; row < height; ++row)
        std::printf("row %zu should hold %zu, holds %d\n", row, row + 1, back[row * width]);
    cudaFree(image);
}
