#include "grader/proctor/graded_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "grader/proctor/files.h"
#include "grader/proctor/offspring.h"
#include "grader/proctor/text.h"
#include "grader/settings/values.h"

namespace vram::proctor {

namespace {

using Clock = std::chrono::steady_clock;
using protocol::Record;
using protocol::RecordKind;

constexpr auto watch_interval = std::chrono::milliseconds(25);
constexpr int first_free_descriptor = 3;

Clock::time_point after(double seconds) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// A descriptor that is closed at the end.
class Owned {
  public:
    explicit Owned(int number = -1) : number_(number) {}
    ~Owned() { reset(); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    int get() const { return number_; }
    void reset(int number = -1) {
        if (number_ >= 0) {
            close(number_);
        }
        number_ = number;
    }

  private:
    int number_;
};

protocol::Nonce fresh_nonce() {
    protocol::Nonce nonce;
    std::size_t filled = 0;
    while (filled < nonce.size()) {
        const ssize_t count = getrandom(nonce.data() + filled, nonce.size() - filled, 0);
        if (count > 0) {
            filled += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            std::abort();
        }
    }
    return nonce;
}

/// Variables that a graded program may see. The rest of the environment could change what the
/// dynamic linker or the runtime does.
std::vector<std::string> environment_for(DeviceKind device) {
    std::vector<std::string> result = {
        "VRAM_CHANNEL=" + std::to_string(first_free_descriptor),
        std::string("VRAM_DEVICE=") + device_word(device),
        "LC_ALL=C.UTF-8",
    };
    for (const char* name : {"PATH", "HOME", "TMPDIR", "CUDA_VISIBLE_DEVICES", "VRAM_MEMORY",
                             "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"}) {
        if (const char* value = std::getenv(name)) {
            result.push_back(std::string(name) + "=" + value);
        }
    }
    // Some containers find the driver's own library only through this. The program's RPATH wins
    // over it where libcudart is concerned.
    const char* library_path = std::getenv("LD_LIBRARY_PATH");
    if (device == DeviceKind::gpu && library_path != nullptr) {
        result.push_back(std::string("LD_LIBRARY_PATH=") + library_path);
    }
    return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& text : strings) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

void limit(int resource, rlim_t value) {
    rlimit limits{};
    getrlimit(static_cast<__rlimit_resource>(resource), &limits);
    limits.rlim_cur = std::min(value, limits.rlim_max);
    limits.rlim_max = limits.rlim_cur;
    setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

/// Everything that the child needs after the fork, made before it.
struct Launch {
    std::string program;
    std::string folder;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::vector<char*> argument_pointers;
    std::vector<char*> environment_pointers;
    rlim_t cpu_seconds = 0;
    int channel = -1;
    int output = -1;

    [[noreturn]] void become() const {
        setpgid(0, 0);
        const int nothing = open("/dev/null", O_RDONLY);
        // Out of the way of the numbers that are given out next.
        const int channel_copy = fcntl(channel, F_DUPFD, 64);
        const int output_copy = fcntl(output, F_DUPFD, 64);
        dup2(nothing, STDIN_FILENO);
        dup2(output_copy, STDOUT_FILENO);
        dup2(output_copy, STDERR_FILENO);
        dup2(channel_copy, first_free_descriptor);
        syscall(SYS_close_range, first_free_descriptor + 1, ~0u, 0);
        limit(RLIMIT_CPU, cpu_seconds);
        limit(RLIMIT_CORE, 0);
        limit(RLIMIT_NOFILE, 512);
        for (const int signal : {SIGINT, SIGPIPE, SIGTERM, SIGHUP}) {
            ::signal(signal, SIG_DFL);
        }
        if (chdir(folder.c_str()) == 0) {
            execve(program.c_str(), argument_pointers.data(), environment_pointers.data());
        }
        _exit(127);
    }
};

/// One run, from start to end.
class Run {
  public:
    explicit Run(const RunRequest& request)
        : request_(request), nonce_(fresh_nonce()), reader_(nonce_) {}

    RunOutcome go() {
        if (!open_channels()) {
            return outcome_;
        }
        const Launch launch = prepare();
        const Offspring child = Offspring::start([&] { launch.become(); });
        if (!child.running()) {
            outcome_.output = std::string("cannot start a process: ") + std::strerror(errno);
            return outcome_;
        }
        outcome_.started = true;
        their_channel_.reset();
        their_output_.reset();
        deadline_ = after(request_.limits.start_seconds);
        watch(child);
        child.kill_group(SIGKILL);
        outcome_.wait_status = child.wait();
        end_orphans();
        read_channel();
        read_output();
        outcome_.running = running();
        if (outcome_.ended && reader_.in_frame()) {
            outcome_.tampering = "there are bytes behind the end record";
        }
        return std::move(outcome_);
    }

  private:
    bool open_channels() {
        int channel[2];
        int output[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) {
            outcome_.output = std::string("cannot make a channel: ") + std::strerror(errno);
            return false;
        }
        our_channel_.reset(channel[0]);
        their_channel_.reset(channel[1]);
        if (pipe2(output, O_CLOEXEC) != 0) {
            outcome_.output = std::string("cannot make a pipe: ") + std::strerror(errno);
            return false;
        }
        our_output_.reset(output[0]);
        their_output_.reset(output[1]);
        fcntl(our_channel_.get(), F_SETFL, O_NONBLOCK);
        fcntl(our_output_.get(), F_SETFL, O_NONBLOCK);
        return write(our_channel_.get(), nonce_.data(), nonce_.size()) ==
               static_cast<ssize_t>(nonce_.size());
    }

    Launch prepare() const {
        Launch launch;
        launch.program = request_.program;
        launch.folder = request_.folder;
        launch.arguments = {launch.program, "--checks", joined(request_.checks, ","), "--seed",
                            std::to_string(request_.seed)};
        if (request_.one_process) {
            launch.arguments.push_back("--one-process");
        }
        launch.environment = environment_for(request_.device);
        launch.argument_pointers = pointers_to(launch.arguments);
        launch.environment_pointers = pointers_to(launch.environment);
        // A backstop behind the wall clock. Threads add up, hence the factor.
        launch.cpu_seconds = static_cast<rlim_t>(request_.limits.start_seconds +
                                                 4 * request_.limits.check_seconds *
                                                     static_cast<double>(request_.checks.size()));
        launch.channel = their_channel_.get();
        launch.output = their_output_.get();
        return launch;
    }

    void watch(const Offspring& child) {
        const Owned ending(static_cast<int>(syscall(SYS_pidfd_open, child.process(), 0)));
        auto next_look = Clock::now() + watch_interval;
        while (!child.ended()) {
            const auto now = Clock::now();
            if (now >= next_look) {
                if (!within_limits(child)) {
                    return;
                }
                next_look = now + watch_interval;
            }
            if (now >= deadline_ && !go_on_after_deadline(child)) {
                return;
            }
            wait_until(std::min(next_look, deadline_), ending.get());
            read_channel();
            read_output();
            if (!outcome_.tampering.empty()) {
                return;
            }
        }
    }

    void wait_until(Clock::time_point moment, int ending) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(moment - Clock::now());
        std::array<pollfd, 3> waiting = {{{channel_open_ ? our_channel_.get() : -1, POLLIN, 0},
                                          {output_open_ ? our_output_.get() : -1, POLLIN, 0},
                                          {ending, POLLIN, 0}}};
        poll(waiting.data(), waiting.size(), static_cast<int>(std::max<long>(left.count(), 0)) + 1);
    }

    /// The running check's time is over: first the examiner is asked to end it and to tell the
    /// story; without an answer the whole program is ended.
    bool go_on_after_deadline(const Offspring& child) {
        const std::string check = running();
        if (asked_ || check.empty()) {
            outcome_.killed_for = LimitHit::wall_clock;
            return false;
        }
        asked_ = true;
        outcome_.limited[check] = LimitHit::wall_clock;
        kill(child.process(), SIGTERM);
        deadline_ = after(request_.limits.answer_seconds);
        return true;
    }

    bool within_limits(const Offspring& child) {
        const FamilyUse use = family_use(child.process());
        if (use.processes > request_.limits.processes) {
            outcome_.killed_for = LimitHit::processes;
            return false;
        }
        if (use.resident_bytes > request_.limits.resident_bytes) {
            const bool worker_has_it = use.largest_bytes > use.resident_bytes / 2;
            if (!worker_has_it || running().empty()) {
                outcome_.killed_for = LimitHit::memory;
                return false;
            }
            // Only the worker goes; the examiner lives on and grades the other checks.
            outcome_.limited[running()] = LimitHit::memory;
            kill(use.largest, SIGKILL);
        }
        if (bytes_in(request_.folder) > request_.limits.folder_bytes) {
            outcome_.killed_for = LimitHit::files;
            return false;
        }
        return true;
    }

    void read_channel() {
        char buffer[1 << 16];
        while (channel_open_) {
            const ssize_t count = recv(our_channel_.get(), buffer, sizeof buffer, 0);
            if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
                break;
            }
            if (count <= 0) {
                channel_open_ = false;
                break;
            }
            reader_.feed({buffer, static_cast<std::size_t>(count)});
            while (auto record = reader_.next()) {
                take(*record);
            }
        }
        if (reader_.tampered() && outcome_.tampering.empty()) {
            outcome_.tampering = "bytes that are no record came through the channel";
        }
    }

