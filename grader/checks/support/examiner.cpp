#include "grader/checks/support/examiner.h"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "grader/checks/support/isolation.h"
#include "grader/checks/support/last_moments.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/worker.h"

namespace vram::checks {

namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t asked_to_stop = 0;

void on_terminate(int) {
    asked_to_stop = 1;
}

void catch_terminate() {
    struct sigaction action {};
    action.sa_handler = on_terminate;
    sigaction(SIGTERM, &action, nullptr);
}

/// A worker leads a process group of its own, so that whatever the learner's code started ends with
/// it.
void become_worker_process() {
    setpgid(0, 0);
    signal(SIGTERM, SIG_DFL);
}

int wait_for(int process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

bool is_running(int process) {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
}

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ",") + name;
    }
    return text;
}

/// Starts this program again as a worker for several checks: the context of a GPU does not survive a
/// fork.
[[noreturn]] void become_worker_for_several(const std::vector<std::string>& checks,
                                            const Channel& channel, const Channel& nonce_source) {
    if (write(nonce_source.descriptor(), channel.nonce().data(), channel.nonce().size()) < 0) {
        _exit(EXIT_FAILURE);
    }
    fcntl(channel.descriptor(), F_SETFD, 0);
    setenv("VRAM_CHANNEL", std::to_string(channel.descriptor()).c_str(), 1);
    const std::string list = join(checks);
    execl("/proc/self/exe", "graded", "--worker", "--one-process", "--checks", list.c_str(),
          nullptr);
    _exit(EXIT_FAILURE);
}

}  // namespace

int Examiner::examine(const std::vector<std::string>& checks) {
    catch_terminate();
    protocol::Record hello;
    hello.kind = protocol::RecordKind::hello;
    hello.device = session().device_name();
    hello.checks = all_checks();
    proctor_.send(hello);
    if (forks_keep_apart()) {
        examine_in_forks(checks);
    } else {
        examine_in_one_process(checks);
    }
    protocol::Record end;
    end.kind = protocol::RecordKind::end;
    end.results_sent = static_cast<int>(sent_.size());
    proctor_.send(end);
    return EXIT_SUCCESS;
}

void Examiner::examine_in_forks(const std::vector<std::string>& checks) {
    cudaFree(nullptr);  // creates the context once, before the forks
    for (const std::string& check : checks) {
        session().reset_ledger();
        ChannelPair pair = make_channel_pair();
        const int process = fork();
        if (process == 0) {
            become_worker_process();
            pair.examiner.close();
            proctor_.close();
            work({check}, pair.worker);
        }
        pair.worker.close();
        const Ending ending = follow(process, pair.examiner, {check});
        if (!has_result(check)) {
            send_unfinished(check, ending);
        }
    }
}

void Examiner::examine_in_one_process(std::vector<std::string> checks) {
    while (!checks.empty()) {
        session().reset_ledger();
        ChannelPair pair = make_channel_pair();
        const int process = fork();
        if (process == 0) {
            become_worker_process();
            proctor_.close();
            become_worker_for_several(checks, pair.worker, pair.examiner);
        }
        pair.worker.close();
        const Ending ending = follow(process, pair.examiner, checks);
        checks.erase(std::remove_if(checks.begin(), checks.end(),
                                    [&](const std::string& check) { return has_result(check); }),
                     checks.end());
        if (!checks.empty() && !ending.said_end) {
            send_unfinished(checks.front(), ending);
            checks.erase(checks.begin());
        }
    }
}

Examiner::Ending Examiner::follow(int process, Channel& channel,
                                  const std::vector<std::string>& expected) {
    protocol::FrameReader reader(channel.nonce());
    Ending ending;
    auto started = Clock::now();
    bool open = true;
    bool finished = false;
    while (open && !finished) {
        const double spent = std::chrono::duration<double>(Clock::now() - started).count();
        if (spent > most_seconds_ || asked_to_stop != 0) {
            ending.hung = true;
            asked_to_stop = 0;
            break;
        }
        pollfd waiting{channel.descriptor(), POLLIN, 0};
        if (poll(&waiting, 1, 100) <= 0) {
            // What the learner's code started may hold the channel open after the worker's end.
            open = is_running(process);
            continue;
        }
        char bytes[4096];
        const ssize_t count = read(channel.descriptor(), bytes, sizeof bytes);
        open = count > 0 || (count < 0 && errno == EINTR);
        if (count > 0) {
            reader.feed(std::string_view(bytes, static_cast<std::size_t>(count)));
        }
        while (auto record = reader.next()) {
            if (record->kind == protocol::RecordKind::end) {
                finished = true;
                ending.said_end = record->results_sent > 0;
            } else if (record->kind == protocol::RecordKind::result &&
                       !has_result(record->result.check) &&
                       std::count(expected.begin(), expected.end(), record->result.check) == 1) {
                send_result(record->result);
                started = Clock::now();  // of the next check
            }
        }
    }
    if (ending.hung) {
        kill(-process, SIGKILL);
        kill(process, SIGKILL);
    }
    ending.wait_status = wait_for(process);
    kill(-process, SIGKILL);
    channel.close();
    return ending;
}

void Examiner::send_result(const protocol::CheckResult& result) {
    sent_[result.check] = true;
    protocol::Record record;
    record.kind = protocol::RecordKind::result;
    record.result = result;
    proctor_.send(record);
}

void Examiner::send_unfinished(const std::string& check, const Ending& ending) {
    protocol::CheckResult result;
    result.check = check;
    result.verdict = ending.hung ? protocol::Verdict::hung : protocol::Verdict::crashed;
    result.findings.push_back(ending.hung ? story_of_hang(most_seconds_).finding()
                                          : story_of_crash(ending.wait_status).finding());
    send_result(result);
}

}  // namespace vram::checks
