#include "grader/runtime/report_json.h"

#include <cstdio>
#include <fstream>

#include "grader/json/json_text.h"
#include "grader/runtime/describe.h"
#include "grader/runtime/sides.h"
#include "grader/runtime/source_lines.h"

namespace vram::runtime {
namespace {

using nlohmann::json;

template <typename Items, typename ToJson>
json array_of(const Items& items, const ToJson& to_json) {
    json array = json::array();
    for (const auto& item : items) {
        array.push_back(to_json(item));
    }
    return array;
}

json calls_json(const ProgramReport& report) {
    json calls = json::object();
    for (const CallCount& count : report.calls) {
        calls[count.name] = count.calls;
    }
    return calls;
}

json leak_json(const Leak& leak) {
    return {{"what", describe_allocation(leak.allocation)},
            {"bytes", leak.allocation.bytes},
            {"address", leak.allocation.base},
            {"allocated_by", family_name(leak.allocation.family)},
            {"place", leak.place},
            {"frames", leak.frames}};
}

json leaked_handle_json(const LeakedHandle& handle) {
    return {{"what", handle_name(handle.kind)}, {"place", handle.place}, {"frames", handle.frames}};
}

json step_json(const Step& step) {
    return {{"call", step.call.number}, {"text", step.text}, {"place", step.place}};
}

json mistake_json(const Mistake& mistake) {
    return {{"diagnosis", diagnosis_id(mistake.misuse)},
            {"first_line", mistake.misuse.first_line},
            {"details", mistake.misuse.details},
            {"call_failed", mistake.misuse.failed_call},
            {"place", mistake.place},
            {"frames", mistake.frames},
            {"steps", array_of(mistake.steps, step_json)}};
}

json kernel_json(const controls::KernelSummary& kernel) {
    const Session::KernelCounters& counters = kernel.counters;
    return {{"name", kernel.name},
            {"virtual_nanoseconds", kernel.virtual_nanoseconds},
            {"launches", counters.launches},
            {"load_requests", counters.load_requests},
            {"load_sectors", counters.load_sectors},
            {"store_requests", counters.store_requests},
            {"store_sectors", counters.store_sectors},
            {"atomic_requests", counters.atomic_requests},
            {"atomic_sectors", counters.atomic_sectors},
            {"shared_requests", counters.shared_requests},
            {"shared_waves", counters.shared_waves},
            {"warp_instructions", counters.warp_instructions},
            {"lane_instructions", counters.lane_instructions},
            {"branches", counters.branches},
            {"divergent_branches", counters.divergent_branches}};
}

json report_json(const ProgramReport& report) {
    return {{"program", program_path()},
            {"device", chosen_device_name()},
            {"calls", calls_json(report)},
            {"leaks", array_of(report.leaks, leak_json)},
            {"leaked_handles", array_of(report.leaked_handles, leaked_handle_json)},
            {"misuses", array_of(report.mistakes, mistake_json)},
            {"kernels", array_of(report.kernels, kernel_json)},
            {"virtual_nanoseconds", report.virtual_nanoseconds}};
}

}  // namespace

void write_json_report(const ProgramReport& report, const std::string& file) {
    std::ofstream stream(file);
    stream << json_text(report_json(report)) << '\n';
    stream.close();
    if (!stream) {
        std::fprintf(stderr, "vram: the report cannot be written to %s\n", file.c_str());
    }
}

}  // namespace vram::runtime
