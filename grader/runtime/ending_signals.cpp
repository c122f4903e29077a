#include "grader/runtime/ending_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace vram::runtime {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 3s;

// A handler may only do what is safe at any moment: it wakes the reporter through a pipe.
struct Reporter {
    std::atomic<pid_t> process{0};  ///< that has a reporter; 0: none
    std::atomic<bool> woken{false};
    int wake[2] = {-1, -1};
    int done[2] = {-1, -1};
    void (*write_report)() = nullptr;
};
Reporter reporter;

void end_by(int signal_number) {
    signal(signal_number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    kill(getpid(), signal_number);
}

void say_end(int signal_number) {
    std::fprintf(stderr, "vram: the program was ended by SIG%s (%s)\n", sigabbrev_np(signal_number),
                 strsignal(signal_number));
}

bool is_fault(int signal_number) {
    return signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGABRT ||
           signal_number == SIGFPE || signal_number == SIGILL;
}

[[noreturn]] void run_reporter() {
    char byte = 0;
    while (read(reporter.wake[0], &byte, 1) != 1) {
        pause();  // a pipe that fails is no reason to end the program
    }
    const int signal_number = byte;
    say_end(signal_number);
    // The program may hold whatever the report needs; then it ends without one.
    std::thread([signal_number] {
        std::this_thread::sleep_for(patience);
        constexpr char words[] = "vram: it is in the middle of a call, so there is no summary\n";
        [[maybe_unused]] const auto said = write(STDERR_FILENO, words, sizeof words - 1);
        end_by(signal_number);
    }).detach();
    reporter.write_report();
    [[maybe_unused]] const auto written = write(reporter.done[1], &byte, 1);
    if (!is_fault(signal_number)) {
        end_by(signal_number);
    }
    for (;;) {
        pause();  // the fault itself ends the process
    }
}

/// Wakes the reporter; false where there is none or it is at work already.
bool wake_reporter(int signal_number) {
    if (reporter.process != getpid() || reporter.woken.exchange(true)) {
        return false;
    }
    const char byte = static_cast<char>(signal_number);
    return write(reporter.wake[1], &byte, 1) == 1;
}

void await_report() {
    pollfd waiting{reporter.done[0], POLLIN, 0};
    poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(patience).count()));
}

void on_signal(int signal_number) {
    const int kept = errno;
    if (!wake_reporter(signal_number)) {
        end_by(signal_number);  // asked twice, or in a fork
    } else if (is_fault(signal_number)) {
        await_report();
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    errno = kept;
}

void handle_unless_the_program_does(int signal_number) {
    struct sigaction action = {};
    sigaction(signal_number, nullptr, &action);
    if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL) {
        return;
    }
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, nullptr);
}

}  // namespace

void report_before_signals(void (*write_report)()) {
    if (pipe2(reporter.wake, O_CLOEXEC) != 0 || pipe2(reporter.done, O_CLOEXEC) != 0) {
        return;
    }
    reporter.write_report = write_report;
    // The program's own threads are to get its signals.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(run_reporter).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    reporter.process = getpid();
    for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGFPE, SIGILL}) {
        handle_unless_the_program_does(signal_number);
    }
}

void report_before_fault(int signal_number) {
    if (wake_reporter(signal_number)) {
        await_report();
    }
}

}  // namespace vram::runtime
