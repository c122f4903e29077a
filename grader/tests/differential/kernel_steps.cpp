// Steps that launch kernels and ask about them.
#include <algorithm>

#include "grader/tests/differential/sequence.h"

namespace vram::differential {

void Sequence::launch_kernel() {
    Block* out = any_block();
    Block* in = any_block();
    if (out == nullptr || in == nullptr) {
        return;
    }
    constexpr std::size_t word = sizeof(std::uint32_t);
    constexpr std::size_t most_words = 20000;
    std::size_t out_words = line_bytes(*out) / word;
    std::size_t in_words = line_bytes(*in) / word;
    std::size_t out_first = 0;
    std::size_t in_first = 0;
    if (out == in) {
        out_words /= 2;
        in_first = out_words;
        in_words -= out_words;
    } else if (random_.one_in(2)) {
        out_first = random_.below(out_words + 1);
        in_first = random_.below(in_words + 1);
        out_words -= out_first;
        in_words -= in_first;
    }
    const std::size_t words = std::min({out_words, in_words, most_words});
    if (words == 0) {
        return;
    }
    std::size_t kernels = 0;
    const Kernel* const family = all_kernels(kernels);
    const Kernel& kernel = family[random_.below(kernels)];
    constexpr unsigned warp = 32;
    constexpr std::size_t most_warps = 16;
    KernelCall call;
    call.count = static_cast<unsigned>(random_.one_in(2) ? words : random_.between(1, words));
    call.a = static_cast<std::uint32_t>(random_.next());
    call.b = static_cast<std::uint32_t>(random_.next());
    call.threads = warp * static_cast<unsigned>(random_.between(1, most_warps));
    call.blocks = static_cast<unsigned>(random_.between(1, 12));
    const int stream = any_stream();
    claim(*in, stream);
    claim(*out, stream);
    in->user = stream;
    call.stream = handle(stream);
    call.out = reinterpret_cast<std::uint32_t*>(out->base) + out_first;
    call.in = reinterpret_cast<const std::uint32_t*>(in->base) + in_first;
    kernel.launch(call);
    note(std::string("launch ") + kernel.name + " <" + std::to_string(call.blocks) + ", " +
             std::to_string(call.threads) + "> " + std::to_string(call.count) + " words to " +
             name(*out) + " from " + name(*in) + " in " + name_of_stream(stream),
         cudaPeekAtLastError());
}

void Sequence::launch_wrongly() {
    const int stream = any_stream();
    constexpr unsigned too_many_threads = 1025;
    constexpr unsigned too_many_rows = 65536;
    constexpr std::size_t too_much_shared = std::size_t{1} << 20;
    switch (random_.below(7)) {
        case 0:
            launch_with_shape(dim3(1), dim3(too_many_threads), 0, handle(stream));
            break;
        case 1:
            launch_with_shape(dim3(0), dim3(32), 0, handle(stream));
            break;
        case 2:
            launch_with_shape(dim3(1), dim3(0), 0, handle(stream));
            break;
        case 3:
            launch_with_shape(dim3(1), dim3(32), too_much_shared, handle(stream));
            break;
        case 4:
            launch_with_shape(dim3(1, too_many_rows), dim3(1), 0, handle(stream));
            break;
        case 5:
            launch_with_shape(dim3(1), dim3(1, 1, 65), 0, handle(stream));
            break;
        default:
            note("cudaLaunchKernel of null",
                 cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), nullptr, 0,
                                  nullptr));
            return;
    }
    note("launch with a bad shape", cudaPeekAtLastError());
}

void Sequence::ask_about_kernel() {
    cudaFuncAttributes seen{};
    int blocks = 0;
    const auto threads = static_cast<int>(random_.between(1, 1024));
    switch (random_.below(4)) {
        case 0:
            note("cudaFuncGetAttributes", cudaFuncGetAttributes(&seen, empty_kernel()));
            break;
        case 1:
            note("cudaFuncGetAttributes of null",
                 cudaFuncGetAttributes(&seen, static_cast<const void*>(nullptr)));
            break;
        case 2:
            note("cudaFuncSetAttribute beyond the most",
                 cudaFuncSetAttribute(empty_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      1 << 20));
            break;
        default: {
            const cudaError_t error =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty_kernel(), threads, 0);
            transcript_.write(
                "occupancy of " + std::to_string(threads) + " threads",
                error == cudaSuccess ? std::to_string(blocks) : cudaGetErrorName(error));
            break;
        }
    }
}

}  // namespace vram::differential
