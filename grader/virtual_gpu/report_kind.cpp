// The stable diagnosis ids of reports. Apart from the rest, since programs that only read reports
// link this file too.
#include "grader/virtual_gpu/observer.h"

namespace vram::virtual_gpu {

const char* diagnosis_id(ReportKind kind) {
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
        case ReportKind::call_not_supported:
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
    }
    return "unknown";
}

}  // namespace vram::virtual_gpu
