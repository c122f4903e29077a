// The stable diagnosis ids. Apart from the rest, since graded programs link this file too.
#include "grader/runtime/records.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime {
namespace {

using virtual_gpu::ReportKind;

const char* report_id(ReportKind kind) {
    switch (kind) {
        case ReportKind::kernel_out_of_bounds:
            return "kernel-out-of-bounds";
        case ReportKind::kernel_use_after_free:
            return "kernel-use-after-free";
        case ReportKind::kernel_misaligned:
            return "kernel-misaligned";
        case ReportKind::kernel_null_pointer:
            return "kernel-null-pointer";
        case ReportKind::kernel_host_pointer:
            return "kernel-host-pointer";
        case ReportKind::kernel_wild_pointer:
            return "kernel-wild-pointer";
        case ReportKind::kernel_write_to_constant:
            return "kernel-write-to-constant";
        case ReportKind::kernel_shared_out_of_bounds:
            return "kernel-shared-out-of-bounds";
        case ReportKind::kernel_local_out_of_bounds:
            return "kernel-local-out-of-bounds";
        case ReportKind::kernel_uninitialised_read:
            return "kernel-uninitialised-read";
        case ReportKind::kernel_shared_race:
            return "kernel-shared-race";
        case ReportKind::kernel_barrier_divergence:
            return "kernel-barrier-divergence";
        case ReportKind::kernel_assert:
            return "kernel-assert";
        case ReportKind::kernel_trap:
            return "kernel-trap";
        case ReportKind::kernel_endless:
            return "kernel-endless";
        case ReportKind::kernel_not_supported:
            return "not-supported";
        case ReportKind::host_touches_device:
            return "host-touches-device";
        case ReportKind::race:
            return "race";
        case ReportKind::use_before_allocation:
            return "use-before-allocation";
        case ReportKind::free_in_flight:
            return "free-in-flight";
        case ReportKind::use_after_free_async:
            return "use-after-free-async";
        case ReportKind::host_buffer_in_flight:
            return "host-buffer-in-flight";
        case ReportKind::call_not_supported:
            return "not-supported";
    }
    return "";
}

}  // namespace

const char* diagnosis_id(const Misuse& misuse) {
    switch (misuse.kind) {
        case MisuseKind::double_free:
            return "double-free";
        case MisuseKind::free_interior:
            return "free-interior";
        case MisuseKind::free_of_variable:
            return "free-of-variable";
        case MisuseKind::free_host_memory:
            return "free-host-memory";
        case MisuseKind::free_wrong_family:
            return "free-wrong-family";
        case MisuseKind::free_unknown:
            return "free-never-allocated";
        case MisuseKind::free_after_reset:
            return "free-after-reset";
        case MisuseKind::bad_destination:
            return "bad-destination";
        case MisuseKind::copy_out_of_bounds:
            return "copy-out-of-bounds";
        case MisuseKind::copy_host_overrun:
            return "copy-host-overrun";
        case MisuseKind::copy_freed:
            return "copy-of-freed-memory";
        case MisuseKind::copy_bad_pointer:
            return "copy-bad-pointer";
        case MisuseKind::copy_wrong_direction:
            return "copy-wrong-direction";
        case MisuseKind::copy_bad_pitch:
            return "copy-bad-pitch";
        case MisuseKind::set_out_of_bounds:
            return "set-out-of-bounds";
        case MisuseKind::set_bad_pointer:
            return "set-bad-pointer";
        case MisuseKind::dead_handle:
            return "dead-handle";
        case MisuseKind::unrecorded_event:
            return "unrecorded-event";
        case MisuseKind::work_after_sticky:
            return "work-after-sticky";
        case MisuseKind::device_report:
            return report_id(static_cast<ReportKind>(misuse.report_kind));
    }
    return "";
}

}  // namespace vram::runtime
