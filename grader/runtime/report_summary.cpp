#include "grader/runtime/report_summary.h"

#include <algorithm>
#include <map>

#include "grader/runtime/describe.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/sides.h"

namespace vram::runtime {
namespace {

constexpr std::size_t most_lines_of_a_kind = 20;

std::string counted(std::uint64_t number, const char* what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string with_place(const std::string& text, const std::string& place) {
    return place.empty() ? text : text + "  " + place;
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

/// Things that read the same are told once, with their number.
template <typename Thing>
struct Group {
    const Thing* first = nullptr;
    std::uint64_t count = 0;
};

/// In the order of their first ones.
template <typename Thing, typename Key>
std::vector<Group<Thing>> group_by(const std::vector<Thing>& things, const Key& key) {
    std::vector<Group<Thing>> groups;
    std::map<std::string, std::size_t> index_of;
    for (const Thing& thing : things) {
        const auto [found, is_new] = index_of.emplace(key(thing), groups.size());
        if (is_new) {
            groups.push_back({&thing, 0});
        }
        ++groups[found->second].count;
    }
    return groups;
}

std::string calls_text(const ProgramReport& report) {
    std::uint64_t total = 0;
    std::string names;
    for (const CallCount& count : report.calls) {
        total += count.calls;
        names += (names.empty() ? ": " : ", ") + count.name + " " + std::to_string(count.calls);
    }
    return "  " + counted(total, "runtime call") + names + "\n";
}

/// "    stores         125 sectors in 32 requests"; nothing where there was none.
std::string traffic_line(const char* what, std::uint64_t units, const char* unit,
                         std::uint64_t requests) {
    if (requests == 0) {
        return {};
    }
    return "    " + padded(what, 15) + counted(units, unit) + " in " +
           counted(requests, "request") + "\n";
}

std::string kernel_text(const controls::KernelSummary& kernel) {
    const Session::KernelCounters& counters = kernel.counters;
    std::string text = "  kernel " + kernel.name + ": " + std::to_string(counters.launches) +
                       (counters.launches == 1 ? " launch, " : " launches, ") +
                       counted(counters.warp_instructions, "warp instruction");
    if (counters.branches != 0) {
        text += ", " + std::to_string(counters.divergent_branches) + " of " +
                std::to_string(counters.branches) + " branches divergent";
    }
    return text + "\n" +
           traffic_line("loads", counters.load_sectors, "sector", counters.load_requests) +
           traffic_line("stores", counters.store_sectors, "sector", counters.store_requests) +
           traffic_line("atomics", counters.atomic_sectors, "sector", counters.atomic_requests) +
           traffic_line("shared memory", counters.shared_waves, "wave", counters.shared_requests);
}

std::string leak_text(const Leak& leak) {
    return with_place(describe_allocation(leak.allocation), leak.place);
}

std::string leaks_text(const ProgramReport& report) {
    if (report.leaks.empty()) {
        return "  every block was freed\n";
    }
    std::uint64_t bytes = 0;
    for (const Leak& leak : report.leaks) {
        bytes += leak.allocation.bytes;
    }
    const char* const what = runtime_state().sticky_seen != 0
                                 ? "  not freed, and after a sticky error nothing can be: "
                                 : "  never freed: ";
    std::string text =
        what + counted(report.leaks.size(), "block") + ", " + counted(bytes, "byte") + "\n";
    std::uint64_t told = 0;
    const auto groups = group_by(report.leaks, leak_text);
    for (std::size_t index = 0; index < std::min(most_lines_of_a_kind, groups.size()); ++index) {
        const Group<Leak>& group = groups[index];
        const std::string times = group.count > 1 ? std::to_string(group.count) + " times " : "";
        text += "    " + times + leak_text(*group.first) + "\n";
        told += group.count;
    }
    if (told < report.leaks.size()) {
        text += "    and " + counted(report.leaks.size() - told, "more block") + "\n";
    }
    return text;
}

std::string leaked_handles_text(const ProgramReport& report) {
    std::string text;
    const auto what = [](const LeakedHandle& handle) {
        return with_place(handle_name(handle.kind), handle.place);
    };
    for (const auto& group : group_by(report.leaked_handles, what)) {
        text += "  never destroyed: " + counted(group.count, handle_name(group.first->kind));
        text = with_place(text, group.first->place) + "\n";
    }
    return text;
}

std::string steps_text(const std::vector<Step>& steps) {
    if (steps.size() < 2) {
        return {};  // the sentence above says as much
    }
    std::size_t number_width = 0;
    std::size_t text_width = 0;
    for (const Step& step : steps) {
        number_width = std::max(number_width, std::to_string(step.call.number).size());
        text_width = std::max(text_width, step.text.size());
    }
    std::string text;
    for (const Step& step : steps) {
        const std::string number = padded(std::to_string(step.call.number), number_width);
        text += "    call " + number + "  " +
                (step.place.empty() ? step.text : padded(step.text, text_width + 2) + step.place) +
                "\n";
    }
    return text;
}

std::string mistake_text(const Group<Mistake>& group) {
    const Mistake& mistake = *group.first;
    std::string text = "  " + std::string(diagnosis_id(mistake.misuse)) + ": " +
                       with_place(mistake.misuse.first_line, mistake.place) + "\n" +
                       steps_text(mistake.steps);
    if (group.count > 1) {
        text += "    the same " + counted(group.count - 1, "more time") + "\n";
    }
    return text;
}

std::string mistakes_text(const ProgramReport& report) {
    // The sentences of a loop differ in addresses and numbers of calls; its place does not.
    const auto groups = group_by(report.mistakes, [](const Mistake& mistake) {
        return std::string(diagnosis_id(mistake.misuse)) + "\n" +
               (mistake.place.empty() ? mistake.misuse.first_line : mistake.place);
    });
    std::string text;
    for (std::size_t index = 0; index < std::min(most_lines_of_a_kind, groups.size()); ++index) {
        text += mistake_text(groups[index]);
    }
    if (groups.size() > most_lines_of_a_kind) {
        text += "  and mistakes at " + counted(groups.size() - most_lines_of_a_kind, "more place") +
                "; vram run --report FILE has all of them\n";
    }
    return text;
}

}  // namespace

std::string summary_of(const ProgramReport& report) {
    std::string text = "vram: on the " + std::string(chosen_device_name()) + "\n";
    text += calls_text(report);
    for (const controls::KernelSummary& kernel : report.kernels) {
        text += kernel_text(kernel);
    }
    return text + leaks_text(report) + leaked_handles_text(report) + mistakes_text(report);
}

}  // namespace vram::runtime