    void read_output() {
        char buffer[1 << 16];
        while (output_open_) {
            const ssize_t count = read(our_output_.get(), buffer, sizeof buffer);
            if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
                return;
            }
            if (count <= 0) {
                output_open_ = false;
                return;
            }
            const std::size_t room = request_.limits.output_bytes - outcome_.output.size();
            const std::size_t taken = std::min(room, static_cast<std::size_t>(count));
            outcome_.output.append(buffer, taken);
            outcome_.output_cut = outcome_.output_cut || taken < static_cast<std::size_t>(count);
            if (outcome_.output_cut) {
                // An endless writer must not keep us here; the loop comes back.
                return;
            }
        }
    }

    /// The check that runs now: the one that was begun, else the first without a result.
    /// Checks run in the order in which they were asked for, and each has its result before the next.
    std::string running() const {
        if (!outcome_.said_hello) {
            return "";
        }
        const auto next = std::find_if(
            request_.checks.begin(), request_.checks.end(),
            [&](const std::string& check) { return !outcome_.results.contains(check); });
        return next == request_.checks.end() ? "" : *next;
    }

    bool asked_for(const std::string& check) const {
        return std::find(request_.checks.begin(), request_.checks.end(), check) !=
               request_.checks.end();
    }

    void take(const Record& record) {
        if (outcome_.ended) {
            outcome_.tampering = "there are records behind the end record";
            return;
        }
        switch (record.kind) {
            case RecordKind::hello:
                if (outcome_.said_hello) {
                    outcome_.tampering = "there are two hello records";
                }
                outcome_.said_hello = true;
                outcome_.device = record.device;
                outcome_.held_checks = record.checks;
                deadline_ = after(request_.limits.check_seconds);
                break;
            case RecordKind::result:
                take_result(record.result);
                break;
            case RecordKind::end:
                outcome_.ended = record.results_sent == static_cast<int>(outcome_.results.size());
                if (!outcome_.ended) {
                    outcome_.tampering = "the end record counts other results than came";
                }
                deadline_ = after(request_.limits.ending_seconds);
                break;
        }
    }

    void take_result(const protocol::CheckResult& result) {
        if (!asked_for(result.check)) {
            outcome_.tampering = "there is a result for a check that was not asked for";
            return;
        }
        if (!outcome_.results.emplace(result.check, result).second) {
            outcome_.tampering = "there are two results for " + result.check;
            return;
        }
        asked_ = false;
        deadline_ = after(request_.limits.check_seconds);
    }

    const RunRequest& request_;
    protocol::Nonce nonce_;
    protocol::FrameReader reader_;
    RunOutcome outcome_;
    Owned our_channel_;
    Owned their_channel_;
    Owned our_output_;
    Owned their_output_;
    bool channel_open_ = true;
    bool output_open_ = true;
    bool asked_ = false;  ///< SIGTERM was sent for the running check
    Clock::time_point deadline_;
};

}  // namespace

Limits limits_from_environment() {
    Limits limits;
    if (const char* text = std::getenv("VRAM_CHECK_SECONDS")) {
        limits.check_seconds = settings::seconds_from(text).value_or(limits.check_seconds);
    }
    return limits;
}

RunOutcome run_graded_program(const RunRequest& request) {
    return Run(request).go();
}

}  // namespace vram::proctor
