// The reference solution of lab 04 under a name of its own, to measure a learner's kernel against.
#pragma once

#include "pitched_image.h"

namespace reference {

cudaError_t invert_image(Image* image);

}  // namespace reference
