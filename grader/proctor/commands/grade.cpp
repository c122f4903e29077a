#include "grader/proctor/grade.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/environment.h"
#include "grader/proctor/installation.h"
#include "grader/proctor/parallel.h"
#include "grader/proctor/progress.h"
#include "grader/proctor/report.h"
#include "grader/proctor/results_json.h"
#include "grader/proctor/submission.h"
#include "grader/proctor/tap.h"
#include "grader/proctor/text.h"
#include "grader/settings/values.h"

namespace vram::proctor {

namespace {

constexpr const char* grade_help = R"(usage: vram grade [LAB...] [options]

Grades labs: all of them, or those named ("06", "double-free", "06-double-free").

  --submission DIR   grade the files in DIR instead of labs/: a tree labs/NN-name/x.cu, a tree
                     NN-name/x.cu, or a flat folder of .cu files. DIR is not changed.
  --device DEVICE    auto (default): the virtual GPU, and the real one where there is one;
                     virtual; gpu
  --json FILE        also write Gradescope's results.json
  --seed N           variation of the virtual GPU's legal choices (default 1)
  --tap              print TAP instead of the report
  --plain            no colour

Exit status: 0 full marks, 1 not, 2 usage, 3 a fault of the grader.
)";

/// A line for each lab while they are graded, on standard error.
class ProgressLines {
  public:
    ProgressLines(std::size_t labs, bool quiet)
        : shown_(!quiet && labs > 1), status_(!quiet && isatty(STDERR_FILENO) != 0) {}

    void stage(const Lab& lab, const std::string& stage) {
        const std::lock_guard lock(mutex_);
        if (status_) {
            std::fprintf(stderr, "\r\x1b[K  %s  %s", lab.name.c_str(), stage.c_str());
        }
    }

    void done(const LabGrade& grade) {
        const std::lock_guard lock(mutex_);
        if (status_) {
            std::fputs("\r\x1b[K", stderr);
        }
        if (shown_) {
            std::fprintf(stderr, "  %-24s %5s / %-5s %6.1f s\n", grade.lab.c_str(),
                         number(grade.earned()).c_str(), number(grade.points()).c_str(),
                         grade.build_seconds + grade.run_seconds);
        }
    }

  private:
    const bool shown_;
    const bool status_;
    std::mutex mutex_;
};

std::uint64_t seed_from(const Arguments& arguments) {
    const std::string text = arguments.value("--seed").value_or("1");
    if (const auto seed = settings::whole_number_from(text)) {
        return *seed;
    }
    throw UsageError("--seed needs a whole number, not \"" + text + "\".");
}

/// The option, else VRAM_DEVICE of the environment, else both devices where there are both.
std::string device_word_from(const Arguments& arguments) {
    const char* preset = std::getenv("VRAM_DEVICE");
    return arguments.value("--device").value_or(preset != nullptr && *preset ? preset : "auto");
}

std::vector<const Lab*> chosen_labs(const std::vector<Lab>& labs, const Arguments& arguments) {
    std::vector<const Lab*> chosen;
    for (const std::string& word : arguments.words()) {
        const Lab* lab = &lab_meant_by(labs, word);
        if (std::find(chosen.begin(), chosen.end(), lab) == chosen.end()) {
            chosen.push_back(lab);
        }
    }
    if (arguments.words().empty()) {
        for (const Lab& lab : labs) {
            chosen.push_back(&lab);
        }
    }
    return chosen;
}

std::vector<LabGrade> grade_all(const std::vector<const Lab*>& labs, const Submission& submission,
                                const Grader& grader, const std::vector<DeviceKind>& devices,
                                ProgressLines& progress) {
    std::vector<LabGrade> grades(labs.size());
    in_parallel(labs.size(), [&](std::size_t i) {
        const Lab& lab = *labs[i];
        const SubmittedFile file = submission.find(lab);
        const auto stage = [&](const std::string& text) { progress.stage(lab, text); };
        grades[i] = file.rejection ? rejected(lab, *file.rejection, "", devices)
                                   : grader.grade(lab, file.path, stage);
        progress.done(grades[i]);
    });
    return grades;
}

void print_reports(const std::vector<LabGrade>& grades, const ReportStyle& style) {
    for (const LabGrade& grade : grades) {
        std::cout << "\n" << lab_report(grade, style);
    }
    std::cout << "\n" << score_line(grades) << "\n";
}

/// Exit status 0 when it was written.
int write_results(const std::string& path, const std::vector<LabGrade>& grades, double seconds) {
    try {
        replace_file(path, results_json(grades, seconds));
        return full_marks;
    } catch (const FileError& error) {
        std::cerr << "vram: the results could not be written: " << error.what() << "\n";
        return fault;
    }
}

int exit_status(const std::vector<LabGrade>& grades) {
    int status = full_marks;
    for (const LabGrade& grade : grades) {
        if (grade.grader_fault) {
            return fault;
        }
        if (!grade.complete()) {
            status = not_full_marks;
        }
    }
    return status;
}

}  // namespace

int grade_command(const Words& words) {
    const Arguments arguments(words, {"--tap", "--plain"},
                              {"--submission", "--device", "--json", "--seed"});
    if (arguments.has("--help")) {
        std::cout << grade_help;
        return full_marks;
    }
    refuse_bad_environment();
    refuse_too_small_a_card(std::getenv("VRAM_MEMORY"));
    const auto begin = std::chrono::steady_clock::now();
    const Installation installation = this_installation();
    const std::vector<Lab> labs = all_labs();
    const auto chosen = chosen_labs(labs, arguments);
    const bool tap = arguments.has("--tap");
    const auto devices = devices_meant_by(device_word_from(arguments));
    if (devices.front() == DeviceKind::gpu && !present_gpu()) {
        if (tap) {
            std::cout << "1..0 # SKIP there is no NVIDIA GPU on this machine\n";
            return full_marks;
        }
        throw UsageError("There is no NVIDIA GPU on this machine: use --device virtual.");
    }
    GradingOptions options;
    options.devices = devices;
    options.limits = limits_from_environment();
    options.seed = seed_from(arguments);

    if (const auto results = arguments.value("--json")) {
        require_replaceable(*results);  // now, not after a long grading
    }
    const auto folder = arguments.value("--submission");
    const Cache cache = open_cache(installation.build_root / "cache");
    const Submission submission(folder.value_or(installation.source_root), labs);
    const Grader grader(installation, cache, options);
    ProgressLines progress(chosen.size(), tap);
    const auto grades = grade_all(chosen, submission, grader, devices, progress);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    if (tap) {
        std::cout << tap_report(grades);
    } else {
        print_reports(grades, style_for_output(arguments.has("--plain")));
    }
    std::cout.flush();
    int written = full_marks;
    if (const auto path = arguments.value("--json")) {
        written = write_results(*path, grades, seconds);
    }
    if (!folder) {
        keep_progress(installation.build_root / "progress.json", grades);
    }
    cache.shrink();
    const int status = exit_status(grades);
    if (written != full_marks) {
        return written;
    }
    // For TAP the verdicts are in the lines; a status other than 0 means that there are none.
    return tap && status != fault ? int{full_marks} : status;
}

}  // namespace vram::proctor
