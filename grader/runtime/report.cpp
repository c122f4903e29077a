#include "grader/runtime/report.h"

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <string>

#include "grader/runtime/ending_signals.h"
#include "grader/runtime/environment.h"
#include "grader/runtime/program_report.h"
#include "grader/runtime/report_json.h"
#include "grader/runtime/report_summary.h"
#include "grader/settings/values.h"

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

void write_reports() {
    const ProgramReport report = make_program_report();
    if (!wish().file.empty()) {
        write_json_report(report, wish().file);
    }
    if (wish().summary) {
        std::fputs(summary_of(report).c_str(), stderr);
    }
}

bool is_wanted() {
    return wish().process == getpid() && (wish().summary || !wish().file.empty());
}

/// Whoever comes first, the end of the program or a signal.
std::once_flag& written() {
    static auto* instance = new std::once_flag;
    return *instance;
}

void write_reports_once() {
    std::call_once(written(), write_reports);
}

// Runs after the destructors of the program, which may still free what they own.
__attribute__((destructor)) void report_at_exit() {
    if (is_wanted()) {
        write_reports_once();
    }
}

}  // namespace

bool summary_is_wanted() {
    return wish().summary;
}

void prepare_report() {
    std::string file = environment("VRAM_REPORT");
    wish().process = getpid();
    wish().summary =
        file == "-" || settings::flag_from(environment("VRAM_SUMMARY")).value_or(false);
    wish().file = file == "-" ? "" : file;
    if (is_wanted()) {
        report_before_signals(write_reports_once);
    }
}

}  // namespace vram::runtime
