// Kernels that read textures and use surfaces.

extern "C" __global__ void fetch_line(cudaTextureObject_t texture, const int* positions,
                                      float* out) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, positions[threadIdx.x]);
}

extern "C" __global__ void sample_plane(cudaTextureObject_t texture, const float2* positions,
                                        float* out) {
    const float2 at = positions[threadIdx.x];
    out[threadIdx.x] = tex2D<float>(texture, at.x, at.y);
}

extern "C" __global__ void sample_bytes(cudaTextureObject_t texture, const float2* positions,
                                        uchar4* out) {
    const float2 at = positions[threadIdx.x];
    out[threadIdx.x] = tex2D<uchar4>(texture, at.x, at.y);
}

extern "C" __global__ void sample_volume(cudaTextureObject_t texture, const float4* positions,
                                         float* out) {
    const float4 at = positions[threadIdx.x];
    out[threadIdx.x] = tex3D<float>(texture, at.x, at.y, at.z);
}

extern "C" __global__ void sample_layer(cudaTextureObject_t texture, const float4* positions,
                                        float* out) {
    const float4 at = positions[threadIdx.x];
    out[threadIdx.x] = tex2DLayered<float>(texture, at.x, at.y, static_cast<int>(at.z));
}

extern "C" __global__ void sample_cube(cudaTextureObject_t texture, const float4* positions,
                                       float* out) {
    const float4 at = positions[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(texture, at.x, at.y, at.z);
}

/// Swaps the columns of each row of `width` pairs.
extern "C" __global__ void mirror_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to,
                                          int width) {
    const int x = threadIdx.x, y = threadIdx.y;
    int2 value;
    surf2Dread(&value, from, x * static_cast<int>(sizeof value), y);
    surf2Dwrite(value, to, (width - 1 - x) * static_cast<int>(sizeof value), y);
}

extern "C" __global__ void read_beside_surface(cudaSurfaceObject_t surface, int* out, bool trap) {
    const int x = 4 * (static_cast<int>(threadIdx.x) - 1);
    out[3 * threadIdx.x] = surf2Dread<int>(surface, x, 0, cudaBoundaryModeZero);
    out[3 * threadIdx.x + 1] = surf2Dread<int>(surface, x, 0, cudaBoundaryModeClamp);
    if (trap) {
        out[2] = surf2Dread<int>(surface, x, 0, cudaBoundaryModeTrap);
    }
}
