// Runs the probes, each in a process that can die without harm, and writes what they saw.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/tests/conformance/probe.h"

extern char** environ;

namespace vram::conformance {
namespace {

constexpr const char* usage =
    R"(usage: conformance [option]

Runs all probes of the CUDA runtime and prints a line for each fact they saw. With NVIDIA's library
preloaded, the facts are those of the GPU itself.

  --record FILE   write the facts, with a header that says where they were seen, to FILE
  --list          print the names of the probes
  --only NAME     run one probe in this process
)";

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(60);
constexpr const char* begin_mark = "begin ";
constexpr const char* end_mark = "end ";

void run_in_this_process(const Probe& probe) {
    std::printf("%s%s\n", begin_mark, probe.name.c_str());
    std::fflush(stdout);
    cudaGetLastError();
    Facts facts([&](const std::string& line) {
        std::printf("%s / %s\n", probe.name.c_str(), line.c_str());
        std::fflush(stdout);
    });
    probe.run(facts);
    std::printf("%s%s\n", end_mark, probe.name.c_str());
    std::fflush(stdout);
}

/// Where the facts are seen; printed by a child, so that the parent stays without a device.
void describe_device() {
    cudaDeviceProp properties{};
    int driver = 0;
    int runtime = 0;
    cudaGetDeviceProperties(&properties, 0);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::printf("# device: %s\n# CUDA driver API: %d\n# CUDA runtime: %d\n", properties.name,
                driver, runtime);
}

/// A child that runs this program again, and what it says on standard output.
class Child {
  public:
    explicit Child(std::vector<std::string> arguments) {
        int ends[2];
        if (pipe(ends) != 0) {
            throw std::runtime_error("no pipe");
        }
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        posix_spawn_file_actions_addclose(&actions, ends[1]);
        std::vector<char*> words;
        std::string program = "/proc/self/exe";
        words.push_back(program.data());
        for (std::string& argument : arguments) {
            words.push_back(argument.data());
        }
        words.push_back(nullptr);
        const int error =
            posix_spawn(&process_, program.c_str(), &actions, nullptr, words.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        output_ = ends[0];
        if (error != 0) {
            throw std::runtime_error("cannot start a child");
        }
    }
    ~Child() { close(output_); }
    Child(const Child&) = delete;

    /// The next line; false at the end of the output, or when no line comes in time.
    bool read_line(std::string& line) {
        const auto until = Clock::now() + patience;
        for (;;) {
            if (const auto newline = pending_.find('\n'); newline != std::string::npos) {
                line = pending_.substr(0, newline);
                pending_.erase(0, newline + 1);
                return true;
            }
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
            pollfd waiting{output_, POLLIN, 0};
            if (poll(&waiting, 1, std::max<int>(0, static_cast<int>(left.count()))) <= 0) {
                too_slow_ = true;
                kill(process_, SIGKILL);
                return false;
            }
            char buffer[4096];
            const ssize_t got = read(output_, buffer, sizeof buffer);
            if (got <= 0) {
                return false;
            }
            pending_.append(buffer, static_cast<std::size_t>(got));
        }
    }

    /// How the child ended.
    std::string wait() {
        int status = 0;
        waitpid(process_, &status, 0);
        if (too_slow_) {
            return "does not return";
        }
        if (WIFSIGNALED(status)) {
            return std::string("the process dies of ") + sigabbrev_np(WTERMSIG(status));
        }
        return WEXITSTATUS(status) == 0
                   ? ""
                   : "the process exits with " + std::to_string(WEXITSTATUS(status));
    }

  private:
    pid_t process_ = 0;
    int output_ = -1;
    std::string pending_;
    bool too_slow_ = false;
};

class Run {
  public:
    explicit Run(std::FILE* out) : out_(out) {}

    void all() {
        const std::vector<Probe>& probes = all_probes();
        for (std::size_t index = 0; index < probes.size(); ++index) {
            if (probes[index].company == Company::alone) {
                child({"--only", probes[index].name});
            }
        }
        std::size_t next = 0;
        while (next < probes.size()) {
            const std::string last = child({"--from", std::to_string(next)});
            next = index_behind(last, next);
        }
    }

