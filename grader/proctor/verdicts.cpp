#include "grader/proctor/verdicts.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>

#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

using protocol::CheckResult;
using protocol::Finding;
using protocol::Verdict;

constexpr int could_not_start = 127;       ///< of the dynamic linker and of a failed exec
constexpr int session_claimed_twice = 86;  ///< see grader/runtime/session.h

Finding finding(std::string diagnosis, std::string first_line, std::string expected = {},
                std::string found = {}) {
    Finding result;
    result.diagnosis = std::move(diagnosis);
    result.first_line = std::move(first_line);
    result.expected = std::move(expected);
    result.found = std::move(found);
    return result;
}

CheckResult failed(const std::string& check, Verdict verdict, Finding cause) {
    CheckResult result;
    result.check = check;
    result.verdict = verdict;
    result.findings.push_back(std::move(cause));
    return result;
}

/// With the verdict that the diagnosis stands for.
CheckResult failed(const std::string& check, Finding cause) {
    const Verdict verdict = cause.diagnosis == "hung"      ? Verdict::hung
                            : cause.diagnosis == "crashed" ? Verdict::crashed
                                                           : Verdict::fail;
    return failed(check, verdict, std::move(cause));
}

Finding limit_finding(LimitHit limit) {
    switch (limit) {
        case LimitHit::memory:
            return finding("memory-limit",
                           "The program used more of the machine's memory than a check may.");
        case LimitHit::processes:
            return finding("process-limit", "The program started more processes than a check may.");
        case LimitHit::files:
            return finding("file-limit", "The program wrote more to files than a check may.");
        case LimitHit::wall_clock:
        case LimitHit::none:
            break;
    }
    return finding("hung", "The check did not come to an end in its time.",
                   "every function that was called returns");
}

/// Why the run as a whole can't be trusted to have passed anything; empty diagnosis: it can.
Finding fault_of_the_run(const RunOutcome& outcome) {
    if (!outcome.tampering.empty()) {
        return finding("tampering",
                       "Something other than the grader wrote to the grader's private channel.",
                       "only the grader's own records", outcome.tampering);
    }
    if (outcome.killed_for != LimitHit::none) {
        return limit_finding(outcome.killed_for);
    }
    const bool clean_exit = WIFEXITED(outcome.wait_status) && WEXITSTATUS(outcome.wait_status) == 0;
    if (WIFEXITED(outcome.wait_status) &&
        WEXITSTATUS(outcome.wait_status) == session_claimed_twice) {
        return finding("tampering",
                       "Something other than the grader asked for the grader's session.",
                       "only the grader claims it", "a second claim ended the program");
    }
    if (outcome.ended && clean_exit) {
        return {};
    }
    const bool crash = WIFSIGNALED(outcome.wait_status);
    const std::string where =
        outcome.said_hello
            ? "before the grading was over"
            : "before the first check, so in a constructor of a static object or the like";
    return finding(crash ? "crashed" : "ended-early",
                   std::string("The program ") + (crash ? "crashed " : "ended ") + where + ".",
                   "the program runs until all checks are done", ending_text(outcome.wait_status));
}

bool loader_failed(const RunOutcome& outcome) {
    return !outcome.started || (!outcome.said_hello && WIFEXITED(outcome.wait_status) &&
                                WEXITSTATUS(outcome.wait_status) == could_not_start);
}

CheckResult grader_fault(const std::string& check, const std::string& text) {
    return failed(check, Verdict::grader_fault, finding("grader-fault", text));
}

/// The program's own word on a check, with what the proctor knows better.
CheckResult reported(const RunOutcome& outcome, CheckResult result, const Finding& run_fault) {
    const auto limited = outcome.limited.find(result.check);
    if (limited != outcome.limited.end()) {
        Finding cause = limit_finding(limited->second);
        if (!result.findings.empty()) {
            cause.steps = result.findings.front().steps;
            cause.shown_step = result.findings.front().shown_step;
            cause.note = result.findings.front().note;
        }
        if (result.verdict != Verdict::hung || limited->second != LimitHit::wall_clock ||
            result.findings.empty()) {
            return failed(result.check, std::move(cause));
        }
        return result;
    }
    const bool claims_points = result.verdict == Verdict::pass ||
                               result.verdict == Verdict::not_graded_here ||
                               result.verdict == Verdict::inconclusive || result.share > 0;
    if (claims_points && !run_fault.diagnosis.empty()) {
        return failed(result.check, run_fault);
    }
    if (result.verdict == Verdict::pass && result.share == 0) {
        result.share = 1;
    }
    return result;
}

CheckResult unreported(const RunOutcome& outcome, const std::string& check,
                       const Finding& run_fault) {
    const auto limited = outcome.limited.find(check);
    if (limited != outcome.limited.end()) {
        Finding cause = limit_finding(limited->second);
        return failed(check, std::move(cause));
    }
    if (run_fault.diagnosis.empty()) {
        return grader_fault(check,
                            "The program ended as if all were well and left this check out.");
    }
    if (outcome.running == check || !outcome.said_hello || run_fault.diagnosis == "tampering") {
        return failed(check, run_fault);
    }
    CheckResult result = failed(check, Verdict::fail, run_fault);
    result.remark = "This check could not run because of that.";
    return result;
}

}  // namespace

std::string ending_text(int wait_status) {
    if (WIFEXITED(wait_status)) {
        return "exit status " + std::to_string(WEXITSTATUS(wait_status));
    }
    if (WIFSIGNALED(wait_status)) {
        const int signal = WTERMSIG(wait_status);
        return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    }
    return "an unknown end";
}

std::vector<CheckResult> verdicts_of(const RunOutcome& outcome,
                                     const std::vector<std::string>& asked) {
    std::vector<CheckResult> results;
    const Finding run_fault = fault_of_the_run(outcome);
    for (const std::string& check : asked) {
        const auto result = outcome.results.find(check);
        if (loader_failed(outcome)) {
            results.push_back(grader_fault(
                check,
                "The graded program could not be started: " +
                    std::string(trimmed(outcome.output.empty() ? ending_text(outcome.wait_status)
                                                               : outcome.output))));
        } else if (outcome.said_hello &&
                   std::find(outcome.held_checks.begin(), outcome.held_checks.end(), check) ==
                       outcome.held_checks.end()) {
            results.push_back(grader_fault(check, "The lab's program holds no such check."));
        } else if (result != outcome.results.end()) {
            results.push_back(reported(outcome, result->second, run_fault));
        } else {
            results.push_back(unreported(outcome, check, run_fault));
        }
    }
    return results;
}

}  // namespace vram::proctor
