#include "grader/runtime/report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "grader/runtime/describe.h"
#include "grader/runtime/environment.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/sides.h"
#include "grader/runtime/source_lines.h"
#include "grader/runtime/virtual_gpu_controls.h"

namespace vram::runtime {
namespace {

struct Wish {
    pid_t process = 0;
    bool summary = false;
    std::string file;
};

Wish& wish() {
    static auto* instance = new Wish;
    return *instance;
}

struct CallCount {
    std::string name;
    std::uint64_t calls = 0;
};

struct Leak {
    AllocationRecord allocation;
    std::vector<std::uint64_t> frames;
};

struct Mistake {
    Misuse misuse;
    std::vector<std::uint64_t> frames;
};

struct Report {
    std::vector<CallCount> calls;
    std::vector<Leak> leaks;
    std::vector<Mistake> mistakes;
    std::vector<controls::KernelSummary> kernels;
    std::uint64_t virtual_nanoseconds = 0;
    std::map<std::uint64_t, std::string> places;

    std::string place_of(const std::vector<std::uint64_t>& frames) const {
        for (std::uint64_t frame : frames) {
            if (auto found = places.find(frame); found != places.end()) {
                return found->second;
            }
        }
        return {};
    }
};

template <std::size_t count>
std::vector<std::uint64_t> frames_of(const std::uint64_t (&frames)[count]) {
    return {frames, std::find(frames, frames + count, 0)};
}

std::vector<std::uint64_t> frames_of_call(Ledger& ledger, CallNumber number) {
    const CallRecord* call = ledger.call(number);
    return call != nullptr ? frames_of(call->frames) : std::vector<std::uint64_t>();
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
            leaks.push_back({record, frames_of_call(ledger, record.made_by)});
        }
    }
    return leaks;
}

std::vector<Mistake> find_mistakes(Ledger& ledger) {
    std::vector<Mistake> mistakes;
    for (const Misuse& misuse : ledger.misuses_after(0)) {
        std::vector<std::uint64_t> frames =
            misuse.frames[0] != 0 ? frames_of(misuse.frames) : frames_of_call(ledger, misuse.call);
        mistakes.push_back({misuse, frames});
    }
    return mistakes;
}

void find_places(Report& report) {
    std::set<std::uint64_t> offsets;
    auto want = [&](const std::vector<std::uint64_t>& frames) {
        constexpr std::size_t most = 2000;  // a command line has an end
        if (offsets.size() + frames.size() < most) {
            offsets.insert(frames.begin(), frames.end());
        }
    };
    for (const Mistake& mistake : report.mistakes) {
        want(mistake.frames);
    }
    for (const Leak& leak : report.leaks) {
        want(leak.frames);
    }
    report.places = source_lines({offsets.begin(), offsets.end()});
}

Report make_report() {
    Report report;
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
        report.mistakes = find_mistakes(ledger);
    }
    find_places(report);
    return report;
}

// ---- JSON ----------------------------------------------------------------------------------------

nlohmann::json counters_json(const Session::KernelCounters& counters) {
    return {{"launches", counters.launches},
            {"load_requests", counters.load_requests},
            {"load_sectors", counters.load_sectors},
            {"store_requests", counters.store_requests},
            {"store_sectors", counters.store_sectors},
            {"atomic_requests", counters.atomic_requests},
            {"atomic_sectors", counters.atomic_sectors},
            {"shared_requests", counters.shared_requests},
            {"shared_waves", counters.shared_waves},
            {"warp_instructions", counters.warp_instructions},
            {"lane_instructions", counters.lane_instructions}};
}

nlohmann::json report_json(const Report& report) {
    nlohmann::json calls = nlohmann::json::object();
    for (const CallCount& count : report.calls) {
        calls[count.name] = count.calls;
    }
    nlohmann::json leaks = nlohmann::json::array();
    for (const Leak& leak : report.leaks) {
        leaks.push_back({{"what", describe_allocation(leak.allocation)},
                         {"bytes", leak.allocation.bytes},
                         {"address", leak.allocation.base},
                         {"allocated_by", family_name(leak.allocation.family)},
                         {"place", report.place_of(leak.frames)},
                         {"frames", leak.frames}});
    }
    nlohmann::json mistakes = nlohmann::json::array();
    for (const Mistake& mistake : report.mistakes) {
        mistakes.push_back({{"diagnosis", diagnosis_id(mistake.misuse)},
                            {"first_line", mistake.misuse.first_line},
                            {"details", mistake.misuse.details},
                            {"call_failed", mistake.misuse.failed_call},
                            {"place", report.place_of(mistake.frames)},
                            {"frames", mistake.frames}});
    }
    nlohmann::json kernels = nlohmann::json::array();
    for (const controls::KernelSummary& kernel : report.kernels) {
        nlohmann::json line = counters_json(kernel.counters);
        line["name"] = kernel.name;
        line["virtual_nanoseconds"] = kernel.virtual_nanoseconds;
        kernels.push_back(line);
    }
    return {{"program", program_path()},
            {"device", chosen_device_name()},
            {"calls", calls},
            {"leaks", leaks},
            {"misuses", mistakes},
            {"kernels", kernels},
            {"virtual_nanoseconds", report.virtual_nanoseconds}};
}