    /// True when no fact was seen under a name that another fact has.
    bool names_are_unique() const { return repeated_.empty(); }
    const std::string& repeated() const { return repeated_; }

  private:
    /// Runs a child and takes its facts; the name of the probe that it did not end, or "".
    std::string child(std::vector<std::string> arguments) {
        Child process(std::move(arguments));
        std::string line;
        std::string open;
        while (process.read_line(line)) {
            if (line.starts_with(begin_mark)) {
                open = line.substr(std::strlen(begin_mark));
            } else if (line.starts_with(end_mark)) {
                open.clear();
            } else {
                take(line);
            }
        }
        const std::string end = process.wait();
        if (!end.empty()) {
            take((open.empty() ? "all" : open) + " / end: " + end);
        }
        return open;
    }

    void take(const std::string& line) {
        if (!names_.insert(line.substr(0, line.find(':'))).second) {
            repeated_ = line;
        }
        std::fprintf(out_, "%s\n", line.c_str());
        std::fflush(out_);
    }

    static std::size_t index_behind(const std::string& name, std::size_t from) {
        const std::vector<Probe>& probes = all_probes();
        for (std::size_t index = from; index < probes.size() && !name.empty(); ++index) {
            if (probes[index].name == name) {
                return index + 1;
            }
        }
        return probes.size();
    }

    std::FILE* out_;
    std::set<std::string> names_;
    std::string repeated_;
};

/// "580.159.04", or "" without a driver.
std::string driver_version() {
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;) {
        if (std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
            word.find('.') != std::string::npos) {
            return word;
        }
    }
    return "";
}

void write_header(std::FILE* out) {
    Child process({"--describe"});
    std::string line;
    std::fprintf(out, "# What the probes of grader/tests/conformance saw.\n");
    while (process.read_line(line)) {
        std::fprintf(out, "%s\n", line.c_str());
    }
    process.wait();
    const std::string driver = driver_version();
    if (!driver.empty()) {
        std::fprintf(out, "# driver: %s\n", driver.c_str());
    }
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::fprintf(out, "# date: %s\n", date);
}

int run_all(std::FILE* out) {
    Run run(out);
    run.all();
    if (!run.names_are_unique()) {
        std::fprintf(stderr, "two facts have one name: %s\n", run.repeated().c_str());
        return 1;
    }
    return 0;
}

int record(const std::string& file) {
    std::FILE* out = std::fopen(file.c_str(), "w");
    if (out == nullptr) {
        std::fprintf(stderr, "%s cannot be written\n", file.c_str());
        return 2;
    }
    write_header(out);
    const int status = run_all(out);
    return std::fclose(out) == 0 ? status : 2;
}

int run_from(std::size_t first) {
    const std::vector<Probe>& probes = all_probes();
    for (std::size_t index = first; index < probes.size(); ++index) {
        if (probes[index].company == Company::together) {
            run_in_this_process(probes[index]);
        }
    }
    return 0;
}

int run_one(const std::string& name) {
    for (const Probe& probe : all_probes()) {
        if (probe.name == name) {
            run_in_this_process(probe);
            return 0;
        }
    }
    std::fprintf(stderr, "there is no probe %s\n", name.c_str());
    return 2;
}

int main_with(const std::vector<std::string>& words) {
    if (words.empty()) {
        return run_all(stdout);
    }
    if (words[0] == "--list") {
        for (const Probe& probe : all_probes()) {
            std::printf("%s\n", probe.name.c_str());
        }
        return 0;
    }
    if (words[0] == "--describe") {
        describe_device();
        return 0;
    }
    if (words.size() == 2 && words[0] == "--record") {
        return record(words[1]);
    }
    if (words.size() == 2 && words[0] == "--from") {
        return run_from(std::stoul(words[1]));
    }
    if (words.size() == 2 && words[0] == "--only") {
        return run_one(words[1]);
    }
    std::fputs(usage, words[0] == "--help" ? stdout : stderr);
    return words[0] == "--help" ? 0 : 2;
}

}  // namespace
}  // namespace vram::conformance

int main(int count, char** words) {
    return vram::conformance::main_with({words + 1, words + count});
}
