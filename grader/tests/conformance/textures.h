// Kernels that read textures and use surfaces, each of one form of fetch.
#pragma once

#include <cuda_runtime.h>

namespace vram::conformance {

/// All take (object, const float4* positions, uint4* out) and run a thread for each position. What
/// a position holds, in order: coordinates, then a layer, a level or what the name says.
enum class Fetch {
    line_of_memory,  ///< tex1Dfetch: x is an index
    line,
    plane,
    volume,
    line_of_layer,
    plane_of_layer,
    cube,
    cube_of_layer,
    plane_at_level,
    plane_with_gradients,  ///< z: how far the position moves from thread to thread
    volume_at_level,
    gather_red,
    gather_alpha,
    integers_of_plane,
    integers_of_memory,
    surface_of_plane,  ///< x in elements; zeros outside
    surface_of_plane_clamped,
};

/// `channels` is 1 or 4; the bits of the values come first in `out`.
const void* kernel_of(Fetch fetch, int channels);
/// Writes x + 10 y + 0.5 to the element (x, y) of a surface of floats; block (width, height).
const void* kernel_that_writes_a_surface();

}  // namespace vram::conformance
