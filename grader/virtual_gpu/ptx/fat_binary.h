// The container in which nvcc embeds device code.
#pragma once

#include <cstddef>
#include <string>

namespace vram::virtual_gpu::ptx {

/// The best PTX of a fat binary, or why there is none.
struct PtxImage {
    std::string text;            ///< empty when there is none
    int compute_capability = 0;  ///< times ten
    std::string why_missing;     ///< empty when there is one
};

/// Reads what a `__fatBinC_Wrapper_t` points to. Of several PTX images the one for the highest
/// compute capability wins.
PtxImage extract_ptx(const void* wrapper);

/// The same for the container itself, `size` bytes long. Never reads beyond.
PtxImage extract_ptx_from_container(const void* container, std::size_t size);

}  // namespace vram::virtual_gpu::ptx
