// The parent of the workers inside a graded program: starts them, limits them, and tells the
// proctor what became of each check, whatever the learner's code did to its process.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "grader/checks/support/channel.h"

namespace vram::checks {

class Examiner {
  public:
    /// `most_seconds`: wall-clock time of one check before its worker is ended as hung.
    Examiner(Channel proctor, double most_seconds)
        : proctor_(proctor), most_seconds_(most_seconds) {}

    /// Examines the checks and sends hello, every result, and end. Returns the exit status.
    int examine(const std::vector<std::string>& checks);

  private:
    struct Ending {
        bool hung = false;
        bool said_end = false;  ///< the worker sent its end record
        int wait_status = 0;
    };

    void examine_in_forks(const std::vector<std::string>& checks);
    void examine_in_one_process(std::vector<std::string> checks);
    /// Forwards results of `expected` from a worker until it ends; returns how it ended.
    Ending follow(int process, Channel& channel, const std::vector<std::string>& expected);
    void send_result(const protocol::CheckResult& result);
    void send_unfinished(const std::string& check, const Ending& ending);
    bool has_result(const std::string& check) const { return sent_.count(check) != 0; }

    Channel proctor_;
    double most_seconds_;
    std::map<std::string, bool> sent_;
};

}  // namespace vram::checks
