#include "grader/proctor/grade.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>

#include "grader/proctor/text.h"
#include "grader/proctor/verdicts.h"

namespace vram::proctor {

namespace fs = std::filesystem;

namespace {

using protocol::CheckResult;
using protocol::Verdict;

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string device_title(DeviceKind device) {
    if (device == DeviceKind::virtual_gpu) {
        return "virtual GPU";
    }
    return present_gpu() ? present_gpu()->name : "GPU";
}

/// Whether the device decided the check: neither its lack of an instruction nor its absence did.
bool decided(const CheckGrade& grade) {
    return grade.verdict != Verdict::not_graded_here;
}

/// What makes one verdict worse than another when two devices disagree.
int severity(Verdict verdict) {
    switch (verdict) {
        case Verdict::grader_fault:
            return 4;
        case Verdict::fail:
        case Verdict::crashed:
        case Verdict::hung:
        case Verdict::does_not_compile:
            return 3;
        case Verdict::inconclusive:
            return 2;
        case Verdict::pass:
            return 1;
        case Verdict::not_graded_here:
            break;
    }
    return 0;
}

std::string why_not_here(const Check& check) {
    if (!check.decided_by(DeviceKind::virtual_gpu)) {
        return "only a real GPU can decide this";
    }
    return "only the virtual GPU can decide this";
}

PlacedFinding placed(const protocol::Finding& finding, const CallSites& sites,
                     const std::string& learner_file, const std::string& source) {
    PlacedFinding result;
    result.diagnosis = finding.diagnosis;
    result.first_line = sites.with_sites(finding.first_line);
    result.expected = sites.with_sites(finding.expected);
    result.found = sites.with_sites(finding.found);
    result.why = sites.with_sites(finding.why);
    for (const protocol::Step& step : finding.steps) {
        PlacedStep shown;
        shown.text = sites.with_sites(step.text);
        if (step.line > 0) {
            shown.site = {fs::path(step.file).filename(), step.line, ""};
        } else {
            shown.site = sites.of(step.frames);
        }
        result.steps.push_back(std::move(shown));
    }
    if (finding.shown_step >= 1 &&
        static_cast<std::size_t>(finding.shown_step) <= result.steps.size()) {
        result.shown_step = static_cast<std::size_t>(finding.shown_step);
        const PlacedStep& step = result.steps[result.shown_step - 1];
        if (step.site.known() && step.site.file == learner_file) {
            result.quote =
                quote_of(source, step.site.line, step.text, sites.with_sites(finding.note));
        }
    }
    return result;
}

CheckGrade graded_check(const Check& check, const CheckResult& result, const std::string& device,
                        const CallSites& sites, const std::string& learner_file,
                        const std::string& source) {
    CheckGrade grade;
    grade.check = check.name;
    grade.verdict = result.verdict;
    grade.device = device;
    grade.points = decided(grade) ? check.points : 0;
    grade.earned = grade.points * std::clamp(result.share, 0.0, 1.0);
    if (result.verdict != Verdict::pass && result.verdict != Verdict::fail) {
        grade.earned = 0;
    }
    grade.remark = sites.with_sites(result.remark);
    for (const protocol::Finding& finding : result.findings) {
        grade.findings.push_back(placed(finding, sites, learner_file, source));
    }
    return grade;
}

std::string only_in(const Variant& variant) {
    return "This happens only in " + variant.name + ".";
}

PlacedFinding finding_of(const Rejection& rejection, const std::string& source) {
    PlacedFinding finding;
    finding.diagnosis = rejection.diagnosis;
    finding.first_line = rejection.first_line;
    finding.details = rejection.details;
    finding.expected = rejection.expected;
    finding.found = rejection.found;
    if (rejection.line > 0) {
        finding.steps.push_back({"the compiler stops here", {rejection.file, rejection.line, ""}});
        finding.shown_step = 1;
        finding.quote = quote_of(source, rejection.line, "", "");
    }
    return finding;
}

LabGrade empty_grade(const Lab& lab) {
    LabGrade grade;
    grade.lab = lab.name;
    grade.title = lab.title;
    grade.file = lab.file;
    return grade;
}

LabGrade faulted(const Lab& lab, const std::string& text) {
    LabGrade grade = empty_grade(lab);
    grade.grader_fault = true;
    grade.rejection = PlacedFinding();
    grade.rejection->diagnosis = "grader-fault";
    const auto lines = lines_of(text);
    grade.rejection->first_line = lines.empty() ? "" : lines.front();
    for (std::size_t i = 1; i < lines.size() && i <= 20; ++i) {
        grade.rejection->details.push_back(lines[i]);
    }
    for (const Check& check : lab.checks) {
        CheckGrade each;
        each.check = check.name;
        each.verdict = Verdict::grader_fault;
        each.points = check.points;
        grade.checks.push_back(std::move(each));
    }
    return grade;
}

/// Results of several pieces of work, side by side or one after the other. Of several exceptions
/// the first one is thrown on.
template <class Result>
std::vector<Result> one_for_each(std::size_t count, bool side_by_side,
                                 const std::function<Result(std::size_t)>& work) {
    std::vector<std::future<Result>> pending;
    for (std::size_t i = 0; i < count; ++i) {
        const bool here = !side_by_side || i + 1 == count;
        pending.push_back(std::async(here ? std::launch::deferred : std::launch::async, work, i));
    }
    std::vector<Result> results(count);
    for (std::size_t i = count; i-- > 0;) {
        results[i] = pending[i].get();
    }
    return results;
}

/// Why the file is rejected, if a variant of it is.
std::optional<Rejection> rejection_of(const std::vector<Variant>& variants,
                                      const std::vector<Build>& builds) {
    const auto is_rejected = [](const Build& build) { return build.rejection.has_value(); };
    const auto first = std::find_if(builds.begin(), builds.end(), is_rejected);
    if (first == builds.end()) {
        return std::nullopt;
    }
    Rejection rejection = *first->rejection;
    if (!std::all_of(builds.begin(), builds.end(), is_rejected)) {
        const auto& variant = variants[static_cast<std::size_t>(first - builds.begin())];
        rejection.details.insert(rejection.details.begin(), only_in(variant));
    }
    return rejection;
}

/// Timing on a GPU must not be disturbed by a second lab on it.
std::mutex gpu_mutex;

}  // namespace

double LabGrade::earned() const {
    double sum = 0;
    for (const CheckGrade& check : checks) {
        sum += check.earned;
    }
    return sum;
}

double LabGrade::points() const {
    double sum = 0;
    for (const CheckGrade& check : checks) {
        sum += check.points;
    }
    return sum;
}

bool LabGrade::complete() const {
    return points() > 0 && std::all_of(checks.begin(), checks.end(), [](const CheckGrade& check) {
               return !check.left_open && check.earned >= check.points;
           });
}

std::optional<Quote> quote_of(const std::string& source, int line, const std::string& step,
                              const std::string& note) {
    const auto lines = lines_of(source);
    if (line < 1 || static_cast<std::size_t>(line) > lines.size()) {
        return std::nullopt;
    }
    Quote quote;
    quote.line = line;
    quote.text = printable(lines[static_cast<std::size_t>(line) - 1]);
    quote.note = note;
    quote.column = std::min(quote.text.find_first_not_of(' '), quote.text.size());
    // A step that is a call: point at its first argument in the source.
    const std::size_t name_end = step.find('(');
    if (name_end != std::string::npos && step.find(' ') > name_end) {
        const std::size_t call = quote.text.find(step.substr(0, name_end));
        const std::size_t open = call == quote.text.npos ? call : quote.text.find('(', call);
        if (open != quote.text.npos && open + 1 < quote.text.size()) {
            quote.column = open + 1;
        }
    }
    return quote;
}

CheckGrade combined(const Check& check, const std::vector<CheckGrade>& results) {
    CheckGrade worst;
    worst.check = check.name;
    worst.verdict = Verdict::not_graded_here;
    worst.remark = why_not_here(check);
    bool any = false;
    double least = 0;
    for (const CheckGrade& result : results) {
        if (!decided(result)) {
            if (!any) {
                worst = result;
            }
            continue;
        }
        least = any ? std::min(least, result.earned) : result.earned;
        if (!any || severity(result.verdict) > severity(worst.verdict)) {
            worst = result;
        }
        any = true;
    }
    worst.earned = any ? least : 0;
    worst.left_open = !any && !results.empty();
    return worst;
}

CheckGrade held_in_all(const std::vector<Variant>& variants,
                       const std::vector<CheckGrade>& results) {
    const auto badness = [](const CheckGrade& result) {
        // Undecided in one variant is undecided: the others say nothing about it.
        return decided(result) ? 2 * severity(result.verdict) : 2 * severity(Verdict::pass) + 1;
    };
    const auto worst = std::max_element(results.begin(), results.end(),
                                        [&](const CheckGrade& one, const CheckGrade& other) {
                                            return badness(one) < badness(other);
                                        });
    CheckGrade grade = *worst;
    for (const CheckGrade& result : results) {
        grade.earned = std::min(grade.earned, result.earned);
    }
    const bool some_pass =
        std::any_of(results.begin(), results.end(),
                    [](const CheckGrade& result) { return result.verdict == Verdict::pass; });
    if (some_pass && grade.verdict != Verdict::pass) {
        const Variant& variant = variants[static_cast<std::size_t>(worst - results.begin())];
        if (grade.findings.empty()) {
            grade.remark += (grade.remark.empty() ? "" : " ") + only_in(variant);
        } else {
            PlacedFinding& told = grade.findings.front();
            told.first_line = "Only in " + variant.name + ": " + told.first_line;
        }
    }
    return grade;
}

LabGrade rejected(const Lab& lab, const Rejection& rejection, const std::string& source,
                  const std::vector<DeviceKind>& devices) {
    LabGrade grade = empty_grade(lab);
    grade.rejection = finding_of(rejection, source);
    for (const Check& check : lab.checks) {
        const bool here = std::any_of(devices.begin(), devices.end(),
                                      [&](DeviceKind device) { return check.decided_by(device); });
        CheckGrade each;
        each.check = check.name;
        each.verdict = here ? Verdict::does_not_compile : Verdict::not_graded_here;
        each.points = here ? check.points : 0;
        each.remark = here ? "" : why_not_here(check);
        grade.checks.push_back(std::move(each));
    }
    return grade;
}

Grader::Grader(const Installation& installation, const Cache& cache, GradingOptions options)
    : cache_(cache),
      options_(std::move(options)),
      compiler_(installation, cache,
                std::find(options_.devices.begin(), options_.devices.end(), DeviceKind::gpu) !=
                            options_.devices.end() &&
                        present_gpu()
                    ? present_gpu()->arch
                    : "") {}

LabGrade Grader::grade(const Lab& lab, const fs::path& source, const Progress& progress) const {
    try {
        return graded(
            lab, source, progress ? progress : [](const std::string&) {});
    } catch (const std::exception& error) {
        return faulted(lab, error.what());
    }
}

LabGrade Grader::graded(const Lab& lab, const fs::path& source_path,
                        const Progress& progress) const {
    std::string source;
    try {
        source = read_file(source_path);
    } catch (const FileError& error) {
        Rejection unreadable;
        unreadable.diagnosis = "unreadable";
        unreadable.first_line = std::string("The file can't be read: ") + error.what() + ".";
        return rejected(lab, unreadable, "", options_.devices);
    }
    progress("compiling");
    const std::vector<Variant> variants = lab.variants_of(source);
    const std::vector<Build> builds = build_all(lab, variants, source_path);
    double build_seconds = 0;
    for (const Build& build : builds) {
        build_seconds = std::max(build_seconds, build.seconds);
    }
    if (auto rejection = rejection_of(variants, builds)) {
        LabGrade grade = rejected(lab, *rejection, source, options_.devices);
        grade.build_seconds = build_seconds;
        return grade;
    }

    progress("running");
    LabGrade grade = empty_grade(lab);
    grade.build_seconds = build_seconds;
    const auto begin = std::chrono::steady_clock::now();
    std::map<std::string, std::vector<CheckGrade>> by_check;
    for (const DeviceKind device : options_.devices) {
        std::vector<std::string> asked;
        for (const Check& check : lab.checks) {
            if (check.decided_by(device)) {
                asked.push_back(check.name);
            }
        }
        if (asked.empty()) {
            continue;
        }
        std::unique_lock<std::mutex> alone(gpu_mutex, std::defer_lock);
        if (device == DeviceKind::gpu) {
            alone.lock();
        }
        const auto sittings = one_for_each<Sitting>(
            builds.size(), device == DeviceKind::virtual_gpu,
            [&](std::size_t i) { return sit(lab, builds[i], asked, device, source); });
        grade.devices.push_back(sittings.front().device);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            std::vector<CheckGrade> results;
            for (const Sitting& sitting : sittings) {
                results.push_back(sitting.checks[i]);
            }
            by_check[asked[i]].push_back(held_in_all(variants, results));
        }
        for (std::size_t i = 0; i < sittings.size(); ++i) {
            if (i == 0 || sittings[i].output != sittings.front().output) {
                grade.program_output += sittings[i].output;
                grade.output_cut = grade.output_cut || sittings[i].output_cut;
            }
        }
    }
    for (const Check& check : lab.checks) {
        grade.checks.push_back(combined(check, by_check[check.name]));
        grade.grader_fault =
            grade.grader_fault || grade.checks.back().verdict == Verdict::grader_fault;
    }
    grade.run_seconds = seconds_since(begin);
    return grade;
}

std::vector<Build> Grader::build_all(const Lab& lab, const std::vector<Variant>& variants,
                                     const fs::path& source) const {
    return one_for_each<Build>(variants.size(), true, [&](std::size_t i) {
        return compiler_.build(lab, variants[i], source);
    });
}

Grader::Sitting Grader::sit(const Lab& lab, const Build& build,
                            const std::vector<std::string>& checks, DeviceKind device,
                            const std::string& source) const {
    const ScratchFolder folder = cache_.scratch();
    const RunOutcome outcome =
        run_graded_program({build.program, checks, device, options_.seed, options_.one_process,
                            folder.path(), options_.limits});
    const auto results = verdicts_of(outcome, checks);
    const CallSites sites(build.program, lab.file, return_addresses_in(results));
    Sitting sitting;
    sitting.device = outcome.device.empty() ? device_title(device) : outcome.device;
    sitting.output = outcome.output;
    sitting.output_cut = outcome.output_cut;
    for (const CheckResult& result : results) {
        sitting.checks.push_back(graded_check(*lab.find_check(result.check), result, sitting.device,
                                              sites, lab.file, source));
    }
    return sitting;
}

}  // namespace vram::proctor
