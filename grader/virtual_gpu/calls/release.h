// Ending the life of a block by a call of the host.
#pragma once

#include <cuda_runtime_api.h>

#include "grader/virtual_gpu/card.h"

namespace vram::virtual_gpu {

/// Frees device, managed or page-locked memory. Work that may still use it, ordered by nothing but
/// the implicit wait that the documentation doesn't promise, is reported.
cudaError_t free_now(Card& card, Block& block, const char* call);
/// cudaFree of stream-ordered memory, which doesn't wait.
cudaError_t free_async_block_now(Card& card, Block& block, const char* call);
cudaError_t unregister_now(Card& card, Block& block);

}  // namespace vram::virtual_gpu
