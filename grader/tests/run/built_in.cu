// A program whose CUDA runtime is linked statically, as nvcc does unless it is told otherwise.
__global__ void nothing() {}

int main() {
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
