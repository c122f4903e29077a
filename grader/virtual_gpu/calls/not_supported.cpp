#include "grader/virtual_gpu/calls/not_supported.h"

#include "grader/virtual_gpu/observer.h"

namespace vram::virtual_gpu {

cudaError_t not_supported(const char* call, const std::string& feature) {
    Report report;
    report.kind = ReportKind::call_not_supported;
    report.first_line = std::string(call) + ": the virtual GPU does not support " + feature;
    report.parties.push_back({observer().current_call(), call, 0, 0});
    observer().on_report(report);
    return cudaErrorNotSupported;
}

}  // namespace vram::virtual_gpu
