// The grade of one lab.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/proctor/call_sites.h"
#include "grader/proctor/compiler.h"
#include "grader/proctor/device.h"
#include "grader/proctor/graded_program.h"
#include "grader/proctor/manifest.h"
#include "grader/protocol/record.h"

namespace vram::proctor {

/// One step of a story with its place.
struct PlacedStep {
    std::string text;
    Site site;  ///< unknown when it has none in the learner's file
};

/// A line of source, as shown below a step.
struct Quote {
    int line = 0;
    std::string text;        ///< tabs replaced
    std::size_t column = 0;  ///< where the note points, from 0
    std::string note;
};

struct PlacedFinding {
    std::string diagnosis;
    std::string first_line;
    std::vector<PlacedStep> steps;
    std::size_t shown_step = 0;  ///< from 1; 0: none
    std::optional<Quote> quote;  ///< of the shown step
    std::vector<std::string> details;
    std::string expected;
    std::string found;
    std::string why;
};

struct CheckGrade {
    std::string check;
    protocol::Verdict verdict = protocol::Verdict::fail;
    double points = 0;  ///< what it counts in the total; 0 when it was not graded here
    double earned = 0;
    /// It ran on a device that decides it, and came to no verdict: the learner's file uses what the
    /// virtual GPU lacks. Such a check leaves the total, and keeps the lab from being complete, so
    /// that nobody gains by making checks undecidable.
    bool left_open = false;
    std::string device;  ///< the device that the verdict comes from: "virtual GPU", "NVIDIA H200"
    std::vector<PlacedFinding> findings;
    std::string remark;
};

struct LabGrade {
    std::string lab;
    std::string title;
    std::string file;
    std::vector<std::string> devices;  ///< those it was graded on, as they call themselves
    std::vector<CheckGrade> checks;    ///< in the manifest's order
    /// Why nothing ran: the file is missing, does not compile, and so on. Every check has the same
    /// verdict then.
    std::optional<PlacedFinding> rejection;
    std::string program_output;  ///< what the learner's file printed, capped
    bool output_cut = false;
    bool grader_fault = false;
    double build_seconds = 0;
    double run_seconds = 0;

    double earned() const;
    double points() const;  ///< of the checks that were graded here
    bool complete() const;  ///< every check that could be graded here was, and earned its points
};

struct GradingOptions {
    std::vector<DeviceKind> devices;  ///< to run on, at least one
    Limits limits;
    std::uint64_t seed = 1;
    bool one_process = false;  ///< checks share a process on the virtual GPU too
};

/// Says what goes on: "compiling", "running".
using Progress = std::function<void(const std::string& stage)>;

class Grader {
  public:
    Grader(const Installation& installation, const Cache& cache, GradingOptions options);

    /// Grades the file; never throws for what the learner did.
    LabGrade grade(const Lab& lab, const std::filesystem::path& source,
                   const Progress& progress = {}) const;

  private:
    /// A device's verdicts on one variant of the program.
    struct Sitting {
        std::string device;  ///< as it calls itself
        std::vector<CheckGrade> checks;
        std::string output;
        bool output_cut = false;
    };
    LabGrade graded(const Lab& lab, const std::filesystem::path& source,
                    const Progress& progress) const;
    std::vector<Build> build_all(const Lab& lab, const std::vector<Variant>& variants,
                                 const std::filesystem::path& source) const;
    Sitting sit(const Lab& lab, const Build& build, const std::vector<std::string>& checks,
                DeviceKind device, const std::string& source) const;
    const Cache& cache_;
    GradingOptions options_;
    Compiler compiler_;
};

/// A grade for a file that can't be graded at all: missing, unreadable.
LabGrade rejected(const Lab& lab, const Rejection& rejection, const std::string& source,
                  const std::vector<DeviceKind>& devices);

/// One verdict from those of several devices: a check earns what it earns on every device that
/// decided it. `results` is empty where no device could decide it.
CheckGrade combined(const Check& check, const std::vector<CheckGrade>& results);

/// One verdict from those on several variants of the program, in the order of `variants`: a check
/// earns what it earns in each of them. A failure in one alone says in which.
CheckGrade held_in_all(const std::vector<Variant>& variants,
                       const std::vector<CheckGrade>& results);

/// The line that a step is at, with the note under what the step is about.
std::optional<Quote> quote_of(const std::string& source, int line, const std::string& step,
                              const std::string& note);

}  // namespace vram::proctor
