#include <cstdio>
#include <iostream>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/installation.h"
#include "grader/proctor/progress.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

constexpr const char* list_help = R"(usage: vram list

Shows every lab: what it is about, about how long it takes, and the points reached in the last
grading.
)";

void print_table(const std::vector<Lab>& labs, const ProgressBook& book) {
    for (const Lab& lab : labs) {
        const auto progress = book.find(lab.name);
        const bool known = progress != book.end();
        const char* mark = !known ? " " : progress->second.complete ? "*" : "-";
        const std::string points = (known ? number(progress->second.earned) : std::string("-")) +
                                   " / " + number(known ? progress->second.points : lab.points);
        std::printf("  %s %-20s %9s  %3d min  %s\n", mark, lab.name.c_str(), points.c_str(),
                    lab.minutes, lab.summary.c_str());
    }
}

/// The lab to go on with: the first that was begun, else the first that is not complete.
const Lab* next_lab(const std::vector<Lab>& labs, const ProgressBook& book) {
    for (const Lab& lab : labs) {
        const auto progress = book.find(lab.name);
        if (progress == book.end() || !progress->second.complete) {
            return &lab;
        }
    }
    return nullptr;
}

}  // namespace

int list_command(const Words& words) {
    const Arguments arguments(words, {"--plain"}, {});
    if (arguments.has("--help")) {
        std::cout << list_help;
        return full_marks;
    }
    if (!arguments.words().empty()) {
        throw UsageError("`vram list` takes no words.");
    }
    print_table(all_labs(), load_progress(this_installation().build_root / "progress.json"));
    return full_marks;
}

int overview_command() {
    const Installation installation = this_installation();
    const auto labs = all_labs();
    const auto book = load_progress(installation.build_root / "progress.json");
    std::puts("CUDA Memory Labs                                   (* complete, - begun)\n");
    print_table(labs, book);
    const Lab* next = next_lab(labs, book);
    if (next == nullptr) {
        std::puts("\nEvery lab is complete.");
        return full_marks;
    }
    const auto progress = book.find(next->name);
    const std::string number = next->number();
    std::printf("\nNext: lab %s, %s\n", number.c_str(), next->title.c_str());
    if (progress == book.end()) {
        std::printf("  read   labs/%s/README.md\n", next->name.c_str());
    } else if (!progress->second.first_failure.empty()) {
        std::printf("  hint   ./vram hint %s %s\n", number.c_str(),
                    progress->second.first_failure.c_str());
    }
    std::printf("  edit   labs/%s/%s\n  grade  ./vram grade %s\n\nMore: ./vram --help\n",
                next->name.c_str(), next->file.c_str(), number.c_str());
    return full_marks;
}

}  // namespace vram::proctor
