// The contract and the standard headers come first, so that their include guards keep them out of the
// namespace below.
#include "grader/checks/04_pitched_2d_reference.h"

#include <algorithm>

namespace reference {
#include "solutions/04-pitched-2d/pitched_image.cu"
}  // namespace reference
