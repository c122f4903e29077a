#include <iostream>

#include "grader/proctor/commands/commands.h"
#include "grader/proctor/compiler.h"
#include "grader/proctor/files.h"
#include "grader/proctor/offspring.h"
#include "grader/proctor/suggestion.h"

namespace {

using namespace vram::proctor;

constexpr const char* help = R"(usage: vram [COMMAND] [options]

  vram                      what you have reached, and the next step
  vram grade [LAB...]       grade labs
  vram list                 every lab
  vram hint LAB [CHECK]     a hint, one step at a time
  vram run PROGRAM [...]    run any CUDA program on the virtual GPU
  vram bench NAME           run a benchmark
  vram test [NAME...]       test this project itself
  vram setup                only set up and build
  vram corpus               grade the corpus of right, wrong and hostile solutions

`vram COMMAND --help` says more. A lab is named by number, name or both: 06, double-free.
)";

struct Command {
    const char* name;
    int (*run)(const Words&);
};

constexpr Command commands[] = {
    {"grade", grade_command}, {"list", list_command},     {"hint", hint_command},
    {"run", run_command},     {"corpus", corpus_command}, {"bench", bench_command},
};

int dispatch(const Words& words) {
    if (words.empty()) {
        return overview_command();
    }
    if (words.front() == "--help" || words.front() == "-h" || words.front() == "help") {
        std::cout << help;
        return full_marks;
    }
    std::vector<std::string> names;
    for (const Command& command : commands) {
        if (words.front() == command.name) {
            return command.run({words.begin() + 1, words.end()});
        }
        names.push_back(command.name);
    }
    throw UsageError("There is no command \"" + words.front() + "\"." +
                     did_you_mean(words.front(), names) + " `vram --help` shows all commands.");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        adopt_orphans();
        end_children_on_signals();
        return dispatch({argv + 1, argv + argc});
    } catch (const UsageError& error) {
        std::cerr << "vram: " << error.what() << "\n";
        return usage;
    } catch (const FileError& error) {
        std::cerr << "vram: " << error.what() << "\n";
        return usage;
    } catch (const std::exception& error) {
        std::cerr << "vram: a fault of the grader: " << error.what() << "\n";
        return fault;
    }
}
