#include "grader/proctor/offspring.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace vram::proctor {

namespace {

/// Guards `known`: a child must not be taken for an orphan between its fork and its entry here.
std::mutex known_mutex;
std::set<pid_t>& known() {
    static std::set<pid_t> processes;
    return processes;
}

std::string read_proc(const std::string& path) {
    std::string text;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return text;
    }
    char buffer[4096];
    ssize_t count = 0;
    while ((count = read(file, buffer, sizeof buffer)) > 0) {
        text.append(buffer, static_cast<std::size_t>(count));
    }
    close(file);
    return text;
}

/// Children of every thread of the process.
std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> children;
    const std::string tasks = "/proc/" + std::to_string(process) + "/task";
    DIR* folder = opendir(tasks.c_str());
    if (folder == nullptr) {
        return children;
    }
    while (const dirent* entry = readdir(folder)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        const std::string list = read_proc(tasks + "/" + entry->d_name + "/children");
        const char* next = list.c_str();
        char* end = nullptr;
        for (long child = std::strtol(next, &end, 10); end != next;
             child = std::strtol(next, &end, 10)) {
            children.push_back(static_cast<pid_t>(child));
            next = end;
        }
    }
    closedir(folder);
    return children;
}

/// Resident bytes that the process does not share with files.
std::size_t resident_bytes(pid_t process) {
    const std::string text = read_proc("/proc/" + std::to_string(process) + "/statm");
    unsigned long size = 0;
    unsigned long resident = 0;
    unsigned long shared = 0;
    if (std::sscanf(text.c_str(), "%lu %lu %lu", &size, &resident, &shared) != 3) {
        return 0;
    }
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (resident - std::min(shared, resident)) * page;
}

}  // namespace

Offspring Offspring::start(const std::function<void()>& become) {
    const std::lock_guard lock(known_mutex);
    const pid_t process = fork();
    if (process == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        become();
        _exit(127);
    }
    if (process > 0) {
        // Both sides do this, so that the group exists whoever runs first.
        setpgid(process, process);
        known().insert(process);
    }
    return Offspring(process);
}

Offspring::Offspring(Offspring&& other) noexcept
    : process_(other.process_), status_(other.status_) {
    other.process_ = -1;
}

Offspring::~Offspring() {
    if (running()) {
        kill_group(SIGKILL);
        wait();
        const std::lock_guard lock(known_mutex);
        known().erase(process_);
    }
}

void Offspring::kill_group(int signal) const {
    kill(-process_, signal);
}

std::optional<int> Offspring::ended() const {
    int status = 0;
    if (!status_ && waitpid(process_, &status, WNOHANG) == process_) {
        status_ = status;
    }
    return status_;
}

int Offspring::wait() const {
    int status = 0;
    while (!status_) {
        const pid_t ended = waitpid(process_, &status, 0);
        if (ended == process_ || (ended < 0 && errno != EINTR)) {
            status_ = status;
        }
    }
    return *status_;
}

void adopt_orphans() {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void end_orphans() {
    const std::lock_guard lock(known_mutex);
    // An orphan's own children become ours as soon as it ends, so look again until none is left.
    for (int round = 0; round < 100; ++round) {
        bool found = false;
        for (const pid_t child : children_of(getpid())) {
            if (!known().contains(child)) {
                found = true;
                kill(child, SIGKILL);
                waitpid(child, nullptr, 0);
            }
        }
        if (!found) {
            return;
        }
    }
}

void end_children_on_signals() {
    static sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&ending, signal);
    }
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    std::thread([] {
        int signal = 0;
        sigwait(&ending, &signal);
        known_mutex.lock();
        for (const pid_t process : known()) {
            kill(-process, SIGKILL);
        }
        _exit(128 + signal);
    }).detach();
}

FamilyUse family_use(pid_t process) {
    FamilyUse use;
    std::vector<pid_t> waiting = {process};
    // A fork bomb grows while it is counted; its limit is far below this.
    constexpr std::size_t most_processes = 4096;
    while (!waiting.empty() && use.processes < most_processes) {
        const pid_t member = waiting.back();
        waiting.pop_back();
        const std::size_t bytes = resident_bytes(member);
        ++use.processes;
        use.resident_bytes += bytes;
        if (member != process && bytes >= use.largest_bytes) {
            use.largest = member;
            use.largest_bytes = bytes;
        }
        const auto children = children_of(member);
        waiting.insert(waiting.end(), children.begin(), children.end());
    }
    return use;
}

}  // namespace vram::proctor
