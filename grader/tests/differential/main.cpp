// Runs random sequences of runtime calls and prints what each call said and what memory held.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "grader/tests/differential/sequence.h"

namespace vram::differential {
namespace {

constexpr const char* usage =
    R"(usage: differential [--first N] [--last N] [--fault]

Runs the sequences of the seeds N to N in this process and prints a line a call. Run it on two
devices and compare; compare.py does that.

  --fault   the sequence of one seed, with a kernel that spoils the context
)";

int run(std::uint64_t first, std::uint64_t last, bool fault) {
    // A line that was written tells how far a process came that died.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        Sequence sequence(seed);
        if (fault) {
            sequence.run_with_fault();
        } else {
            sequence.run();
        }
        std::printf("%llu end\n", static_cast<unsigned long long>(seed));
    }
    std::fflush(stdout);
    return 0;
}

int main_with(const std::vector<std::string>& words) {
    std::uint64_t first = 1;
    std::uint64_t last = 0;
    bool fault = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool has_value = i + 1 < words.size();
        if (words[i] == "--first" && has_value) {
            first = std::stoull(words[++i]);
        } else if (words[i] == "--last" && has_value) {
            last = std::stoull(words[++i]);
        } else if (words[i] == "--fault") {
            fault = true;
        } else {
            std::fputs(usage, words[i] == "--help" ? stdout : stderr);
            return words[i] == "--help" ? 0 : 2;
        }
    }
    return run(first, last == 0 ? first : last, fault);
}

}  // namespace
}  // namespace vram::differential

int main(int count, char** words) {
    try {
        return vram::differential::main_with({words + 1, words + count});
    } catch (const std::exception&) {
        std::fputs("a seed is a number\n", stderr);
        return 2;
    }
}
