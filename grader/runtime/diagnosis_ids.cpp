// The stable diagnosis ids. Apart from the rest, since graded programs link this file too.
#include "grader/runtime/records.h"
#include "grader/virtual_gpu/observer.h"

namespace vram::runtime {
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
        case MisuseKind::free_by_c_library:
            return "free-by-c-library";
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
            return virtual_gpu::diagnosis_id(
                static_cast<virtual_gpu::ReportKind>(misuse.report_kind));
    }
    return "";
}

}  // namespace vram::runtime
