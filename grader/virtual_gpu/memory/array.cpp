#include "grader/virtual_gpu/memory/array.h"

#include "grader/virtual_gpu/streams/handle_table.h"

namespace vram::virtual_gpu {
namespace {

constexpr std::uint64_t first_array_handle = 0x5ca1'0000'0000;

HandleTable<Array>& arrays() {
    static auto* table = new HandleTable<Array>(first_array_handle);
    return *table;
}

std::uint64_t number_of(cudaArray_const_t handle) {
    return reinterpret_cast<std::uint64_t>(handle);
}

}  // namespace

std::size_t bytes_of_texel(const cudaChannelFormatDesc& format) {
    const int bits[4] = {format.x, format.y, format.z, format.w};
    const bool known = format.f == cudaChannelFormatKindSigned ||
                       format.f == cudaChannelFormatKindUnsigned ||
                       (format.f == cudaChannelFormatKindFloat && bits[0] != 8);
    if (!known || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32))
        return 0;
    int channels = 0;
    while (channels < 4 && bits[channels] == bits[0])
        ++channels;
    for (int rest = channels; rest < 4; ++rest)
        if (bits[rest] != 0)
            return 0;
    return channels == 3 ? 0 : static_cast<std::size_t>(channels * bits[0] / 8);
}

std::size_t Array::texel_bytes() const {
    return bytes_of_texel(format);
}

cudaArray_t add_array(const Array& array) {
    constexpr bool reuse_values = false;
    return reinterpret_cast<cudaArray_t>(
        arrays().add(std::make_shared<Array>(array), reuse_values));
}

Array* find_array(cudaArray_const_t handle) {
    const auto found = arrays().find(number_of(handle));
    return found && found->alive() ? found.get() : nullptr;
}

void forget_array(cudaArray_const_t handle) {
    arrays().remove(number_of(handle));
}

}  // namespace vram::virtual_gpu
