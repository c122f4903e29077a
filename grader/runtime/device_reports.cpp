#include "grader/runtime/device_reports.h"

#include <cstdio>
#include <string>

#include "grader/runtime/fixed_text.h"
#include "grader/runtime/report.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/thread_state.h"
#include "grader/runtime/virtual_gpu_controls.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime {
namespace {

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

}  // namespace

Misuse misuse_from(const virtual_gpu::Report& report) {
    Misuse misuse;
    misuse.kind = MisuseKind::device_report;
    misuse.report_kind = static_cast<std::uint8_t>(report.kind);
    misuse.call =
        report.parties.empty() ? this_thread_as_is().current_call : report.parties[0].call;
    misuse.other_call = report.parties.size() > 1 ? report.parties[1].call : 0;
    misuse.address = report.address;
    set_text(misuse.first_line, report.first_line);
    set_text(misuse.details, joined(report.details));
    return misuse;
}

namespace {

class LedgerObserver : public virtual_gpu::Observer {
  public:
    void on_report(const virtual_gpu::Report& report) override {
        Misuse misuse = misuse_from(report);
        RuntimeState& state = runtime_state();
        std::lock_guard lock(state.ledger.mutex());
        if (!is_of_program(state, misuse.call)) {
            return;
        }
        misuse.allocation = state.ledger.classify(report.address, this_thread_as_is()).allocation;
        state.ledger.add_misuse(misuse);
    }

    void on_long_kernel(const virtual_gpu::LongKernel& kernel) override {
        if (!summary_is_wanted()) {
            return;
        }
        constexpr std::uint64_t million = 1'000'000;
        std::fprintf(stderr,
                     "vram: kernel %s still runs after %llu s: %llu million warp instructions so "
                     "far; after %llu million it counts as endless (VRAM_INSTRUCTION_LIMIT)\n",
                     kernel.name.c_str(), static_cast<unsigned long long>(kernel.seconds),
                     static_cast<unsigned long long>(kernel.warp_instructions / million),
                     static_cast<unsigned long long>(kernel.instruction_limit / million));
    }

    virtual_gpu::CallNumber current_call() const override {
        return this_thread_as_is().current_call;
    }

  private:
    static bool is_of_program(RuntimeState& state, CallNumber number) {
        const CallRecord* call = state.ledger.call(number);
        return call != nullptr ? !call->by_harness : state.in_learner.load();
    }
};

}  // namespace

void listen_to_virtual_gpu() {
    static auto* observer = new LedgerObserver;
    controls::set_observer(observer);
}

}  // namespace vram::runtime
