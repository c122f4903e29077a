#include "grader/checks/support/last_moments.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "grader/checks/support/announcement.h"
#include "grader/checks/support/learner.h"

namespace vram::checks {

namespace {

constexpr int calls_told = 6;

std::string signal_sentence(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "The program ended with a segmentation fault (SIGSEGV).";
        case SIGABRT:
            return "The program aborted (SIGABRT).";
        case SIGFPE:
            return "The program ended with an arithmetic error (SIGFPE).";
        case SIGBUS:
            return "The program ended with a bus error (SIGBUS).";
        case SIGKILL:
            return "The program was ended because it used too much of something (SIGKILL).";
        default:
            return std::string("The program ended by signal ") + strsignal(signal) + ".";
    }
}

void add_last_calls(Story& story) {
    const auto calls = session().last_calls(calls_told);
    for (const auto& call : calls) {
        story.step(call);
    }
    if (calls.empty()) {
        story.step("(it had made no runtime call yet)");
    } else {
        story.show(calls.back().finished ? "the last runtime call before the end"
                                         : "inside this runtime call");
    }
    const std::string pending = take_announcement();
    if (!pending.empty()) {
        story.step(pending + " was called then, and did not return");
    }
}

/// The program died inside a call that was diagnosed before it started, such as a copy from past
/// the end of a host buffer.
bool died_of(const runtime::Misuse& misuse) {
    const auto calls = session().last_calls(1);
    return !calls.empty() && !calls.back().finished && calls.back().number == misuse.call;
}

/// The program went on without what it had asked the C library for.
bool is_kept_back(const runtime::Misuse& misuse) {
    return misuse.kind == runtime::MisuseKind::free_by_c_library;
}

}  // namespace

Story story_of_crash(int wait_status) {
    for (const runtime::Misuse& misuse : session().last_misuses()) {
        if (runtime::diagnosis_id(misuse) == std::string("host-touches-device")) {
            return story_of(misuse).expected("host code reads and writes host memory only");
        }
        if (WIFSIGNALED(wait_status) && (died_of(misuse) || is_kept_back(misuse))) {
            return story_of(misuse).found(signal_sentence(WTERMSIG(wait_status)));
        }
    }
    if (WIFSIGNALED(wait_status)) {
        Story story("crashed", signal_sentence(WTERMSIG(wait_status)));
        add_last_calls(story);
        return story.expected("the check runs to its end");
    }
    Story story("ended-early", "The program ended itself (exit status " +
                                   std::to_string(WEXITSTATUS(wait_status)) +
                                   ") before the check was over.");
    add_last_calls(story);
    return story.expected("a function of a lab returns; it does not end the process");
}

Story story_of_hang(double seconds) {
    Story story("hung", "The check did not come to its end within " +
                            std::to_string(static_cast<int>(seconds)) + " seconds.");
    add_last_calls(story);
    return story.expected("the check runs to its end");
}

}  // namespace vram::checks
