#include "grader/checks/support/isolation.h"

#include "grader/checks/support/learner.h"

namespace vram::checks {

namespace {

bool one_process = false;

}  // namespace

bool forks_keep_apart() {
    return on_virtual_gpu() && !one_process;
}

void share_one_process() {
    one_process = true;
}

}  // namespace vram::checks
