#include "grader/runtime/program_report.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "grader/runtime/describe.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/sides.h"
#include "grader/runtime/source_lines.h"

namespace vram::runtime {
namespace {

template <std::size_t count>
Frames frames_of(const std::uint64_t (&frames)[count]) {
    return {frames, std::find(frames, frames + count, 0)};
}

Frames frames_of_call(Ledger& ledger, CallNumber number) {
    const CallRecord* call = ledger.call(number);
    return call != nullptr ? frames_of(call->frames) : Frames();
}

std::vector<CallCount> count_calls(Ledger& ledger) {
    std::vector<CallCount> counts;
    for (std::size_t entry = 0; entry < entry_count(); ++entry) {
        std::uint64_t calls = ledger.count_of(static_cast<Entry>(entry));
        if (calls > 0) {
            counts.push_back({entry_name(static_cast<Entry>(entry)), calls});
        }
    }
    std::stable_sort(
        counts.begin(), counts.end(),
        [](const CallCount& left, const CallCount& right) { return left.calls > right.calls; });
    return counts;
}

std::vector<Leak> find_leaks(Ledger& ledger) {
    std::vector<Leak> leaks;
    for (const AllocationRecord& record : ledger.allocations()) {
        if (record.state == AllocationState::live && !record.by_harness && !record.excused) {
            leaks.push_back({record, frames_of_call(ledger, record.made_by), {}});
        }
    }
    return leaks;
}

std::vector<LeakedHandle> find_leaked_handles(Ledger& ledger) {
    std::vector<LeakedHandle> leaked;
    for (const HandleRecord& record : ledger.handles()) {
        if (record.live && !record.by_harness && !record.excused) {
            leaked.push_back({record.kind, frames_of_call(ledger, record.made_by), {}});
        }
    }
    return leaked;
}

/// The calls that a mistake is made of; what came after it is no part of it.
std::set<CallNumber> calls_of(Ledger& ledger, const Misuse& misuse) {
    const AllocationRecord block = ledger.allocation(misuse.allocation);
    std::set<CallNumber> calls = {misuse.call, misuse.other_call, block.made_by, block.freed_by};
    calls.erase(calls.upper_bound(std::max(misuse.call, misuse.other_call)), calls.end());
    return calls;
}

std::vector<Step> steps_of(Ledger& ledger, const Misuse& misuse) {
    std::vector<Step> steps;
    for (CallNumber number : calls_of(ledger, misuse)) {
        if (const CallRecord* call = ledger.call(number); call != nullptr) {
            steps.push_back({*call, {}, {}});
        }
    }
    return steps;
}

std::vector<Mistake> find_mistakes(Ledger& ledger) {
    std::vector<Mistake> mistakes;
    for (const Misuse& misuse : ledger.misuses_after(0)) {
        Frames frames =
            misuse.frames[0] != 0 ? frames_of(misuse.frames) : frames_of_call(ledger, misuse.call);
        mistakes.push_back({misuse, steps_of(ledger, misuse), std::move(frames), {}});
    }
    return mistakes;
}

/// Not under the ledger's lock, which the name of a kernel needs.
void describe_steps(Ledger& ledger, ProgramReport& report) {
    for (Mistake& mistake : report.mistakes) {
        for (Step& step : mistake.steps) {
            step.text = describe_call(ledger, step.call);
        }
    }
}

/// Calls `visit(frames, place)` for everything in the report that has a place, the most telling
/// first.
template <typename Visit>
void for_each_place(ProgramReport& report, const Visit& visit) {
    for (Mistake& mistake : report.mistakes) {
        visit(mistake.frames, mistake.place);
        for (Step& step : mistake.steps) {
            visit(frames_of(step.call.frames), step.place);
        }
    }
    for (Leak& leak : report.leaks) {
        visit(leak.frames, leak.place);
    }
    for (LeakedHandle& handle : report.leaked_handles) {
        visit(handle.frames, handle.place);
    }
}

void find_places(ProgramReport& report) {
    std::set<std::uint64_t> offsets;
    for_each_place(report, [&](const Frames& frames, const std::string&) {
        constexpr std::size_t most = 2000;  // a command line has an end
        if (offsets.size() + frames.size() < most) {
            offsets.insert(frames.begin(), frames.end());
        }
    });
    const auto places = source_lines({offsets.begin(), offsets.end()});
    for_each_place(report, [&](const Frames& frames, std::string& place) {
        for (std::uint64_t frame : frames) {
            if (auto found = places.find(frame); found != places.end()) {
                place = found->second;
                return;
            }
        }
    });
}

}  // namespace

ProgramReport make_program_report() {
    ProgramReport report;
    if (chosen_device() == Device::virtual_gpu) {
        controls::finish_pending_work();
        report.kernels = controls::kernels();
        report.virtual_nanoseconds = controls::virtual_nanoseconds();
    }
    Ledger& ledger = runtime_state().ledger;
    {
        std::lock_guard lock(ledger.mutex());
        report.calls = count_calls(ledger);
        report.leaks = find_leaks(ledger);
        report.leaked_handles = find_leaked_handles(ledger);
        report.mistakes = find_mistakes(ledger);
    }
    describe_steps(ledger, report);
    find_places(report);
    return report;
}

}  // namespace vram::runtime
