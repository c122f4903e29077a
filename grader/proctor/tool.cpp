#include "grader/proctor/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>

#include "grader/proctor/offspring.h"

namespace vram::proctor {

namespace {

constexpr std::size_t most_output = 16u << 20;

struct Pipe {
    int reading = -1;
    int writing = -1;

    Pipe() {
        int ends[2] = {-1, -1};
        if (pipe2(ends, O_CLOEXEC) == 0) {
            reading = ends[0];
            writing = ends[1];
        }
    }
    ~Pipe() {
        close_end(reading);
        close_end(writing);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    static void close_end(int& end) {
        if (end >= 0) {
            close(end);
            end = -1;
        }
    }
};

[[noreturn]] void become(const std::vector<char*>& arguments, const char* folder, int input,
                         int output, int errors) {
    setpgid(0, 0);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    if (chdir(folder) == 0) {
        execvp(arguments[0], arguments.data());
    }
    _exit(127);
}

/// Takes what is there; closes the end and returns false when there will be no more.
void take(int& end, std::string& kept) {
    char buffer[1 << 16];
    const ssize_t count = read(end, buffer, sizeof buffer);
    if (count <= 0) {
        if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
            Pipe::close_end(end);
        }
        return;
    }
    if (kept.size() < most_output) {
        kept.append(buffer, static_cast<std::size_t>(count));
    }
}

void give(int& end, std::string_view& rest) {
    const ssize_t count = write(end, rest.data(), rest.size());
    if (count > 0) {
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    if (rest.empty() || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        Pipe::close_end(end);
    }
}

}  // namespace

ToolResult run_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    const std::string& input, double seconds) {
    ToolResult result;
    Pipe in;
    Pipe out;
    Pipe err;
    std::vector<char*> argument_list;
    for (const std::string& argument : arguments) {
        argument_list.push_back(const_cast<char*>(argument.c_str()));
    }
    argument_list.push_back(nullptr);

    const Offspring child = Offspring::start(
        [&] { become(argument_list, folder.c_str(), in.reading, out.writing, err.writing); });
    if (!child.running()) {
        result.status = 127;
        result.errors = std::string("cannot start a process: ") + std::strerror(errno);
        return result;
    }
    Pipe::close_end(in.reading);
    Pipe::close_end(out.writing);
    Pipe::close_end(err.writing);
    std::string_view rest = input;
    if (rest.empty()) {
        Pipe::close_end(in.writing);
    } else {
        fcntl(in.writing, F_SETFL, O_NONBLOCK);
    }

    using clock = std::chrono::steady_clock;
    const auto deadline = clock::now() + std::chrono::duration<double>(seconds);
    while (out.reading >= 0 || err.reading >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::time_point_cast<clock::duration>(deadline) - clock::now());
        if (left.count() <= 0) {
            result.timed_out = true;
            break;
        }
        std::array<pollfd, 3> waiting = {
            {{out.reading, POLLIN, 0}, {err.reading, POLLIN, 0}, {in.writing, POLLOUT, 0}}};
        if (poll(waiting.data(), waiting.size(), static_cast<int>(left.count()) + 1) <= 0) {
            continue;
        }
        if (waiting[0].revents != 0) {
            take(out.reading, result.output);
        }
        if (waiting[1].revents != 0) {
            take(err.reading, result.errors);
        }
        if (waiting[2].revents != 0) {
            give(in.writing, rest);
        }
    }
    if (result.timed_out) {
        child.kill_group(SIGKILL);
    }
    const int status = child.wait();
    child.kill_group(SIGKILL);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

}  // namespace vram::proctor