void write_json(const Report& report, const std::string& file) {
    std::ofstream stream(file);
    stream << report_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
           << '\n';
    stream.close();
    if (!stream) {
        std::fprintf(stderr, "vram: the report cannot be written to %s\n", file.c_str());
    }
}

// ---- summary -------------------------------------------------------------------------------------

std::string counted(std::uint64_t number, const char* what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string launches_text(std::uint64_t launches) {
    return std::to_string(launches) + (launches == 1 ? " launch" : " launches");
}

std::string with_place(const std::string& text, const std::string& place) {
    return place.empty() ? text : text + "  " + place;
}

void add_calls(std::string& text, const Report& report) {
    std::uint64_t total = 0;
    std::string names;
    for (const CallCount& count : report.calls) {
        total += count.calls;
        names += (names.empty() ? ": " : ", ") + count.name + " " + std::to_string(count.calls);
    }
    text += "  " + counted(total, "runtime call") + names + "\n";
}

/// Blocks of one size from one place.
struct LeakGroup {
    std::string text;
    std::uint64_t blocks = 0;
};

std::vector<LeakGroup> group_leaks(const Report& report) {
    std::vector<LeakGroup> groups;
    std::map<std::string, std::size_t> index_of;
    for (const Leak& leak : report.leaks) {
        std::string text =
            with_place(describe_allocation(leak.allocation), report.place_of(leak.frames));
        auto [found, is_new] = index_of.emplace(text, groups.size());
        if (is_new) {
            groups.push_back({std::move(text), 0});
        }
        ++groups[found->second].blocks;
    }
    return groups;
}

void add_leaks(std::string& text, const Report& report) {
    constexpr std::size_t most = 20;
    if (report.leaks.empty()) {
        text += "  every block was freed\n";
        return;
    }
    std::uint64_t bytes = 0;
    for (const Leak& leak : report.leaks) {
        bytes += leak.allocation.bytes;
    }
    const char* const what = runtime_state().sticky_seen != 0
                                 ? "  not freed, and after a sticky error nothing can be: "
                                 : "  never freed: ";
    text += what + counted(report.leaks.size(), "block") + ", " + counted(bytes, "byte") + "\n";
    std::uint64_t told = 0;
    const std::vector<LeakGroup> groups = group_leaks(report);
    for (std::size_t index = 0; index < std::min(most, groups.size()); ++index) {
        const LeakGroup& group = groups[index];
        const std::string times = group.blocks > 1 ? std::to_string(group.blocks) + " times " : "";
        text += "    " + times + group.text + "\n";
        told += group.blocks;
    }
    if (told < report.leaks.size()) {
        text += "    and " + counted(report.leaks.size() - told, "more block") + "\n";
    }
}

void add_mistakes(std::string& text, const Report& report) {
    for (const Mistake& mistake : report.mistakes) {
        text += "  " + std::string(diagnosis_id(mistake.misuse)) + ": " +
                with_place(mistake.misuse.first_line, report.place_of(mistake.frames)) + "\n";
    }
}

void add_kernels(std::string& text, const Report& report) {
    for (const controls::KernelSummary& kernel : report.kernels) {
        const Session::KernelCounters& counters = kernel.counters;
        text += "  kernel " + kernel.name + ": " + launches_text(counters.launches) +
                "; sectors loaded " + std::to_string(counters.load_sectors) + " in " +
                counted(counters.load_requests, "request") + ", stored " +
                std::to_string(counters.store_sectors) + " in " +
                counted(counters.store_requests, "request");
        if (counters.atomic_requests != 0) {
            text += ", updated " + std::to_string(counters.atomic_sectors) + " in " +
                    counted(counters.atomic_requests, "atomic request");
        }
        if (counters.shared_requests != 0) {
            text += "; shared memory: " + counted(counters.shared_waves, "wave") + " for " +
                    counted(counters.shared_requests, "request");
        }
        text += "\n";
    }
}

void write_summary(const Report& report) {
    std::string text = "vram: on the " + chosen_device_name() + "\n";
    add_calls(text, report);
    add_kernels(text, report);
    add_leaks(text, report);
    add_mistakes(text, report);
    std::fputs(text.c_str(), stderr);
}

// Runs after the destructors of the program, which may still free what they own.
__attribute__((destructor)) void report_at_exit() {
    if (wish().process != getpid() || (!wish().summary && wish().file.empty())) {
        return;
    }
    Report report = make_report();
    if (!wish().file.empty()) {
        write_json(report, wish().file);
    }
    if (wish().summary) {
        write_summary(report);
    }
}

}  // namespace

void prepare_report() {
    std::string file = environment("VRAM_REPORT");
    wish().process = getpid();
    wish().summary = file == "-" || environment("VRAM_SUMMARY") == "1";
    wish().file = file == "-" ? "" : file;
}

}  // namespace vram::runtime
