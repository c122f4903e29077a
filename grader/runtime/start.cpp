#include "grader/runtime/start.h"

#include <cstdlib>

#include "grader/runtime/arena.h"
#include "grader/runtime/channel.h"
#include "grader/runtime/device_reports.h"
#include "grader/runtime/environment.h"
#include "grader/runtime/fault_handler.h"
#include "grader/runtime/report.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/sides.h"
#include "grader/runtime/thread_state.h"

namespace vram::runtime {
namespace {

bool started;

// Before the constructors of the program, whatever their priority: a library's come first.
__attribute__((constructor(101))) void start() {
    refuse_bad_environment();
    runtime_state();
    take_channel();
    clean_environment();
    unsetenv("VRAM_LEDGER_FD");
    started = true;
    if (session_is_claimed()) {
        share_arena();
    }
    open_side();
    if (chosen_device() == Device::virtual_gpu) {
        listen_to_virtual_gpu();
    }
    if (!session_is_claimed()) {
        prepare_report();
    }
    use_alternate_signal_stack();
    install_fault_handler();
}

}  // namespace

void prepare_to_share() {
    runtime_state();
    if (started) {
        share_arena();
    }
}

}  // namespace vram::runtime
