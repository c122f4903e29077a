// Speaks the protocol of a graded program, and misbehaves as its checks' names say.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "grader/protocol/record.h"

namespace {

using namespace vram::protocol;

int channel = -1;
Nonce nonce;
int results_sent = 0;

void send_bytes(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count = write(channel, bytes.data() + sent, bytes.size() - sent);
        if (count <= 0) {
            _exit(9);
        }
        sent += static_cast<std::size_t>(count);
    }
}

void send(const Record& record) {
    send_bytes(to_frame(record, nonce));
}

Record result_of(const std::string& check, Verdict verdict) {
    Record record;
    record.kind = RecordKind::result;
    record.result.check = check;
    record.result.verdict = verdict;
    record.result.share = verdict == Verdict::pass ? 1 : 0;
    if (verdict != Verdict::pass) {
        Finding finding;
        finding.diagnosis = "made-up";
        finding.first_line = "The check failed as planned.";
        record.result.findings.push_back(finding);
    }
    return record;
}

void send_result(const std::string& check, Verdict verdict) {
    send(result_of(check, verdict));
    ++results_sent;
}

void send_end(int count) {
    Record record;
    record.kind = RecordKind::end;
    record.results_sent = count;
    send(record);
}

[[noreturn]] void sleep_for_ever() {
    for (;;) {
        pause();
    }
}

void bomb() {
    for (int i = 0; i < 200; ++i) {
        if (fork() == 0) {
            sleep_for_ever();
        }
    }
    sleep_for_ever();
}

void eat_memory() {
    for (;;) {
        constexpr std::size_t bite = 8 << 20;
        auto* memory = static_cast<char*>(std::malloc(bite));
        std::memset(memory, 1, bite);
        usleep(1000);
    }
}

void print_without_end() {
    for (;;) {
        std::printf("%s\n", std::string(8000, 'x').c_str());
    }
}

void run(const std::string& check) {
    const std::string what = check.substr(check.find('.') + 1);
    if (what.starts_with("Passes")) {
        send_result(check, Verdict::pass);
    } else if (what == "Fails") {
        send_result(check, Verdict::fail);
    } else if (what == "Prints") {
        std::printf("hello from the program\n");
        std::fflush(stdout);
        send_result(check, Verdict::pass);
    } else if (what == "Crashes") {
        raise(SIGSEGV);
    } else if (what == "Exits") {
        _exit(0);
    } else if (what == "ExitsWithThree") {
        send_result(check, Verdict::pass);
        send_end(results_sent);
        _exit(3);
    } else if (what == "ClaimsTwice") {
        _exit(86);
    } else if (what == "Hangs") {
        signal(SIGTERM, SIG_IGN);
        sleep_for_ever();
    } else if (what == "HangsPolitely") {
        // As the examiner does: told to stop, it reports the check and goes on with the next.
        static volatile sig_atomic_t told = 0;
        signal(SIGTERM, [](int) { told = 1; });
        while (told == 0) {
            usleep(1000);
        }
        send_result(check, Verdict::hung);
    } else if (what == "Forges") {
        Nonce guess = nonce;
        guess[31] = static_cast<char>(guess[31] + 1);
        send_bytes(to_frame(result_of(check, Verdict::pass), guess));
        sleep_for_ever();
    } else if (what == "WritesGarbage") {
        send_bytes("[       OK ] Everything\nok 1\n");
        sleep_for_ever();
    } else if (what == "ReportsTwice") {
        send_result(check, Verdict::fail);
        send_result(check, Verdict::pass);
    } else if (what == "ReportsAnother") {
        send_result(check, Verdict::pass);
        send_result("Never.AskedFor", Verdict::pass);
    } else if (what == "ClosesTheChannel") {
        close(channel);
        _exit(0);
    } else if (what == "ForksABomb") {
        bomb();
    } else if (what == "EatsMemory") {
        eat_memory();
    } else if (what == "WorkerEatsMemory") {
        const pid_t worker = fork();
        if (worker == 0) {
            eat_memory();
        }
        int status = 0;
        waitpid(worker, &status, 0);
        send_result(check, WIFSIGNALED(status) ? Verdict::crashed : Verdict::pass);
    } else if (what == "WritesFiles") {
        std::ofstream file("big");
        for (;;) {
            file << std::string(1 << 20, 'x') << std::flush;
        }
    } else if (what == "PrintsWithoutEnd") {
        print_without_end();
    } else if (what == "LeavesADaemon") {
        if (fork() == 0) {
            setsid();
            if (fork() == 0) {
                std::ofstream("daemon") << getpid() << std::flush;
                sleep_for_ever();
            }
            _exit(0);
        }
        while (access("daemon", F_OK) != 0) {
            usleep(1000);
        }
        send_result(check, Verdict::pass);
    } else if (what == "ShowsItsEnvironment") {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            std::printf("%s\n", *entry);
        }
        for (int descriptor = 3; descriptor < 1024; ++descriptor) {
            if (fcntl(descriptor, F_GETFD) >= 0) {
                std::printf("descriptor %d\n", descriptor);
            }
        }
        std::fflush(stdout);
        send_result(check, Verdict::pass);
    } else if (what == "CountsWrongly") {
        send_result(check, Verdict::pass);
        ++results_sent;
    } else if (what == "GoesOnBehindTheEnd") {
        send_result(check, Verdict::pass);
        send_end(results_sent);
        send_bytes("x");
        _exit(0);
    }
}

}  // namespace

int main(int count, char** arguments) {
    std::vector<std::string> checks;
    for (int i = 1; i + 1 < count; ++i) {
        if (std::string(arguments[i]) == "--checks") {
            std::istringstream list(arguments[i + 1]);
            for (std::string check; std::getline(list, check, ',');) {
                checks.push_back(check);
            }
        }
    }
    // Misbehaviour before the start, as in a constructor of a static object.
    if (checks.front() == "Start.Exits") {
        std::puts("[  PASSED  ] 1 test.");
        return 0;
    }
    if (checks.front() == "Start.Crashes") {
        raise(SIGSEGV);
    }
    if (checks.front() == "Start.Hangs") {
        sleep_for_ever();
    }
    if (checks.front() == "Start.CannotLoad") {
        std::fprintf(stderr, "libcudart.so.99: cannot open shared object file");
        return 127;
    }
    channel = std::atoi(std::getenv("VRAM_CHANNEL"));
    if (read(channel, nonce.data(), nonce.size()) != static_cast<ssize_t>(nonce.size())) {
        return 9;
    }
    Record hello;
    hello.kind = RecordKind::hello;
    hello.device = "fake GPU";
    for (const std::string& check : checks) {
        if (check != "Fake.IsNotThere") {
            hello.checks.push_back(check);
        }
    }
    send(hello);
    for (const std::string& check : checks) {
        run(check);
    }
    send_end(results_sent);
    return 0;
}
