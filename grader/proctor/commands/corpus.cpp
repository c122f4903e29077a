#include "grader/proctor/corpus.h"

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/environment.h"
#include "grader/proctor/installation.h"
#include "grader/proctor/parallel.h"
#include "grader/proctor/tap.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

constexpr const char* corpus_help =
    R"(usage: vram corpus [--lab LAB] [--device virtual|gpu] [--only TEXT] [--one-process] [--tap]

Grades every file of grader/corpus and compares with what the file says of itself: right solutions
get full marks, wrong ones fail for the named reason, exploits gain nothing. Prints TAP.

  --lab LAB       only files for this lab
  --only TEXT     only files whose name contains TEXT
  --device        virtual (default) or gpu
  --one-process   the checks of a file share a process, as they do on a GPU
  --tap           exit status 0 although files failed, as Meson wants it
)";

/// Prints lines in the order of the files, whatever the order they come in.
class OrderedOutput {
  public:
    explicit OrderedOutput(std::size_t count) : lines_(count) {}

    void put(std::size_t index, std::string text) {
        const std::lock_guard lock(mutex_);
        lines_[index] = std::move(text);
        for (; next_ < lines_.size() && !lines_[next_].empty(); ++next_) {
            std::cout << lines_[next_] << std::flush;
        }
    }

  private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
    std::size_t next_ = 0;
};

std::vector<CorpusFile> chosen_files(const std::vector<Lab>& labs, const Arguments& arguments,
                                     const Installation& installation) {
    auto files = load_corpus(installation.corpus(), labs);
    if (const auto name = arguments.value("--lab")) {
        const Lab* lab = &lab_meant_by(labs, *name);
        std::erase_if(files, [&](const CorpusFile& file) { return file.lab != lab; });
    }
    if (const auto text = arguments.value("--only")) {
        std::erase_if(files, [&](const CorpusFile& file) {
            return file.name.find(*text) == std::string::npos;
        });
    }
    if (files.empty()) {
        throw UsageError("No file of the corpus is meant by that.");
    }
    return files;
}

}  // namespace

int corpus_command(const Words& words) {
    const Arguments arguments(words, {"--tap", "--one-process"}, {"--lab", "--device", "--only"});
    if (arguments.has("--help")) {
        std::cout << corpus_help;
        return full_marks;
    }
    refuse_bad_environment();
    refuse_too_small_a_card(std::getenv("VRAM_MEMORY"));
    if (!arguments.words().empty()) {
        throw UsageError("`vram corpus` takes no words; use --lab or --only.");
    }
    const auto device = device_from_name(arguments.value("--device").value_or("virtual"));
    if (!device) {
        throw UsageError("`vram corpus` needs --device virtual or --device gpu.");
    }
    if (*device == DeviceKind::gpu && !present_gpu()) {
        std::cout << "1..0 # SKIP there is no NVIDIA GPU on this machine\n";
        return full_marks;
    }
    const Installation installation = this_installation();
    const auto labs = all_labs();
    const auto files = chosen_files(labs, arguments, installation);
    const Cache cache = open_cache(installation.build_root / "cache");
    GradingOptions options;
    options.devices = {*device};
    options.limits = limits_from_environment();
    options.one_process = arguments.has("--one-process");
    const Grader grader(installation, cache, options);

    std::cout << "1.." << files.size() << std::endl;
    OrderedOutput output(files.size());
    std::atomic<std::size_t> failed = 0;
    in_parallel(files.size(), [&](std::size_t i) {
        const CorpusFile& file = files[i];
        const std::string name = std::to_string(i + 1) + " - " + file.name;
        if (!file.meant_for(*device)) {
            output.put(i, "ok " + name + " # SKIP not meant for this device\n");
            return;
        }
        const auto problems = contradictions(file, grader.grade(*file.lab, file.path));
        if (problems.empty()) {
            output.put(i, "ok " + name + "\n");
            return;
        }
        ++failed;
        output.put(i, "not ok " + name + "\n" + tap_comment(joined(problems, "\n")));
    });
    cache.shrink();
    std::cout << "# " << files.size() - failed << " of " << counted(files.size(), "file")
              << " as expected\n";
    return failed == 0 || arguments.has("--tap") ? full_marks : not_full_marks;
}

}  // namespace vram::proctor
