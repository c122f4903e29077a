#include <cstdio>
#include <iostream>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/files.h"
#include "grader/proctor/hints.h"
#include "grader/proctor/installation.h"
#include "grader/proctor/lab_lookup.h"
#include "grader/proctor/progress.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

constexpr const char* hint_help = R"(usage: vram hint LAB [CHECK] [--step N | --all]

Shows a hint for a check, one step at a time: a question, a pointer to the place, the idea. Without
CHECK: for the first check that failed in the last grading, else for the lab's first check.

  --step N   the first N steps
  --all      every step
)";

constexpr std::size_t text_width = 92;

const Check& check_meant_by(const Lab& lab, const Arguments& arguments) {
    if (arguments.words().size() > 1) {
        const std::string& text = arguments.words()[1];
        if (const Check* check = find_check(lab, text)) {
            return *check;
        }
        std::vector<std::string> names;
        for (const Check& check : lab.checks) {
            names.push_back(check.name);
        }
        throw UsageError("Lab " + lab.name + " has no check \"" + text + "\". It has " +
                         joined(names, ", ") + ".");
    }
    const auto book = load_progress(this_installation().build_root / "progress.json");
    const auto progress = book.find(lab.name);
    const Check* failed =
        progress == book.end() ? nullptr : lab.find_check(progress->second.first_failure);
    return failed != nullptr ? *failed : lab.checks.front();
}

std::size_t steps_wanted(const Arguments& arguments, std::size_t all) {
    if (arguments.has("--all")) {
        return all;
    }
    const std::string text = arguments.value("--step").value_or("1");
    if (text.size() > 3 || text.find_first_not_of("0123456789") != std::string::npos ||
        text.empty() || text.find_first_not_of('0') == std::string::npos) {
        throw UsageError("--step needs a number from 1 to " + std::to_string(all) + ".");
    }
    return std::min<std::size_t>(std::stoul(text), all);
}

}  // namespace

int hint_command(const Words& words) {
    const Arguments arguments(words, {"--all", "--plain"}, {"--step"});
    if (arguments.has("--help")) {
        std::cout << hint_help;
        return full_marks;
    }
    if (arguments.words().empty() || arguments.words().size() > 2) {
        throw UsageError("usage: vram hint LAB [CHECK] [--step N | --all]");
    }
    const auto labs = all_labs();
    const Lab& lab = lab_meant_by(labs, arguments.words().front());
    const Check& check = check_meant_by(lab, arguments);
    const auto path = this_installation().labs() / lab.name / "hints.md";
    const auto hints = parse_hints(read_file(path));
    const auto found = hints.find(check.name);
    if (found == hints.end() || found->second.empty()) {
        throw FileError(path.string() + " has no hint for " + check.name + ".");
    }
    const auto& steps = found->second;
    const std::size_t wanted = steps_wanted(arguments, steps.size());
    std::printf("Lab %s  %s\n", lab.number().c_str(), check.name.c_str());
    for (std::size_t i = 0; i < wanted; ++i) {
        std::string label = "\n  " + std::to_string(i + 1) + "  ";
        for (const std::string& line : wrapped(steps[i], text_width)) {
            std::printf("%s%s\n", label.c_str(), line.c_str());
            label = "     ";
        }
    }
    if (wanted < steps.size()) {
        std::printf("\n%zu of %zu steps. One more: ./vram hint %s %s --step %zu\n", wanted,
                    steps.size(), lab.number().c_str(), check.name.c_str(), wanted + 1);
    }
    return full_marks;
}

}  // namespace vram::proctor
