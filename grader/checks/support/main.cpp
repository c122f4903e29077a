// The main function of every graded program.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "grader/checks/support/c_library.h"
#include "grader/checks/support/examiner.h"
#include "grader/checks/support/isolation.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/worker.h"

namespace {

constexpr double most_seconds_for_a_check = 20;

vram::runtime::Session* claimed_session = nullptr;

void claim_session() {
    claimed_session = vram_claim_session();
    vram::checks::watch_c_library(*claimed_session);
}

/// Runs before the constructors of the learner's file, so that nobody else can claim the session.
__attribute__((section(".preinit_array"),
               used)) void (*const claim_before_constructors)() = claim_session;

struct Options {
    std::vector<std::string> checks;
    bool worker = false;
    bool list = false;
};

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.push_back(part);
    }
    return parts;
}

Options parse(int count, char** arguments) {
    Options options;
    for (int index = 1; index < count; ++index) {
        const std::string argument = arguments[index];
        if (argument == "--worker") {
            options.worker = true;
        } else if (argument == "--one-process") {
            vram::checks::share_one_process();
        } else if (argument == "--list") {
            options.list = true;
        } else if (argument == "--checks" && index + 1 < count) {
            options.checks = split(arguments[++index]);
        } else if (argument == "--seed" && index + 1 < count) {
            vram::checks::session().vary(std::strtoull(arguments[++index], nullptr, 10));
        }
    }
    return options;
}

void silence_googletest() {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    GTEST_FLAG_SET(catch_exceptions, true);
}

/// Without a proctor, for people who work on a check: the findings as plain lines.
int run_by_hand(const std::vector<std::string>& checks) {
    int failed = 0;
    for (const std::string& name : checks) {
        const auto result = vram::checks::run_check(name);
        std::printf("%-10s %s %s\n", vram::protocol::verdict_name(result.verdict), name.c_str(),
                    result.remark.c_str());
        for (const auto& finding : result.findings) {
            std::printf("    %s: %s\n", finding.diagnosis.c_str(), finding.first_line.c_str());
            for (const auto& step : finding.steps) {
                std::printf("      - %s\n", step.text.c_str());
            }
            std::printf("      expected %s\n      found    %s\n", finding.expected.c_str(),
                        finding.found.c_str());
        }
        failed += result.verdict == vram::protocol::Verdict::pass ? 0 : 1;
    }
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

namespace vram::checks {

runtime::Session& session() {
    return *claimed_session;
}

}  // namespace vram::checks

int main(int count, char** arguments) {
    using namespace vram::checks;
    session().leave_learner();
    testing::InitGoogleTest();
    Options options = parse(count, arguments);
    if (options.list) {
        for (const std::string& name : all_checks()) {
            std::puts(name.c_str());
        }
        return EXIT_SUCCESS;
    }
    if (options.checks.empty()) {
        options.checks = all_checks();
    }
    silence_googletest();
    const Channel channel(session().channel(), session().channel_nonce());
    if (!channel.open()) {
        return run_by_hand(options.checks);
    }
    if (options.worker) {
        work(options.checks, channel);
    }
    return Examiner(channel, most_seconds_for_a_check).examine(options.checks);
}
