#include "grader/checks/support/learner.h"

#include <algorithm>

#include "grader/checks/support/running_check.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {

namespace detail {

void report_exception(const std::string& what) {
    fail(Story("exception-escaped", "An exception left the function that was called: " + what + ".")
             .steps_after(0, 4)
             .expected("the function returns a status; exceptions stay inside"));
    running_check().left_by_exception = true;
}

}  // namespace detail

bool on_virtual_gpu() {
    return session().device() == runtime::Device::virtual_gpu;
}

int Moment::count(const char* name) const {
    const runtime::Entry entry = runtime::entry_of(name);
    const auto made = calls();
    return static_cast<int>(std::count_if(made.begin(), made.end(),
                                          [&](const auto& call) { return call.entry == entry; }));
}

int Moment::count_allocations() const {
    const auto made = calls();
    return static_cast<int>(std::count_if(
        made.begin(), made.end(), [](const auto& call) { return runtime::allocates(call.entry); }));
}

int Moment::count_releases() const {
    const auto made = calls();
    return static_cast<int>(std::count_if(
        made.begin(), made.end(), [](const auto& call) { return runtime::releases(call.entry); }));
}

std::vector<runtime::AllocationRecord> Moment::still_live() const {
    std::vector<runtime::AllocationRecord> result;
    for (const auto& allocation : live_allocations()) {
        if (allocation.made_by > call_ && !allocation.excused) {
            result.push_back(allocation);
        }
    }
    return result;
}

std::vector<runtime::HandleRecord> Moment::handles_still_live() const {
    std::vector<runtime::HandleRecord> result;
    for (const auto& handle : session().handles()) {
        if (handle.live && !handle.by_harness && !handle.excused && handle.made_by > call_) {
            result.push_back(handle);
        }
    }
    return result;
}

std::vector<runtime::AllocationRecord> live_allocations() {
    std::vector<runtime::AllocationRecord> result;
    for (const auto& allocation : session().allocations()) {
        if (allocation.state == runtime::AllocationState::live && !allocation.by_harness) {
            result.push_back(allocation);
        }
    }
    return result;
}

runtime::AllocationRecord allocation_at(const void* pointer) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    for (const auto& allocation : live_allocations()) {
        if (allocation.base == address) {
            return allocation;
        }
    }
    return {};
}

}  // namespace vram::checks
